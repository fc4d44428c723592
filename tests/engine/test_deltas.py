"""The deltas of the native snapshot: when there are deltas, how they grow, and what happens when one is lost."""

from pathlib import Path
from types import ModuleType

import pytest

from built_snapshot import (
    assert_snapshot_is_built_anew,
    built_anew,
    files_of,
    inspected,
    on_disk,
    seal,
    snapshot_path,
)
from cuecard import Store
from cuecard._pure.requests.budget import Budget
from cuecard.files.derived import write_sealed
from cuecard.store.derived.reindex import reindex
from records import assert_index_is_a_rebuild, draft, put, stored
from test_first_run import answers, fill, prompt
from test_snapshot_upkeep import MANY, broken, grow, read
from twin_choice import use_engine

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture(autouse=True)
def engine(native: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store use the native backend, because the pure backend has no deltas."""
    use_engine(monkeypatch, native)


@pytest.mark.slow
def test_a_large_store_gets_a_delta_that_grows_and_is_merged(store: Store) -> None:
    grow(store, MANY)
    store.add(draft("The first write"))
    assert files_of(store)[1] == b""
    assert_snapshot_is_built_anew(store)
    base = files_of(store)[0]
    store.add(draft("A lantern to find"))
    store.update("m0002", {"title": "Thing two"})
    store.retire("m0004")
    store.update("a-lantern-to-find", {"title": "Wholly renamed light of the hall"})
    assert files_of(store)[0] == base
    assert 0 < len(files_of(store)[1]) < len(base) / 50
    assert_snapshot_is_built_anew(store)
    assert_index_is_a_rebuild(store)
    # When many more memories are added, the engine merges base and delta.
    for number in range(300):
        put(store, stored(f"more-{number}", title=f"More of {number}"))
    store.add(draft("The write behind"))
    assert files_of(store)[1] == b""
    assert_snapshot_is_built_anew(store)
    assert_index_is_a_rebuild(store)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["missing", "empty", "truncated", "foreign", "newer", "turned bit"])
def test_a_broken_delta_costs_no_memory(store: Store, how: str) -> None:
    grow(store, MANY)
    store.add(draft("The first write"))
    store.add(draft("A lantern to find"))
    path = Path(f"{snapshot_path(store.memory_dir)}.delta")
    data = broken(path.read_bytes(), how)
    path.unlink()
    if data is not None:
        path.write_bytes(data)
        seal(store)
    store.add(draft("Another write"))
    assert_snapshot_is_built_anew(store)


def test_a_delta_of_another_base_is_nothing(store: Store) -> None:
    grow(store, MANY)
    store.add(draft("The first write"))
    store.add(draft("A lantern to find"))
    delta = files_of(store)[1]
    reindex(store.root, store.memory_dir)
    assert files_of(store)[1] == b""
    # A slow hook writes its outdated delta late.
    write_sealed(store.memory_dir, {"snapshot.delta": delta})
    assert read(store).is_on_disk
    store.add(draft("Another write"))
    assert_snapshot_is_built_anew(store)


def test_deltas_stay_few_where_small_ones_may_be_written_again(store: Store) -> None:
    fill(store, 60)
    most = 0
    for _number in range(60):
        prompt(store, Budget(files=1, merge=6000))
        most = max(most, inspected(store).deltas)
    assert len(on_disk(store)) == 60
    assert 1 < most < 20


def test_more_prompts_than_a_file_has_room_for_deltas(store: Store) -> None:
    fill(store, 80)
    for _number in range(80):
        loaded = prompt(store, Budget(files=1, merge=0))
    assert (len(loaded.snapshot), inspected(store).deltas) == (80, 63)
    assert answers(on_disk(store)) == answers(built_anew(store)[0])


def test_a_delta_that_ends_in_the_middle_counts_up_to_there(store: Store) -> None:
    fill(store)
    for _number in range(4):
        prompt(store, Budget(files=8, merge=0))
    _base, delta = files_of(store)
    for size, count in ((len(delta) - 1, 24), (0, 8)):
        Path(f"{snapshot_path(store.memory_dir)}.delta").write_bytes(delta[:size])
        assert len(on_disk(store)) == count
