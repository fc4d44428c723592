"""A snapshot's answers depend only on the present documents, not on the history of the snapshot (SPEC 22.4, 25.1)."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import islice
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import ask
from cuecard._pure.requests.request import Request
from cuecard.basics.category import FOLDERS
from cuecard.errors import UsageError
from recall_strategies import CONFIGS, NOW, SETTINGS, WORDS, changed_stores, histories, memory, questions
from snapshot_strategies import STORE, STRATEGIES, after, changes_of, filters, paths, synonyms
from snapshots import NO_TIMES, build

if TYPE_CHECKING:
    from types import ModuleType

    from hypothesis.strategies import SearchStrategy

    from cuecard import _pure as pure
    from snapshot_strategies import File, Filters

# The profile `deep` runs many examples, so it needs more time.
pytestmark = pytest.mark.timeout(7200)

NUMBERS = (2.0, (3.0, 4.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
PARTIAL_TIMES = [-2] * 6
MANY = 1000
# The number of documents whose scores are explained.
ACCOUNTED = 4
# How much an update may write again: everything, as a writer does; one delta; or deltas that are merged, up to a number
# of bytes.
EXTENTS: list[tuple[bool, int | None]] = [(True, None), (False, None), (False, 0), (False, 4000), (False, 1 << 20)]
DESCRIPTIONS = [("runbook", "deploy and restore"), ("own", "the login of a user")]

# One change of a store: files that are written, paths that are removed, how the snapshot is updated, and folder times.
Step = tuple["list[File]", list[str], tuple[bool, int | None], list[int]]


def in_steps(native: ModuleType, files: list[File], steps: list[Step]) -> pure.Snapshot:
    """The snapshot of a store, updated after each step."""
    base, deltas = native.build_snapshot(files, NO_TIMES, NUMBERS)[0], b""
    for changed, removed, extent, times in steps:
        updated = native.update_snapshot(native.Snapshot(base, deltas), changed, removed, times, *extent)
        base, deltas = updated[0] or base, updated[1]
    snapshot: pure.Snapshot = native.Snapshot(base, deltas)
    return snapshot


def at_once(native: ModuleType, files: list[File], steps: list[Step]) -> pure.Snapshot:
    """The snapshot of the files that exist after all steps, built at once."""
    for changed, removed, _extent, _times in steps:
        files = after(files, changed, removed)
    snapshot: pure.Snapshot = native.Snapshot(native.build_snapshot(files, NO_TIMES, NUMBERS)[0])
    return snapshot


def line_at(snapshot: pure.Snapshot, position: int) -> str:
    """The index line of a document. It identifies the document in both snapshots."""
    document = snapshot.document(position)
    assert document is not None
    return document[0]


def positions_of(snapshot: pure.Snapshot) -> dict[str, int]:
    """The position of each document, by path."""
    found = {path: snapshot.find(path) for folder, _category in FOLDERS for path, *_stamp in snapshot.files(folder)}
    return {path: position for path, position in found.items() if position is not None}


def named(snapshot: pure.Snapshot, rows: list[Any]) -> list[Any]:
    """The rows, with index lines in place of positions."""
    return [(line_at(snapshot, position), *rest) for position, *rest in rows]


def contents(snapshot: pure.Snapshot) -> list[Any]:
    """All documents of a snapshot, each with the document that supersedes it."""
    positions = positions_of(snapshot)
    documents = {path: snapshot.document(position) for path, position in positions.items()}
    successors = {path: line_at(snapshot, snapshot.successor(position)) for path, position in positions.items()}
    return [len(snapshot), snapshot.active_lines(), documents, successors]


def searched(snapshot: pure.Snapshot, prompt: str, k: int, **fields: Any) -> list[Any]:  # noqa: ANN401 - of a request
    """The search results of every strategy, and its explanations for some documents."""
    answers: list[Any] = []
    for strategy in STRATEGIES:
        asked = ask(snapshot, prompt, k, **fields)
        answers.append((strategy, named(snapshot, snapshot.search(asked, strategy))))
        some = islice(positions_of(snapshot).items(), ACCOUNTED)
        answers.append({path: snapshot.explain(position, asked, strategy) for path, position in some})
    return answers


def recalled(snapshot: pure.Snapshot, asked: Request) -> list[Any]:
    """The results of the gate for a prompt, and the traces of some documents."""
    is_courtesy, judged = snapshot.judge(asked)
    answers: list[Any] = [is_courtesy, named(snapshot, judged)]
    answers += [named(snapshot, snapshot.recall(asked, setting)) for setting in SETTINGS]
    some = islice(positions_of(snapshot).items(), ACCOUNTED)
    answers.append({path: snapshot.trace(position, asked) for path, position in some})
    return answers


@cache
@st.composite
def histories_of_stores(draw: st.DrawFn) -> tuple[list[File], list[Step]]:
    """The files of a store, and the steps in which the store changes."""
    files, changed, removed = draw(changed_stores())
    extents, times = st.sampled_from(EXTENTS), st.sampled_from([NO_TIMES, NO_TIMES, PARTIAL_TIMES])
    steps: list[Step] = [(changed, removed, draw(extents), draw(times))]
    left = after(files, changed, removed)
    for _ in range(draw(st.integers(0, 2))):
        changed, removed = draw(changes_of(left))
        steps.append((changed, removed, draw(extents), draw(times)))
        left = after(left, changed, removed)
    return files, steps


def filters_or_none() -> SearchStrategy[Filters | None]:
    return st.one_of(st.none(), filters())


@given(histories_of_stores(), questions(), synonyms(), filters_or_none(), st.sampled_from([1, 3, 12, MANY]))
def test_a_search_answers_as_if_the_store_were_built_at_once(
    native: ModuleType,
    history: tuple[list[File], list[Step]],
    prompt: str,
    groups: list[list[str]],
    narrowed: Filters | None,
    k: int,
) -> None:
    grown, whole = in_steps(native, *history), at_once(native, *history)
    assert contents(grown) == contents(whole)
    fields = {"descriptions": DESCRIPTIONS, "synonyms": groups}
    try:
        expected = searched(whole, prompt, k, **fields, filters=narrowed)
    except UsageError:
        return
    assert searched(grown, prompt, k, **fields, filters=narrowed) == expected


@given(histories_of_stores(), questions(), histories(), CONFIGS, st.lists(paths(), max_size=3), st.data())
def test_the_gate_answers_as_if_the_store_were_built_at_once(
    native: ModuleType,
    history: tuple[list[File], list[Step]],
    prompt: str,
    before: list[str],
    config: bytes,
    places: list[str],
    data: st.DataObject,
) -> None:
    grown, whole = in_steps(native, *history), at_once(native, *history)
    cosines = {path: data.draw(st.integers(-500, 4000)) for path in sorted(positions_of(whole)) if len(path) % 2}
    answers = []
    for snapshot in (grown, whole):
        positions = positions_of(snapshot)
        asked = Request(
            prompt,
            8,
            native.read_settings(config, None),
            DESCRIPTIONS,
            [],
            before,
            NOW,
            situation=(places, places[:1], ["tag:deploy", *places[1:]]),
            embedded=[(positions[path], cosine) for path, cosine in cosines.items()] or None,
        )
        answers.append(recalled(snapshot, asked))
    assert answers[0] == answers[1]
    for place in places:
        for find in ("anchored", "anchored_name", "anchored_below"):
            found = [[line_at(each, at) for at in getattr(each, find)(place)] for each in (grown, whole)]
            assert found[0] == found[1]


def test_a_category_is_described_however_many_there_are(engine: ModuleType) -> None:
    names = [f"{first}_{second}" for first in ascii_lowercase for second in ascii_lowercase][:300]

    def file(name: str) -> File:
        data = json.dumps({"title": "auth log", "category": name}).encode()
        return "decision", f"{STORE}decisions/{name}.json", data, len(data), 1

    answers = []
    for files in ([file(names[-1])], [file(name) for name in names]):
        snapshot = build(engine, files, NUMBERS)
        asked = ask(snapshot, "auth", 1, descriptions=[(names[-1], "what auth is")])
        ((position, score),) = snapshot.search(asked, "bm25")
        parts = snapshot.explain(position, asked, "bm25")
        assert sum(points for *_part, points in parts) == score
        answers.append((line_at(snapshot, position), [kind for kind, *_part in parts]))
    assert answers[0] == answers[1]
    assert answers[0][1] == ["title", "description"]


def connected_files(chance: random.Random, count: int) -> list[File]:
    """Memories whose titles have words of one subject each, so that the concept graph connects these words."""
    files: dict[str, File] = {}
    for _ in range(count):
        folder, category = chance.choice(FOLDERS)
        subject = 4 * chance.randrange(12)
        words = chance.sample(WORDS[subject : subject + 4], 3) + chance.choices(WORDS, k=9)
        data = memory(words, (3, 1, 8), chance.choice(["", "", "", "retired"]), None)
        path = f"{STORE}{folder}/{chance.randrange(20)}.json"
        files[path] = (category, path, data, len(data), 1)
    return list(files.values())


@pytest.mark.parametrize("seed", range(4))
def test_the_concept_graph_is_that_of_the_documents_that_live(native: ModuleType, seed: int) -> None:
    chance = random.Random(seed)
    files = connected_files(chance, 90)
    steps: list[Step] = []
    left = files
    for extent in (chance.choice(EXTENTS), chance.choice(EXTENTS), (False, 0)):
        changed = connected_files(chance, 20)
        written = {file[1] for file in changed}
        removed = [file[1] for file in left if file[1] not in written and chance.random() < 0.1]
        steps.append((changed, removed, extent, NO_TIMES))
        left = after(left, changed, removed)
    grown, whole = in_steps(native, files, steps), at_once(native, files, steps)
    settings = native.read_settings(json.dumps({"retrieval": {"graph": True}}).encode(), None)
    reached = 0
    for _ in range(4):
        asked = Request(" ".join(chance.sample(WORDS[:48], 2)), 8, settings, now=NOW)
        expected = recalled(whole, asked)
        assert recalled(grown, asked) == expected
        terms = next(iter(expected[-1].values()))[1]
        reached += sum(not word for _term, _weight, word in terms)
    assert reached
