"""Segments and plain indexes as the vectors describe them (see the README of the vectors)."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuecard._pure import bm25
from cuecard._pure.layout import DEAD, Header, Layout
from cuecard._pure.postings import PostingsWriter
from cuecard._pure.segment import Segment, Statistics, search
from cuecard._pure.segment_builder import Builder
from cuecard._pure.segment_writer import SegmentSource, write_segment
from cuecard._pure.top_k import Bonus, List, exhaustive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from cuecard import Index
    from cuecard._pure.bm25 import Triple

# The module, for its function of the same name.
top_k = importlib.import_module("cuecard._pure.top_k").top_k

WORDS = 1
Rows = list[Any]


def dump(data: bytes) -> Rows:
    """A segment as hexadecimal rows: header and table up to the first section, then each with its kind."""
    sections = Layout.open(memoryview(data)).sections
    first = min((offset for offset, _, _ in sections.values()), default=len(data))
    rows: Rows = [hex_of(data[:first])]
    return rows + [[kind, hex_of(data[offset : offset + length])] for kind, (offset, length, _) in sections.items()]


def hex_of(data: bytes) -> str:
    return data.hex(" ", -4)


def documents_of(texts: Rows | None, terms: Rows | None, fields: Rows | None) -> Rows:
    """The documents of a case as an index takes them; all of one form."""
    if fields is not None:
        return [dict(zip(("title", "tags", "body"), document, strict=True)) for document in fields]
    return texts if texts is not None else terms or []


def make_index(
    twin: ModuleType,
    texts: Rows | None = None,
    terms: Rows | None = None,
    fields: Rows | None = None,
    added: Rows | None = None,
    **settings: object,
) -> Index:
    index: Index = twin.Index.build(documents_of(texts, terms, fields), **{"analyzer": "words", **settings})
    if added is not None:
        index.add(added)
    return index


def plain_segment(twin: ModuleType, **documents: Rows) -> Rows:
    """The files that an index is saved as: the base, then the delta where there is one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "index")
        make_index(twin, **documents).save(path, fsync=False)
        return [dump(file.read_bytes()) for file in sorted(Path(folder).iterdir())]


def plain_search(twin: ModuleType, query: str | list[str], k: int, **documents: Rows) -> object:
    return make_index(twin, **documents).search(query, k)


def plain_scores(twin: ModuleType, query: str | list[str], **documents: Rows) -> object:
    return make_index(twin, **documents).scores(query)


def plain_explain(twin: ModuleType, query: str | list[str], number: int, **documents: Rows) -> object:
    return make_index(twin, **documents).explain(query, number)


def open_segment(twin: ModuleType, data: bytes) -> int:
    """How many documents a file has."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "index")
        path.write_bytes(data)
        return len(twin.Index.open(path))


def builder_of(documents: Sequence[Sequence[str]]) -> Builder:
    builder = Builder(WORDS)
    for terms in documents:
        builder.push_terms(terms)
    return builder


def statistics_of(documents: Sequence[Sequence[str]]) -> Statistics:
    """The averages of these documents, and numbers that stay when the defaults change."""
    settings = bm25.Bm25Settings(1.2, (3.0, 2.0, 1.0), (0.75, 0.75, 0.75))
    builder = builder_of(documents)
    title, tags, body = (bm25.plain_average(total, len(documents)) for total in builder.totals())
    return Statistics(settings, (title, tags, body))


def write_documents(documents: Sequence[Sequence[str]], *, with_norms: bool = False) -> bytes:
    """A segment of lists of terms."""
    part = SegmentSource(builder_of(documents), range(len(documents)))
    return write_segment(Header(len(documents), WORDS), statistics_of(documents), [part], with_norms=with_norms)


def write_delta(base: bytes, documents: Sequence[Sequence[str]], dead: Sequence[int]) -> bytes:
    """A segment of what replaces the dead documents of a base."""
    first = Segment.open(base)
    statistics = first.statistics()
    assert statistics is not None
    header = Header(len(documents), WORDS, first.checksum(), first.documents())
    part = SegmentSource(builder_of(documents), range(len(documents)))
    extra = [(DEAD, b"".join(number.to_bytes(4, "little") for number in dead))]
    return write_segment(header, statistics, [part], extra)


def delta_segment(documents: Rows, added: Rows, dead: list[int]) -> Rows:
    return dump(write_delta(write_documents(documents), added, dead))


def delta_search(documents: Rows, added: Rows, dead: list[int], query: Rows, k: int) -> object:
    """Segment, number and score of the best of a base and its delta."""
    base = write_documents(documents)
    segments = [Segment.open(base), Segment.open(write_delta(base, added, dead))]
    return search(segments, [(term, q) for term, q in query], k)


def merged_segment(documents: Rows, parts: list[list[int]], left_out: list[int]) -> Rows:
    """A segment of parts, each of which holds the documents of some numbers; every other part is a segment itself.

    Documents that are `left_out` are in their parts, and not in what is written.
    """
    statistics = statistics_of([terms for number, terms in enumerate(documents) if number not in left_out])
    kept = [number for number in range(len(documents)) if number not in left_out]
    new_numbers = {number: place for place, number in enumerate(kept)}
    sources = []
    for place, numbers in enumerate(parts):
        builder = builder_of([documents[number] for number in numbers])
        lists: Builder | Segment = builder
        if place % 2:
            part = SegmentSource(builder, range(len(numbers)))
            lists = Segment.open(write_segment(Header(len(numbers), WORDS), statistics, [part]))
        sources.append(SegmentSource(lists, [new_numbers.get(number) for number in numbers]))
    return dump(write_segment(Header(len(kept), WORDS), statistics, sources, with_norms=True))


def lists_of(lists: Rows) -> list[List]:
    """Posting lists of weights and pairs of number and byte."""
    writer = PostingsWriter()
    made = []
    for weight, postings in lists:
        offset = writer.push([number << 8 | byte for number, byte in postings])
        made.append((weight, (offset, len(postings), max(byte for _, byte in postings))))
    section = memoryview(writer.finish())
    return [List(section, entry, weight) for weight, entry in made]


def best_of(
    lists: Rows,
    documents: int,
    k: int,
    refused: list[int] | None = None,
    kinds: list[int] | None = None,
    bonus: list[int] | None = None,
) -> object:
    """The best k of posting lists; pruned and exhaustive, which must agree."""
    made = lists_of(lists)
    points = Bonus([byte for kind in kinds for byte in (kind, 0)], bonus or []) if kinds is not None else None
    accept = (lambda number: number not in refused) if refused else None
    found = top_k(made, documents, k, points, accept)
    assert found == exhaustive(made, documents, k, points, accept)
    return found


def impact(k1: float, weights: Triple, bs: Triple, averages: Triple, lengths: Rows, counts: Rows) -> int:
    title, tags, body = lengths
    return bm25.impact(bm25.Bm25Settings(k1, weights, bs), averages, (title, tags, body), tuple(counts))


# What is seen through a plain index.
OUTER: dict[str, Callable[..., Any]] = {
    "open_segment": open_segment,
    "plain_explain": plain_explain,
    "plain_scores": plain_scores,
    "plain_search": plain_search,
    "plain_segment": plain_segment,
}

# What only the parts of the engine show: the pure twin here, the native one in `rust/core/tests/vectors.rs`.
INNER: dict[str, Callable[..., Any]] = {
    "best_of": best_of,
    "delta_search": delta_search,
    "delta_segment": delta_segment,
    "idf": bm25.idf,
    "impact": impact,
    "merged_segment": merged_segment,
    "natural_log": bm25.natural_log,
    "weight": bm25.weight,
}
