"""Properties of segments on the pure twin's parts; `test_index.py` holds both twins to the same bytes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuecard._pure import bm25, layout
from cuecard._pure.dictionary import Dictionary, DictionaryWriter
from cuecard._pure.layout import Header, Layout, write_file
from cuecard._pure.postings import PostingsWriter, read_list
from cuecard._pure.segment import Segment, Statistics, scores, search, weigh
from cuecard._pure.segment_builder import Builder
from cuecard._pure.segment_writer import SegmentSource, write_segment
from cuecard._pure.top_k import Bonus, List, accumulate, exhaustive
from cuecard.errors import SegmentError
from segment_cases import WORDS, builder_of, statistics_of, top_k, write_delta, write_documents

if TYPE_CHECKING:
    from collections.abc import Callable

    from cuecard._pure.segment import Query

# Few words, so that documents share them; some with the same first eight bytes.
VOCABULARY = ["red", "fish", "blue", "sea", "configure", "configured", "configuration", "日本", "é"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(VOCABULARY), max_size=8), max_size=12)
QUERIES = st.lists(
    st.tuples(st.sampled_from([*VOCABULARY, "unknown", ""]), st.integers(1, 256)),
    max_size=6,
    unique_by=lambda term: term[0],
)
TEXTS = st.lists(st.one_of(st.binary(min_size=1, max_size=12), st.integers(0, 999).map(b"configure%d".__mod__)))
POSTINGS = st.dictionaries(st.integers(0, 200_000), st.integers(1, 255), min_size=1)


def packed(postings: dict[int, int]) -> list[int]:
    return [number << 8 | byte for number, byte in sorted(postings.items())]


# What was written is read


@given(TEXTS)
def test_a_dictionary_finds_what_it_was_given_and_nothing_else(texts: list[bytes]) -> None:
    distinct = sorted(set(texts))
    writer = DictionaryWriter()
    for place, text in enumerate(distinct):
        writer.push(text, place * 3, place + 1, place % 256)
    dictionary = Dictionary(memoryview(writer.finish()))
    assert [dictionary.text(place) for place in range(len(dictionary))] == distinct
    for place, text in enumerate(distinct):
        assert dictionary.find(text) == place
        assert dictionary.entry(place) == (place * 3, place + 1, place % 256)
        for other in (text + b"\0", text[:-1], text + b"x"):
            assert dictionary.find(other) == (distinct.index(other) if other in distinct else None)
        for size in range(len(text) + 1):
            prefix = text[:size]
            begun = [place for place, text in enumerate(distinct) if text.startswith(prefix)]
            assert list(dictionary.range(prefix)) == begun


@given(st.lists(POSTINGS))
def test_posting_lists_come_back(lists: list[dict[int, int]]) -> None:
    writer = PostingsWriter()
    entries = [(writer.push(packed(postings)), len(postings), max(postings.values())) for postings in lists]
    section = memoryview(writer.finish())
    for postings, entry in zip(lists, entries, strict=True):
        assert read_list(section, entry, 200_001) == packed(postings)
        assert read_list(section, entry, 100_000) == packed({n: byte for n, byte in postings.items() if n < 100_000})


@given(st.dictionaries(st.integers(15, 99), st.binary()))
def test_sections_come_back(contents: dict[int, bytes]) -> None:
    sections = sorted(contents.items())
    data = memoryview(write_file(Header(7, 1, 5, 9), sections))
    opened = Layout.open(data)
    assert [opened.header.documents, opened.header.analyzer] == [7, 1]
    assert [opened.header.base_checksum, opened.header.base_documents] == [5, 9]
    assert {kind: bytes(opened.section(data, kind)) for kind in contents} == contents
    opened.check(data)


@given(DOCUMENTS)
def test_a_segment_has_the_terms_of_its_documents(documents: list[list[str]]) -> None:
    segment = Segment.open(write_documents(documents))
    segment.check()
    found: dict[str, list[int]] = {}
    terms = segment.terms()
    for place in range(len(terms)):
        postings = read_list(segment.term_postings(), terms.entry(place), segment.documents())
        found[terms.text(place).decode()] = [posting >> 8 for posting in postings]
        assert terms.entry(place)[2] == max(posting & 0xFF for posting in postings)
    expected: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        for term in dict.fromkeys(document):
            expected.setdefault(term, []).append(number)
    assert found == expected


@given(DOCUMENTS, st.data())
def test_merging_parts_equals_building_at_once(documents: list[list[str]], data: st.DataObject) -> None:
    statistics = statistics_of(documents)
    header = Header(len(documents), WORDS)
    owners = [data.draw(st.integers(0, 3)) for _ in documents]
    parts = []
    for owner in range(4):
        numbers: list[int | None] = [number for number, other in enumerate(owners) if other == owner]
        builder = builder_of([documents[number] for number in numbers if number is not None])
        for place in range(len(numbers)):
            builder.push_word("word", 1) if place == len(numbers) - 1 else None
        made: Builder | Segment = builder
        if data.draw(st.booleans()):
            part = SegmentSource(builder, range(len(numbers)))
            made = Segment.open(write_segment(Header(len(numbers), WORDS), statistics, [part]))
        parts.append(SegmentSource(made, numbers))
    at_once = builder_of([])
    last = {owner: number for number, owner in enumerate(owners)}
    for number, document in enumerate(documents):
        at_once.push_terms(document)
        if number in last.values():
            at_once.push_word("word", 1)
    expected = write_segment(header, statistics, [SegmentSource(at_once, range(len(documents)))], with_norms=True)
    assert write_segment(header, statistics, parts, with_norms=True) == expected


@given(DOCUMENTS, st.data())
def test_what_is_left_out_leaves_no_trace(documents: list[list[str]], data: st.DataObject) -> None:
    kept = [number for number in range(len(documents)) if data.draw(st.booleans())]
    statistics = statistics_of([documents[number] for number in kept])
    header = Header(len(kept), WORDS)
    whole = SegmentSource(builder_of(documents), range(len(documents)))
    everything = Segment.open(write_segment(Header(len(documents), WORDS), statistics, [whole]))
    new_numbers = [kept.index(number) if number in kept else None for number in range(len(documents))]
    rest = SegmentSource(builder_of([documents[number] for number in kept]), range(len(kept)))
    assert write_segment(header, statistics, [SegmentSource(everything, new_numbers)]) == write_segment(
        header, statistics, [rest]
    )


# Searching

LISTS = st.lists(
    st.tuples(st.integers(1, 4_096), st.dictionaries(st.integers(0, 90), st.integers(1, 255), min_size=1)), max_size=8
)


@given(LISTS, st.integers(0, 12), st.sets(st.integers(0, 90)), st.lists(st.integers(0, 10_000)), st.integers(50, 91))
def test_pruned_equals_exhaustive_equals_the_rule(
    lists: list[tuple[int, dict[int, int]]], k: int, refused: set[int], table: list[int], documents: int
) -> None:
    made = _lists_of(lists)
    kinds = [byte for number in range(documents) for byte in (number % 7, 0)]
    for bonus in (None, Bonus(kinds, table)):
        for accept in (None, lambda number: number not in refused):
            sums = {
                number: score + (bonus.of(number) if bonus else 0)
                for number, score in accumulate(made, documents).items()
            }
            taken = [number for number in sums if not accept or accept(number)]
            expected = sorted(((number, sums[number]) for number in taken), key=lambda hit: (-hit[1], hit[0]))[:k]
            assert exhaustive(made, documents, k, bonus, accept) == expected
            assert _pruned(made, documents, k, bonus, accept) == expected


def _lists_of(lists: list[tuple[int, dict[int, int]]]) -> list[List]:
    writer = PostingsWriter()
    entries = [(writer.push(packed(found)), len(found), max(found.values())) for _, found in lists]
    section = memoryview(writer.finish())
    return [List(section, entry, weight) for (weight, _), entry in zip(lists, entries, strict=True)]


def _pruned(
    lists: list[List], documents: int, k: int, bonus: Bonus | None, accept: Callable[[int], bool] | None
) -> list[tuple[int, int]]:
    """As `top_k` with lists of any length worth pruning."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{top_k.__module__}.SMALL", 0)
        found: list[tuple[int, int]] = top_k(lists, documents, k, bonus, accept)
        return found


