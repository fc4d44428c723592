"""The plain index in Python, with both backends: its answers, its errors, and the files that it writes."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuecard
from backends import outcome
from cuecard import _pure as pure
from cuecard.errors import SegmentError, StoreError, UsageError, WriteError

if TYPE_CHECKING:
    from types import ModuleType

    from cuecard import Index

Documents = list[Any]

TEXTS = ["The quick brown fox", "A lazy dog", "fox fox dog: FOX!"]
WORDS = [
    "red",
    "fish",
    "blue",
    "sea",
    "Whale",
    "naïve",
    "日本語",
    "getUserName",
    "HTTP_500",
    "configure",
    "configuring",
]


def texts() -> st.SearchStrategy[str]:
    """Texts made of a few words, and arbitrary texts."""
    return st.one_of(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.text(max_size=12))


def documents() -> st.SearchStrategy[object]:
    """Documents in every form that an index accepts."""
    fields = st.dictionaries(st.sampled_from(["title", "tags", "body", "id"]), texts(), min_size=1)
    return st.one_of(
        texts(), st.lists(texts(), max_size=4), st.tuples(texts()), fields.filter(lambda found: set(found) != {"id"})
    )


COLLECTIONS = st.lists(documents(), max_size=9)
QUERIES = st.one_of(texts(), st.lists(st.one_of(st.sampled_from(WORDS), texts()), max_size=5))
ANALYZERS = st.sampled_from(["words", "terms"])


def build(engine: ModuleType, given: object = TEXTS, **settings: object) -> Index:
    index: Index = engine.Index.build(given, **{"analyzer": "words", **settings})
    return index


def files(index: Index, path: Path) -> dict[str, bytes]:
    """The content of the files that `save` writes into an empty folder."""
    index.save(path, fsync=False)
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


# What it answers


def test_it_is_exported_and_finds_what_it_was_given() -> None:
    index = cuecard.Index.build(TEXTS, analyzer="words")
    assert [number for number, _ in index.search("fox dog")] == [2, 1, 0]


def test_a_search_that_finds_nothing_is_empty(engine: ModuleType) -> None:
    index = build(engine)
    assert index.search("cat") == []
    assert index.search("") == []
    assert index.search([]) == []
    assert index.search("fox", 0) == []
    assert build(engine, []).search("fox") == []
    assert build(engine, []).scores("fox") == []


def test_it_says_how_large_it_is_and_what_makes_its_terms(engine: ModuleType) -> None:
    index = build(engine)
    assert len(index) == 3
    assert index.analyzer == "words"
    assert build(engine, [], analyzer="terms").analyzer == "terms"
    index.add(["one", "two"])
    assert len(index) == 5


def test_documents_may_come_from_any_iterable(engine: ModuleType) -> None:
    assert build(engine, iter(TEXTS)).scores("fox") == build(engine, tuple(TEXTS)).scores("fox")
    fields: Documents = [{"title": "Fox", "id": 3}, {"tags": "fox"}, {"body": "fox", "title": ""}]
    title, tags, body = build(engine, fields).scores("fox")
    assert tags >= title > body > 0


def test_lone_surrogates_become_replacement_characters(engine: ModuleType) -> None:
    index = build(engine, [["a\ud800b"], ["c"]])
    assert index.search(["a\ud800b"]) == index.search(["a\ufffdb"]) != []


@given(ANALYZERS, COLLECTIONS, COLLECTIONS, QUERIES)
def test_answers_agree_with_each_other(
    reference: ModuleType, analyzer: str, first: Documents, added: Documents, query: str | list[str]
) -> None:
    index = build(reference, first, analyzer=analyzer)
    index.add(added)
    scores = index.scores(query)
    assert len(scores) == len(index) == len(first) + len(added)
    hits = index.search(query, len(scores))
    assert hits == sorted(
        [(number, score) for number, score in enumerate(scores) if score], key=lambda hit: (-hit[1], hit[0])
    )
    for k in range(len(hits) + 1):
        assert index.search(query, k) == hits[:k]
    for number, score in enumerate(scores):
        assert sum(weight * impact for _, weight, impact in index.explain(query, number)) == score
    assert index.search_many([query, "fish", query], 3, threads=2) == [hits[:3], index.search("fish", 3), hits[:3]]


@given(COLLECTIONS, st.lists(COLLECTIONS, max_size=3), QUERIES)
def test_it_does_not_matter_how_documents_are_added(
    engine: ModuleType, first: Documents, batches: list[Documents], query: str | list[str]
) -> None:
    at_once, step_by_step = build(engine, [*first, "red"]), build(engine, [*first, "red"])
    at_once.add([document for batch in batches for document in batch])
    for batch in batches:
        step_by_step.add(batch)
        step_by_step.search(query)
    assert step_by_step.scores(query) == at_once.scores(query)


def test_many_added_documents_become_part_of_the_base(native: ModuleType, tmp_path: Path) -> None:
    index = build(native)
    index.add(["red fox"] * 256)
    before = index.search("fox lazy", 300)
    assert set(files(index, tmp_path / "index")) == {"index", "index.delta"}
    index.add(["blue"])
    assert set(files(index, tmp_path / "index")) == {"index"}
    assert [number for number, _ in index.search("fox lazy", 300)] == [number for number, _ in before]
    assert len(native.Index.open(tmp_path / "index")) == 3 + 257


# Files


@given(ANALYZERS, COLLECTIONS, COLLECTIONS, QUERIES)
def test_what_was_saved_is_opened_again(
    engine: ModuleType,
    tmp_path_factory: pytest.TempPathFactory,
    analyzer: str,
    first: Documents,
    added: Documents,
    query: str | list[str],
) -> None:
    path = tmp_path_factory.mktemp("saved") / "index"
    index = build(engine, first, analyzer=analyzer)
    index.add(added)
    index.save(path, fsync=False)
    opened = engine.Index.open(path)
    assert opened.analyzer == analyzer
    assert opened.scores(query) == index.scores(query)
    again = path.with_name("again")
    opened.save(again, fsync=False)
    for suffix in ("", ".delta"):
        old, new = Path(f"{path}{suffix}"), Path(f"{again}{suffix}")
        assert old.exists() == new.exists()
        assert not old.exists() or old.read_bytes() == new.read_bytes()


def test_saving_where_it_was_opened_writes_only_what_was_added(native: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(native).save(path)
    index = native.Index.open(str(path))
    before = path.stat()
    index.add(["a new fox"])
    index.save()
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["index", "index.delta"]
    assert native.Index.open(path).search("new") == index.search("new") != []


def test_a_new_index_at_a_path_leaves_no_delta_of_the_old_one(engine: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "index"
    old = build(engine)
    old.add(["an old fox"])
    old.save(path)
    reader = engine.Index.open(path)
    build(engine, ["other"]).save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["index"]
    assert len(engine.Index.open(path)) == 1
    # A reader that opened the file before it was replaced still gets the old answers.
    assert reader.search("old") == old.search("old") != []


def test_a_delta_of_another_base_is_ignored(native: ModuleType, tmp_path: Path) -> None:
    one, other = build(native), build(native, ["something else"])
    one.add(["more"])
    one.save(tmp_path / "one")
    other.save(tmp_path / "other")
    os.replace(tmp_path / "one.delta", tmp_path / "other.delta")  # noqa: PTH105 - as writers do
    assert len(native.Index.open(tmp_path / "other")) == 1


def test_no_single_flipped_byte_of_a_file_fails_otherwise(engine: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "index"
    build(engine, [["red", "fish"], ["blue"]]).save(path, fsync=False)
    whole = path.read_bytes()
    refused = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            index = engine.Index.open(path)
        except SegmentError:
            refused += 1
            continue
        for query in ("red", ["blue", "fish"], "unknown"):
            index.search(query)
            index.scores(query)
            index.explain(query, 1)
    assert refused >= 64 + 24 * 3 + 4


# What it refuses

MIXED: list[Any] = ["ok", ["a", "b"], {"body": "c"}]
REFUSED: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("build", ("one text",), {}, "the documents are a single text, not a list"),
    ("build", (7,), {}, "the documents are int, not a list"),
    ("build", ({"title": "one"},), {}, "the documents are dict, not a list"),
    ("build", ([*MIXED, 7],), {}, "document 3 is int, not a text, a list of terms or a dict"),
    ("build", ([*MIXED, None],), {}, "document 3 is NoneType, not a text, a list of terms or a dict"),
    ("build", ([["a", b"b"]],), {}, "document 0 has bytes among its terms"),
    ("build", ([{"id": "x"}],), {}, "document 0 has no `title`, `tags` or `body`"),
    ("build", ([{"tags": ["x"]}],), {}, "`tags` of document 0 is list, not a text"),
    ("build", ([],), {"analyzer": "stem\ud800"}, "unknown analyzer `stem\ufffd`"),
    ("build", ([],), {"k1": -0.5}, "`k1` is out of bounds"),
    ("build", ([],), {"k1": float("nan")}, "`k1` is out of bounds"),
    ("build", ([],), {"b": 1.5}, "`b` is out of bounds"),
    ("build", ([],), {"threads": -1}, "`threads` is below 0"),
    ("add", ([*MIXED, 7],), {}, "document 3 is int, not a text, a list of terms or a dict"),
    ("search", (7,), {}, "the query is int, not a text or a list of terms"),
    ("search", (["a", 7],), {}, "the query has int among its terms"),
    ("search", ("a", -1), {}, "`k` is below 0"),
    ("scores", (None,), {}, "the query is NoneType, not a text or a list of terms"),
    ("explain", (b"a", 0), {}, "the query is bytes, not a text or a list of terms"),
    ("search_many", ("one text",), {}, "the queries are a single text, not a list"),
    ("search_many", (7,), {}, "the queries are int, not a list"),
    ("search_many", (["a", 7],), {}, "the query is int, not a text or a list of terms"),
    ("search_many", (["a"], -1), {}, "`k` is below 0"),
    ("search_many", (["a"],), {"threads": -1}, "`threads` is below 0"),
    ("save", (), {}, "the index has no path yet"),
]
REFUSED_IDS = [f"{place}-{row[0]}: {row[3]}" for place, row in enumerate(REFUSED)]


@pytest.mark.parametrize(("method", "arguments", "settings", "what"), REFUSED, ids=REFUSED_IDS)
def test_a_wrong_argument_is_named(
    engine: ModuleType, method: str, arguments: tuple[object, ...], settings: dict[str, object], what: str
) -> None:
    index = build(engine)
    with pytest.raises(UsageError) as raised:
        getattr(index, method)(*arguments, **settings)
    assert raised.value.what == what
    assert raised.value.hint
    assert len(index) == 3


@pytest.mark.parametrize(("method", "arguments", "settings", "what"), REFUSED, ids=REFUSED_IDS)
def test_both_backends_name_it_alike(
    native: ModuleType, method: str, arguments: tuple[object, ...], settings: dict[str, object], what: str
) -> None:
    def call(engine: ModuleType) -> object:
        return getattr(build(engine), method)(*arguments, **settings)

    assert outcome(call, native) == outcome(call, pure)
    assert what in outcome(call, pure)


@pytest.mark.parametrize("number", [-1, 3, 2**31])
def test_a_number_of_no_document_is_no_index(engine: ModuleType, number: int) -> None:
    with pytest.raises(IndexError, match="document number out of range"):
        build(engine).explain("fox", number)


def test_an_index_is_built_or_opened_not_called(engine: ModuleType) -> None:
    with pytest.raises(TypeError, match=r"cannot create 'cuecard\.Index' instances"):
        engine.Index()


def test_a_path_without_an_index_is_named(engine: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "none"
    with pytest.raises(StoreError) as raised:
        engine.Index.open(path)
    assert (raised.value.what, raised.value.hint) == (f"there is no index at `{path}`", "save an index there first")
    path.write_text("something else", "utf-8")
    with pytest.raises(SegmentError) as refused:
        engine.Index.open(path)
    assert refused.value.what == "the file is not a cuecard index"


def test_a_folder_is_no_index(engine: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as raised:
        engine.Index.open(tmp_path)
    assert raised.value.what == f"`{tmp_path}` cannot be read: it is not a regular file"


def test_what_cannot_be_written_is_named_and_leaves_nothing_behind(engine: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "missing" / "index"
    with pytest.raises(WriteError) as raised:
        build(engine).save(path)
    assert raised.value.what == f"`{path}` cannot be written: No such file or directory"
    with pytest.raises(WriteError):
        build(engine).save(tmp_path)
    assert list(tmp_path.iterdir()) == []


# Backends


def test_each_backend_refuses_the_files_of_the_other(native: ModuleType, tmp_path: Path) -> None:
    for writer, reader in ((native, pure), (pure, native)):
        build(writer).save(tmp_path / "index")
        with pytest.raises(SegmentError) as raised:
            reader.Index.open(tmp_path / "index")
        assert raised.value.what == "the file is not a cuecard index"


@given(ANALYZERS, COLLECTIONS, COLLECTIONS, QUERIES)
def test_both_come_back_from_their_files_alike(
    native: ModuleType,
    tmp_path_factory: pytest.TempPathFactory,
    analyzer: str,
    first: Documents,
    added: Documents,
    query: str | list[str],
) -> None:
    scores = []
    for engine in (native, pure):
        index = build(engine, first, analyzer=analyzer, threads=2)
        index.add(added)
        path = tmp_path_factory.mktemp("twin") / "index"
        index.save(path, fsync=False)
        scores.append(engine.Index.open(path).scores(query))
    assert scores[0] == scores[1]


@given(ANALYZERS, COLLECTIONS, COLLECTIONS, QUERIES, st.integers(0, 5))
def test_both_backends_answer_alike(
    native: ModuleType, analyzer: str, first: Documents, added: Documents, query: str | list[str], k: int
) -> None:
    indexes = [build(engine, first, analyzer=analyzer) for engine in (native, pure)]
    for index in indexes:
        index.add(added)
    one, other = indexes
    assert one.search(query, k) == other.search(query, k)
    assert one.scores(query) == other.scores(query)
    assert [one.explain(query, n) for n in range(len(one))] == [other.explain(query, n) for n in range(len(one))]


# Threads


def test_threads_share_an_index(engine: ModuleType) -> None:
    index = build(engine, ["fox"] * 50)
    problems: list[object] = []
    rounds = 40

    def search() -> None:
        seen = 0
        for _ in range(rounds * 3):
            found = len(index.search("fox", 1_000))
            # Documents are added three at a time. A search finds all three or none of them.
            if found < seen or (found - 50) % 3:
                problems.append((seen, found))
            seen = found

    def add() -> None:
        for _ in range(rounds):
            index.add(["fox", "red fox", "blue fox"])

    threads = [threading.Thread(target=target) for target in (search, add, search, add)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len(index) == 50 + 2 * rounds * 3
    assert len(index.search("fox", 1_000)) == len(index)
