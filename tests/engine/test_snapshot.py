"""The snapshot: equal answers of both backends, and properties of each backend (SPEC 20 to 22)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import ask
from backends import outcome
from cuecard import _pure as pure
from cuecard._pure.engine.documents_file import read_documents, write_documents
from cuecard._pure.engine.snapshot import build_snapshot, update_snapshot
from cuecard._pure.memory.rebuild import rebuild_index
from cuecard._pure.settings.reader import Numbers
from cuecard.basics.category import FOLDERS
from cuecard.basics.light_dataclass import replace
from format_strategies import descriptions, prompts, texts
from oracle_cases import lay_out, read_cases, read_projects
from settings_cases import seen
from snapshot_damage import NUMBERS
from snapshot_strategies import (
    STORE,
    STRATEGIES,
    File,
    Filters,
    after,
    changed_stores,
    filters,
    in_scan_order,
    lexical_configs,
    questions,
    settings,
    stores,
)
from snapshots import build, build_changed, by_path, path_at, position_of

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

# The profile `deep` runs many examples, so it needs more time.
pytestmark = pytest.mark.timeout(7200)

NO_TIMES = [0] * 6
MANY = 1000
PROJECTS = read_projects()
# The recorded cases of each project. Below, only projects are used that have enough files for prompts to find memories.
ASKED: dict[str, list[dict[str, Any]]] = {}
for version in ("v5-0219", "v5-0220"):
    for case in read_cases(f"retrieve.{version}"):
        ASKED.setdefault(case["project"], []).append(case)
PROMPTED = {name for name in ASKED if len(PROJECTS[name].get("files", {})) >= 5}
Change = tuple[list[File], list[File], list[str]]
Question = tuple[str, list[tuple[str, str]], list[list[str]]]


def open_files(engine: ModuleType, files: list[File]) -> pure.Snapshot:
    return build(engine, files, NUMBERS)


def open_change(engine: ModuleType, change: Change) -> pure.Snapshot:
    """A snapshot of files after a change; the native snapshot has a delta."""
    return build_changed(engine, change, NUMBERS, NO_TIMES, [1] * 6)


def lines_of(files: list[File]) -> list[str]:
    """The lines that these files have in a rebuilt index; lines that cannot be parsed are left out."""
    text = rebuild_index([file[:3] for file in in_scan_order(files)])[0]
    lines = [line for line in text.split("\n") if line.startswith("- [")]
    return [line for line in lines if len(line.encode()) <= 8192 and pure.parse_index_line(line)]


def index_of(engine: ModuleType, files: list[File]) -> pure.IndexMd:
    """The rebuilt index of these files."""
    index: pure.IndexMd = engine.IndexMd(rebuild_index([file[:3] for file in in_scan_order(files)])[0].encode())
    return index


def assert_finds_what_a_scan_finds(
    index: pure.IndexMd, snapshot: pure.Snapshot, prompt: str, described: list[tuple[str, str]]
) -> int:
    """Assert that snapshot and index give the same paths, scores, order and score parts.

    Returns the number of hits.
    """
    count = 0
    for strategy, revision in (("keyword", "current"), ("keyword_classic", "classic")):
        shortlist = index.shortlist(prompt, revision, described)
        asked = ask(snapshot, prompt, MANY, descriptions=described)
        hits = snapshot.search(asked, strategy)
        assert [(path_at(snapshot, position), score) for position, score in hits] == [
            (index.entries[position].path, score) for position, score in shortlist
        ]
        for (position, _), (scanned, _) in list(zip(hits, shortlist, strict=True))[:5]:
            parts = snapshot.explain(position, asked, strategy)
            assert parts == index.explain(scanned, prompt, revision, described)
        count += len(hits)
    return count


# The file of the pure backend


@given(stores(), settings())
def test_documents_come_back_from_their_file(files: list[File], numbers: Numbers) -> None:
    data = write_documents(build_snapshot(files, [1, -1, 0, 2**62, 5, -2], numbers)[0])
    assert write_documents(build_snapshot(files[::-1], [1, -1, 0, 2**62, 5, -2], numbers)[0]) == data
    assert write_documents(read_documents(data)) == data


@given(changed_stores())
def test_an_update_leaves_what_is_read_anew(change: Change) -> None:
    files, changed, removed = change
    updated = update_snapshot(open_files(pure, files), changed, removed, [3] * 6)[0]
    assert write_documents(updated) == write_documents(build(pure, after(*change), NUMBERS, [3] * 6))


# What is in it


@given(stores())
def test_the_active_lines_are_those_of_a_rebuilt_index(reference: ModuleType, files: list[File]) -> None:
    assert open_files(reference, files).active_lines == lines_of(files)


@given(changed_stores())
def test_a_changed_snapshot_holds_what_a_whole_one_holds(reference: ModuleType, change: Change) -> None:
    snapshot, whole = open_change(reference, change), open_files(reference, after(*change))
    assert snapshot.watermark() == [1] * 6
    assert len(snapshot) == len(whole)
    assert snapshot.active_lines == whole.active_lines
    for folder in ("decisions", "runbooks", "tech-debt", ""):
        assert snapshot.files(folder) == whole.files(folder)
    for path in change[2]:
        assert snapshot.find(path) is None


@given(changed_stores())
def test_both_backends_hold_the_same(native: ModuleType, change: Change) -> None:
    files, _changed, removed = change
    for made in (change, (files, [], [])):
        ours, theirs = open_change(native, made), open_change(pure, made)
        assert len(ours) == len(theirs)
        assert ours.active_lines == theirs.active_lines
        for path in {file[1] for file in files} | set(removed):
            places = [position_of(each, path) for each in (ours, theirs)]
            assert outcome(ours.document, places[0]) == outcome(theirs.document, places[1])
        for position in (-1, len(files) + len(change[1]) + 1):
            assert ours.document(position) is None
            assert theirs.document(position) is None


@given(stores())
def test_every_document_is_found_by_its_path(files: list[File]) -> None:
    snapshot, skipped = build_snapshot(files, NO_TIMES, NUMBERS)
    unfit = {path for path, _reason in skipped}
    found = {}
    for _category, path, content, size, modified in files:
        position = snapshot.find(path)
        if position is None:
            # A file that is not found is listed as unfit, or its content has a `record_status`.
            assert path in unfit or (content is not None and b"record_status" in content)
            continue
        assert path not in unfit
        document = snapshot.document(position)
        assert document is not None
        assert document[4:] == (size, modified)
        assert path_at(snapshot, position) == path
        found[path] = (path, size, modified)
    assert len(snapshot) == len(found)
    folders = {path.split("/")[2] for path in found}
    assert [file for folder in sorted(folders) for file in snapshot.files(folder)] == [
        found[path] for path in sorted(found)
    ]


# Searching


@given(stores(), prompts(), descriptions())
def test_the_keyword_retriever_finds_what_a_scan_of_the_index_finds(
    reference: ModuleType, files: list[File], prompt: str, described: list[tuple[str, str]]
) -> None:
    assert_finds_what_a_scan_finds(index_of(reference, files), open_files(reference, files), prompt, described)


@given(changed_stores(), prompts(), descriptions())
def test_after_a_change_it_finds_what_a_scan_finds(
    reference: ModuleType, change: Change, prompt: str, described: list[tuple[str, str]]
) -> None:
    index = index_of(reference, after(*change))
    assert_finds_what_a_scan_finds(index, open_change(reference, change), prompt, described)


@pytest.mark.parametrize("name", sorted(ASKED))
def test_the_dictionary_finds_what_a_scan_finds_in_the_recorded_projects(
    native: ModuleType, name: str, tmp_path: Path
) -> None:
    lay_out(tmp_path, PROJECTS[name], None)
    files: list[File] = []
    for path in sorted((tmp_path / STORE).glob("[!.]*/*.json")):
        data = path.read_bytes()
        category = dict(FOLDERS).get(path.parent.name)
        if category:
            files.append((category, path.relative_to(tmp_path).as_posix(), data, len(data), 0))
    snapshot = open_files(native, files)
    asked = {}
    for case in ASKED[name]:
        fed, config = case["stdin"], json.dumps(case.get("config")).encode()
        prompt = fed.get("user_prompt", fed.get("prompt")) if isinstance(fed, dict) else fed
        if isinstance(prompt, str):
            asked[prompt, config] = native.read_settings(config, None).descriptions
    assert asked or name not in PROMPTED
    count, index = 0, index_of(native, files)
    for (prompt, _config), described in asked.items():
        count += assert_finds_what_a_scan_finds(index, snapshot, prompt, [])
        count += assert_finds_what_a_scan_finds(index, snapshot, prompt, described)
    assert count or name not in PROMPTED


@given(changed_stores(), questions(), st.sampled_from(STRATEGIES), filters(), st.integers(0, 5))
def test_both_backends_find_the_same(
    native: ModuleType, change: Change, question: Question, strategy: str, narrowed: Filters, k: int
) -> None:
    prompt, described, synonyms = question
    for made in (change, (change[0], [], [])):
        ours, theirs = open_change(native, made), open_change(pure, made)
        for limit in (k, MANY):
            asked = [
                ask(snapshot, prompt, limit, descriptions=described, synonyms=synonyms, filters=narrowed)
                for snapshot in (ours, theirs)
            ]
            found = ours.search(asked[0], strategy), theirs.search(asked[1], strategy)
            assert by_path(ours, found[0]) == by_path(theirs, found[1])
        asked = [replace(request, filters=None) for request in asked]
        hits = ours.search(asked[0], strategy), theirs.search(asked[1], strategy)
        assert by_path(ours, hits[0]) == by_path(theirs, hits[1])
        for path in {file[1] for file in change[0] + change[1]}:
            explained = outcome(ours.explain, position_of(ours, path), asked[0], strategy)
            assert explained == outcome(theirs.explain, position_of(theirs, path), asked[1], strategy)


@given(changed_stores(), questions(), st.sampled_from(STRATEGIES), st.integers(0, 4))
def test_the_parts_of_a_score_sum_to_it_and_a_longer_limit_changes_no_hit(
    reference: ModuleType, change: Change, question: Question, strategy: str, k: int
) -> None:
    prompt, described, synonyms = question
    snapshot = open_change(reference, change)
    asked = ask(snapshot, prompt, MANY, descriptions=described, synonyms=synonyms)
    hits = snapshot.search(asked, strategy)
    assert snapshot.search(replace(asked, k=k), strategy) == hits[:k]
    assert len({position for position, _score in hits}) == len(hits)
    for position, score in hits:
        parts = snapshot.explain(position, asked, strategy)
        assert sum(points for *_, points in parts) == score > 0


@given(stores(), questions(), st.sampled_from(STRATEGIES[:4]), filters())
def test_filters_only_remove(
    reference: ModuleType, files: list[File], question: Question, strategy: str, narrowed: Filters
) -> None:
    prompt, described, synonyms = question
    snapshot = open_files(reference, files)
    asked = ask(snapshot, prompt, MANY, descriptions=described, synonyms=synonyms)
    everything = snapshot.search(replace(asked, filters=([], [], [], None, None, "")), strategy)
    categories, tags, statuses, since, until, beginning = narrowed
    expected = []
    for position, score in everything:
        document = snapshot.document(position)
        assert document is not None
        line, status, updated_at = document[:3]
        parts = pure.parse_index_line(line)
        assert parts is not None
        category, _title, path, own = parts
        if (
            (not categories or category in [name.upper() for name in categories])
            and set(tags) <= set(own)
            and (not statuses or status in statuses)
            and (since is None or (updated_at is not None and updated_at >= since))
            and (until is None or (updated_at is not None and updated_at <= until))
            and path.removeprefix(STORE).startswith(beginning)
        ):
            expected.append((position, score))
    assert snapshot.search(replace(asked, filters=narrowed), strategy) == expected


@given(
    stores(most=3),
    texts(),
    texts(),
    st.one_of(st.integers(-3, 5), st.sampled_from([2**31, 2**32, 2**63 - 1, -(2**63)])),
)
def test_what_is_asked_wrongly_is_answered_alike(
    native: ModuleType, files: list[File], name: str, status: str, position: int
) -> None:
    refused: Any = ([], [], [status], None, None, "")

    def answers(snapshot: Any) -> list[str]:  # noqa: ANN401 - of either backend
        asked = ask(snapshot, "docker", 5)
        return [
            outcome(snapshot.search, asked, name),
            outcome(snapshot.search, replace(asked, filters=refused), "keyword"),
            outcome(snapshot.explain, position, asked, name),
            outcome(snapshot.explain, position, asked, "bm25"),
            outcome(snapshot.document, position),
            outcome(snapshot.find, name),
        ]

    assert answers(open_files(native, files)) == answers(open_files(pure, files))


@given(lexical_configs())
def test_lexical_settings_are_read_alike(native: ModuleType, data: bytes) -> None:
    assert repr(seen(native, native.read_settings(data, None))) == repr(seen(native, pure.read_settings(data, None)))


def test_many_categories_are_told_apart(engine: ModuleType) -> None:
    names = [f"own_{first}{second}" for first in "abcdefghijklmno" for second in "abcdefghijklmnopqrst"]
    files: list[File] = [
        ("own", f"{STORE}decisions/{name}.json", json.dumps({"title": "auth", "category": name}).encode(), 0, 0)
        for name in names
    ]
    described: list[Any] = [("own_ac", "auth notes"), ("own_ot", "auth notes")]
    snapshot = open_files(engine, files)
    # For `hybrid`, `explain` finds no documents beyond the candidate pool of a usual search.
    asked = ask(snapshot, "auth notes", MANY, descriptions=described)
    for strategy in STRATEGIES[:5]:
        hits = snapshot.search(asked, strategy)
        # The word `notes` is in no memory; it lowers the cosine of the prompt with all memories.
        assert len(hits) == 300 if strategy not in ("tfidf", "vectors") else len(hits) >= 100 or strategy == "vectors"
        for position, score in hits:
            assert sum(part[3] for part in snapshot.explain(position, asked, strategy)) == score
    assert_finds_what_a_scan_finds(index_of(engine, files), snapshot, "auth notes", described)
    reference = open_files(pure, files)
    for strategy in STRATEGIES:
        theirs = ask(reference, "auth notes", MANY, descriptions=described)
        assert snapshot.search(asked, strategy) == reference.search(theirs, strategy)