@given(st.integers(0, 2**32), st.integers(0, 3))
def test_long_lists_are_pruned_right(seed: int, shape: int) -> None:
    """Lists from long to short, some beyond 65,536, as no strategy above would make them."""
    state = seed
    lists = []
    for place in range(2 + shape):
        postings = {}
        for _ in range(20 * 8**place if place < 4 else 50):
            state = (state * 6_364_136_223_846_793_005 + 1) % 2**64
            postings[(state >> 33) % 70_000] = 1 + (state >> 20) % 255
        lists.append((4_000 >> 2 * place or 1, postings))
    made = _lists_of(lists)
    for k in (1, 3, 10):
        assert _pruned(made, 70_000, k, None, None) == exhaustive(made, 70_000, k)
        odd = lambda number: number % 2 == 1  # noqa: E731 - given twice
        assert _pruned(made, 70_000, k, None, odd) == exhaustive(made, 70_000, k, None, odd)


# Two documents of a first list fill the best two; what the second list alone has must not be cut off too early.
FIRST = (10, {5: 10, 6: 11, 7: 2})


@pytest.mark.parametrize(
    ("second", "table", "expected"),
    [
        ({0: 100, 1: 1, 2: 1, 3: 1}, [], [(6, 110), (0, 100)]),
        ({0: 99, 1: 1, 2: 1, 3: 1}, [], [(6, 110), (5, 100)]),
        ({0: 90, 1: 1, 2: 1, 3: 1}, [20], [(0, 110), (6, 110)]),
        ({7: 50, 1: 1, 2: 1, 3: 1}, [40], [(6, 110), (7, 110)]),
    ],
    ids=["an equal score of a lower number", "one less", "a bonus of an unseen one", "a bonus of a low one"],
)
def test_pruning_keeps_who_may_still_come_in(
    second: dict[int, int], table: list[int], expected: list[tuple[int, int]]
) -> None:
    lists = _lists_of([FIRST, (1, second)])
    rich = {0, 7}
    bonus = Bonus([byte for number in range(8) for byte in (0 if number in rich else 9, 0)], table) if table else None
    assert _pruned(lists, 8, 2, bonus, None) == expected


