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
from cuecard._pure.requests.budget import Budget
from cuecard._pure.requests.request import Request
from cuecard.basics.category import FOLDERS
from cuecard.errors import UsageError
from recall_strategies import CONFIGS, NOW, SETTINGS, WORDS, changed_stores, histories, memory, questions
from snapshot_strategies import STORE, STRATEGIES, after, changes_of, filters, paths, synonyms
from snapshots import NO_TIMES, build, positions_of, store_on_disk

if TYPE_CHECKING:
    from types import ModuleType

    from hypothesis.strategies import SearchStrategy

    from cuecard import _pure as pure
    from snapshot_strategies import File, Filters

# The profile `deep` runs many examples, so it needs more time.
pytestmark = pytest.mark.timeout(7200)

NUMBERS = (2.0, (3.0, 4.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
MANY = 1000
# The number of documents whose scores are explained.
ACCOUNTED = 4
# What brings the snapshot up to date: a writer (None), who writes everything again; a command, which adds one delta; or
# prompts, which merge deltas up to a number of bytes.
BUDGETS = [None, Budget(), Budget(merge=0), Budget(merge=4000), Budget(merge=1 << 20)]
DESCRIPTIONS = [("runbook", "deploy and restore"), ("own", "the login of a user")]

# One change of a store: files that are written, paths that are removed, and the budget of the update.
Step = tuple["list[File]", list[str], "Budget | None"]


def in_steps(native: ModuleType, files: list[File], steps: list[Step]) -> pure.Snapshot:
    """The snapshot of a store, updated and written after each step."""
    store = store_on_disk()
    store.fill(files)
    loaded = store.load(native, NUMBERS, None, (None, NO_TIMES, []))
    for changed, removed, budget in steps:
        loaded.write()
        store.change(changed, removed)
        paths = [*[file[1] for file in changed], *removed]
        loaded = store.load(native, NUMBERS, budget, None if budget else (NO_TIMES, NO_TIMES, paths))
    return loaded.snapshot


def at_once(native: ModuleType, files: list[File], steps: list[Step]) -> pure.Snapshot:
    """The snapshot of the files that exist after all steps, built at once."""
    for changed, removed, _budget in steps:
        files = after(files, changed, removed)
    return build(native, files, NUMBERS)


def line_at(snapshot: pure.Snapshot, position: int) -> str:
    """The index line of a document. It identifies the document in both snapshots."""
    document = snapshot.document(position)
    assert document is not None
    return document[0]


def named(snapshot: pure.Snapshot, rows: list[Any]) -> list[Any]:
    """The rows, with index lines in place of positions."""
    return [(line_at(snapshot, position), *rest) for position, *rest in rows]


def contents(snapshot: pure.Snapshot) -> list[Any]:
    """All documents of a snapshot."""
    positions = positions_of(snapshot)
    documents = {path: snapshot.document(position) for path, position in positions.items()}
    return [len(snapshot), snapshot.active_lines, documents]


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
    answers: list[Any] = [named(snapshot, snapshot.recall(asked, setting)) for setting in SETTINGS]
    some = islice(positions_of(snapshot).items(), ACCOUNTED)
    answers.append({path: snapshot.trace(position, asked) for path, position in some})
    return answers


def at_another_time(files: list[File], step: int) -> list[File]:
    """The files with other times, because an update sees by size and time which files have changed."""
    return [(*file[:4], file[4] + 10 * step) for file in files]


@cache
@st.composite
def histories_of_stores(draw: st.DrawFn) -> tuple[list[File], list[Step]]:
    """The files of a store, and the steps in which the store changes."""
    files, changed, removed = draw(changed_stores())
    budgets = st.sampled_from(BUDGETS)
    steps: list[Step] = [(at_another_time(changed, 1), removed, draw(budgets))]
    left = after(files, changed, removed)
    for number in range(draw(st.integers(0, 2))):
        changed, removed = draw(changes_of(left))
        steps.append((at_another_time(changed, number + 2), removed, draw(budgets)))
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
        assert grown.is_anchored(place) == whole.is_anchored(place)


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
    for budget in (chance.choice(BUDGETS), chance.choice(BUDGETS), Budget(merge=0)):
        changed = at_another_time(connected_files(chance, 20), len(steps) + 1)
        written = {file[1] for file in changed}
        removed = [file[1] for file in left if file[1] not in written and chance.random() < 0.1]
        steps.append((changed, removed, budget))
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
