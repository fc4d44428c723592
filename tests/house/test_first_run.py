"""The first prompts in a store that is too large for one prompt: each prompt reads some of the files."""

import json
from pathlib import Path
from types import ModuleType

import pytest

from asking import ask
from built_snapshot import (
    built_anew,
    documents_of,
    files_of,
    inspected,
    is_pure,
    on_disk,
    watermark_of,
)
from cuecard import Store, search
from cuecard import _pure as pure
from cuecard._backend import read_effective_settings
from cuecard._pure.engine import snapshot_upkeep
from cuecard._pure.engine.snapshot_upkeep import Loaded
from cuecard._pure.requests import budget as budgets
from cuecard._pure.requests.budget import NO_LIMIT, Budget
from cuecard.store.derived import upkeep
from cuecard.store.derived.health import inspect
from cuecard.store.derived.reindex import reindex
from killed_process import needs_fork, run_killed
from records import draft, let_time_pass, path_in, put, stored
from snapshots import positions_of
from twin_choice import use_engine

PROMPTS = ("the lantern by the harbour", "memory number 7", "certificates of the gateway", "nothing of all this")
COUNT = 40
# A budget for about four memories of the size that `fill` writes.
TINY = 4000

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture(autouse=True)
def each_backend(engine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store work with each backend in turn."""
    use_engine(monkeypatch, engine)


def fill(store: Store, count: int = COUNT) -> None:
    """Write `count` memories of the same length into two folders; all files get an old time."""
    for number in range(count):
        category = ("decision", "runbook")[number % 2]
        content = f"memory number {number % 10} of the lantern by the harbour, certificates " * 5
        put(store, stored(f"m{number:04}", category, title=f"Thing {number:04}", content=content))
    let_time_pass(store)


def load(store: Store, budget: Budget) -> Loaded:
    # `engine` is the backend that the fixture has set.
    loaded: Loaded | None = vars(upkeep)["engine"].load_snapshot(
        store.root, read_effective_settings(store.memory_dir).settings.numbers, budget
    )
    assert loaded is not None
    return loaded


def prompt(store: Store, budget: Budget) -> Loaded:
    """Load the snapshot within a budget and write it to disk, as a prompt does."""
    loaded = load(store, budget)
    loaded.write()
    return loaded


def answers(snapshot: pure.Snapshot) -> list[object]:
    """Everything that is in a snapshot, and its answers to some prompts."""
    found: list[object] = [snapshot.active_lines, documents_of(snapshot)]
    for text in PROMPTS:
        for strategy in ("bm25", "vectors", "keyword", "hybrid"):
            hits = snapshot.search(ask(snapshot, text, 10), strategy)
            found.append([(snapshot.document(position), score) for position, score in hits])
    return found


# Continuing from one prompt to the next


@pytest.mark.parametrize("merge", [0, 4000, 1 << 20])
def test_prompts_go_on_until_the_answers_are_those_of_a_rebuild(store: Store, merge: int) -> None:
    fill(store)
    counts: list[int] = []
    while not counts or counts[-1] < COUNT:
        loaded = prompt(store, Budget(weight=TINY, merge=merge))
        counts.append(len(loaded.snapshot))
        # A partial snapshot gives answers, and says that it is partial.
        assert loaded.snapshot.search(ask(loaded.snapshot, "lantern", 3), "bm25") != []
        assert (inspected(store).state == "partial") == (counts[-1] < COUNT) == (loaded.notes != [])
        assert (loaded.index_text is not None) == (counts[-1] == COUNT)
    assert counts == sorted(set(counts))
    assert 5 < len(counts) <= COUNT
    assert [*inspected(store).watermark] == watermark_of(store)
    assert answers(on_disk(store)) == answers(built_anew(store)[0])
    if merge == 1 << 20 or is_pure():
        assert files_of(store) == (built_anew(store)[1], b"")
    # After that, there is no file left to read.
    assert prompt(store, Budget(weight=TINY, merge=merge)).is_on_disk
    assert load(store, Budget()).is_on_disk


def test_what_changes_while_the_store_is_read_is_noticed(store: Store) -> None:
    fill(store)
    known = [path for path in positions_of(prompt(store, Budget(files=30, merge=0)).snapshot) if "/decisions/" in path]
    changed, gone = Path(store.root, known[0]), Path(store.root, known[1])
    gone.unlink()
    record = json.loads(changed.read_text(encoding="utf-8"))
    changed.unlink()
    changed.write_text(json.dumps({**record, "title": "Another title"}), encoding="utf-8")
    put(store, stored("brought-later", title="Brought later"))
    while not prompt(store, Budget(files=5, merge=0)).is_complete:
        continue
    found, expected = on_disk(store), built_anew(store)[0]
    assert (found.active_lines, documents_of(found)) == (expected.active_lines, documents_of(expected))
    assert len(found) == COUNT


def test_files_without_a_document_do_not_stop_prompts(store: Store) -> None:
    fill(store, 10)
    for number in range(30):
        path_in(store, f"broken-{number}").write_text("{" * (1 + number), encoding="utf-8")
    path_in(store, "large").write_bytes(b" " * (256 * 1024 + 1))
    let_time_pass(store)
    prompts = 1
    while not prompt(store, Budget(files=10, merge=0)).is_complete:
        prompts += 1
        assert prompts < 10
    assert prompts == 5
    assert len(on_disk(store)) == 10
    assert answers(on_disk(store)) == answers(built_anew(store)[0])
    # A broken file that was repaired is read; a broken file that was deleted is removed from the list.
    put(store, stored("broken-7", title="Whole at last"))
    path_in(store, "broken-8").unlink()
    snapshot = prompt(store, Budget(files=1, merge=1 << 20)).snapshot
    assert (len(snapshot), inspected(store).state, len(inspected(store).unfit)) == (11, "whole", 29)


# Bounds


def test_a_store_with_more_files_than_a_prompt_lists_is_left_alone_once_these_are_known(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 60)
    listed: list[str] = []
    list_folder = snapshot_upkeep._list_folder

    def count(memory_dir: str, folder: str, limit: int) -> object:
        listed.append(folder)
        return list_folder(memory_dir, folder, limit)

    monkeypatch.setattr(snapshot_upkeep, "_list_folder", count)
    for _number in range(10):
        loaded = prompt(store, Budget(files=10, merge=1 << 20, list_limit=20))
    assert 20 <= len(loaded.snapshot) < 60
    assert inspected(store).state == "partial"
    assert not loaded.is_complete
    listed.clear()
    again = prompt(store, Budget(files=10, merge=1 << 20, list_limit=20))
    assert (again.is_on_disk, [folder for folder in listed if folder == "decisions"]) == (True, [])
    reindex(store.root, store.memory_dir)
    assert len(prompt(store, Budget(files=10, merge=1 << 20, list_limit=20)).snapshot) == 60


def test_a_prompt_copies_no_deltas_that_are_too_large(store: Store) -> None:
    fill(store)
    prompt(store, Budget(files=10, merge=0))
    prompt(store, Budget(files=10, merge=0))
    assert len(prompt(store, Budget(files=10, merge=0, delta_limit=10)).snapshot) == 20


def test_time_is_a_second_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    late = Budget(files=9, seconds=(-1, NO_LIMIT))
    assert [late.takes(budgets.SMALL_BYTES), late.takes(budgets.SMALL_BYTES + 1)] == [True, False]
    later = Budget(files=9, seconds=(NO_LIMIT, -1))
    assert not later.takes(1)


def test_a_budget_counts_files_and_what_they_weigh() -> None:
    few = Budget(files=2)
    assert [few.takes(9), few.takes(9), few.takes(9)] == [True, True, False]
    light = Budget(weight=1000)
    assert [light.takes(600), light.takes(100), light.takes(50)] == [True, False, True]
    assert [budgets.weight_of(size) for size in (0, 800, 262_144, 262_145)] == [0, 1200, 163_840, 0]


# Interruptions


@pytest.mark.fault
@needs_fork
def test_a_prompt_that_is_killed_loses_nothing_of_those_before(store: Store) -> None:
    fill(store)
    for _number in range(3):
        before = len(prompt(store, Budget(files=5, merge=0)).snapshot)
    assert before == 15
    killed_at, count = 0, None
    while count is None:
        count = run_killed(lambda: prompt(store, Budget(files=5, merge=0)), killed_at)
        left = load(store, Budget(files=0, merge=0)).snapshot
        assert len(left) >= before
        before = len(left)
        killed_at += 1
    while not prompt(store, Budget(files=5, merge=0)).is_complete:
        continue
    assert answers(on_disk(store)) == answers(built_anew(store)[0])


# Commands


def test_commands_know_a_partial_snapshot_and_a_search_completes_it(store: Store) -> None:
    fill(store)
    prompt(store, Budget(files=15, merge=0))
    prompt(store, Budget(files=15, merge=0))
    health = inspect(store.root, store.memory_dir).snapshot
    assert (health.state, health.documents, len(health.behind)) == ("partial", 30, 10)
    assert health.words == "has 30 of 40 files; the next prompts or the next write read the others"
    assert len(search("lantern", root=store.root, k=50)) == COUNT
    assert files_of(store) == (built_anew(store)[1], b"")
    assert inspect(store.root, store.memory_dir).snapshot.state == "in step"


def test_a_rebuild_makes_a_partial_snapshot_whole(store: Store) -> None:
    fill(store)
    prompt(store, Budget(files=15, merge=0))
    prompt(store, Budget(files=15, merge=0))
    reindex(store.root, store.memory_dir)
    assert files_of(store) == (built_anew(store)[1], b"")


def test_a_write_makes_a_partial_snapshot_whole(store: Store) -> None:
    fill(store)
    prompt(store, Budget(files=15, merge=0))
    prompt(store, Budget(files=15, merge=0))
    store.add(draft("Written in between"))
    assert len(on_disk(store)) == COUNT + 1
    assert inspected(store).state == "whole"