def test_a_run_beyond_its_list_ends_it() -> None:
    writer = PostingsWriter()
    postings = packed({1: 7, 2: 8, 70_000: 9})
    writer.push(postings)
    section = memoryview(writer.finish())
    assert read_list(section, (0, 3, 9), 70_001) == postings
    assert read_list(section, (0, 2, 9), 70_001) == postings[:2]
    assert read_list(section, (0, 1, 9), 70_001) == []
    assert read_list(section[:-2], (0, 3, 9), 70_001) == postings[:2]


def _best(segments: list[Segment], query: Query, dead: set[int]) -> list[tuple[int, int, int]]:
    """All hits, by the rule itself."""
    documents = sum(segment.documents() for segment in segments) - len(dead)
    sums: dict[tuple[int, int], int] = {}
    for term, q in query:
        found = []
        for place, segment in enumerate(segments):
            terms = segment.terms()
            at = terms.find(term.encode())
            if at is not None:
                postings = read_list(segment.term_postings(), terms.entry(at), segment.documents())
                found += [(place, posting >> 8, posting & 0xFF) for posting in postings]
        living = [posting for posting in found if posting[0] or posting[1] not in dead]
        weight = bm25.weight(bm25.idf(documents, len(living)), q)
        for place, number, impact in living:
            sums[place, number] = sums.get((place, number), 0) + weight * impact
    return sorted(((*key, score) for key, score in sums.items()), key=lambda hit: (-hit[2], hit[0], hit[1]))


@given(DOCUMENTS, DOCUMENTS, QUERIES, st.data())
def test_a_base_and_its_delta_are_searched_as_one(
    documents: list[list[str]], added: list[list[str]], query: list[tuple[str, int]], data: st.DataObject
) -> None:
    dead = {number for number in range(len(documents)) if data.draw(st.booleans())}
    base = write_documents(documents)
    segments = [Segment.open(base), Segment.open(write_delta(base, added, sorted(dead)))]
    expected = _best(segments, query, dead)
    for k in range(len(expected) + 2):
        assert search(segments, query, k) == expected[:k]
    sums = scores(segments, query)
    assert {(place, n): score for place, part in enumerate(sums) for n, score in part.items()} == {
        (place, number): score for place, number, score in expected
    }
    backwards = search(segments, query, 99, order=lambda segment, number: (-segment, -number))
    assert sorted(backwards) == sorted(expected)
    accepted = search(segments, query, 3, accept=lambda segment, number: (segment + number) % 2 == 0)
    assert accepted == [hit for hit in expected if (hit[0] + hit[1]) % 2 == 0][:3]


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_rarer_term_weighs_more(one: int, other: int) -> None:
    less, more = sorted((one, other))
    assert bm25.idf(10_000, less) >= bm25.idf(10_000, more)


# Damage

SMALL = [["red", "fish"], ["blue", "configure"], ["red", "red", "configured"]]
QUERY = [(word, 256) for word in VOCABULARY]


def small_segment() -> bytes:
    builder = builder_of(SMALL)
    builder.push_word("red", 1)
    builder.push_word("red", 2)
    extra = [(layout.KINDS, bytes(6)), (layout.DEAD, bytes(4))]
    part = SegmentSource(builder, range(len(SMALL)))
    return write_segment(Header(3, WORDS, 1, 3), statistics_of(SMALL), [part], extra, with_norms=True)


def read_everything(segment: Segment) -> None:
    """Ask a segment whatever it can be asked; whatever its bytes are, only numbers may come of it."""
    for dictionary, section in ((segment.terms(), segment.term_postings()), (segment.words(), segment.word_postings())):
        dictionary.range(b"conf")
        for place in range(min(len(dictionary), 99)):
            dictionary.find(dictionary.text(place))
            read_list(section, dictionary.entry(place), segment.documents())
    segment.statistics()
    segment.dead()
    search([segment], QUERY, 3)
    search([segment], QUERY, 3, [[1, 2]])
    search([segment, segment], QUERY, 3)
    weigh([segment], QUERY, [set()])
    scores([segment], QUERY)


def mended(data: bytearray) -> bytes:
    """The bytes with a header checksum that is right, as one who means harm would have it."""
    end = 64 + 24 * int.from_bytes(data[28:32], "little")
    if end + 4 <= len(data):
        data[end : end + 4] = zlib.crc32(data[:end]).to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize("whole", [small_segment(), write_documents(SMALL)], ids=["delta", "plain"])
@pytest.mark.parametrize("mend", [False, True])
def test_no_flipped_byte_makes_a_reader_fail(whole: bytes, mend: bool) -> None:
    sections = Layout.open(memoryview(whole)).sections.values()
    header_bytes = 64 + 24 * len(sections) + 4
    for place in range(len(whole)):
        for flip in (1, 0x80, 0xFF):
            data = bytearray(whole)
            data[place] ^= flip
            try:
                segment = Segment.open(mended(data) if mend else bytes(data))
            except SegmentError:
                assert place < header_bytes
                continue
            assert mend or place >= header_bytes
            read_everything(segment)
            if any(offset <= place < offset + size for offset, size, _ in sections):
                with pytest.raises(SegmentError):
                    segment.check()


@given(st.data())
def test_no_bytes_make_a_reader_fail(data: st.DataObject) -> None:
    whole = bytearray(small_segment())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(whole) - 1))
        junk = data.draw(st.sampled_from([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\1\0\0\0"]))
        whole[at : at + 4] = junk
    cut = data.draw(st.one_of(st.none(), st.integers(0, len(whole))))
    try:
        segment = Segment.open(mended(whole)[:cut])
    except SegmentError:
        return
    read_everything(segment)


@given(st.binary())
def test_what_is_no_segment_is_refused(data: bytes) -> None:
    for bytes_given in (data, layout.MAGIC + data, layout.MAGIC + b"\1\0\0\0" + data):
        with pytest.raises(SegmentError):
            Segment.open(bytes_given)


@given(st.tuples(*[st.floats(0, 1)] * 3), st.floats(0, 10))
def test_statistics_come_back(bs: tuple[float, float, float], k1: float) -> None:
    statistics = Statistics(bm25.Bm25Settings(k1, (100.0, 0.0, 1.5), bs), (1.5, 0.0, 4e9))
    found = Statistics.read(memoryview(statistics.write()))
    assert found is not None
    assert found.settings.numbers() == statistics.settings.numbers()
    assert found.averages == statistics.averages


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1.0, 1e10])
def test_statistics_out_of_bounds_are_none(number: float) -> None:
    good = Statistics(bm25.Bm25Settings(), (1.0, 1.0, 1.0))
    for statistics in (
        Statistics(bm25.Bm25Settings(number), good.averages),
        Statistics(bm25.Bm25Settings(1.2, (1.0, number, 1.0)), good.averages),
        Statistics(bm25.Bm25Settings(1.2, bs=(1.0, 1.0, number)), good.averages),
        Statistics(good.settings, (1.0, number, 1.0)),
    ):
        assert Statistics.read(memoryview(statistics.write())) is None
