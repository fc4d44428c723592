"""An outdated `index.md`: every lookup finds the memories that were added, removed or changed without cuecard."""

import json
import os
import re
import time
from pathlib import Path

import pytest

from cuecard import Store, Strategy, search
from cuecard.files import freshness
from cuecard.store.derived.current_index import rebuild
from hook_process import Hook, Outcome
from records import (
    assert_index_is_a_rebuild,
    draft,
    let_time_pass,
    make_store,
    memory_dir_of,
    path_in,
    put,
    read_index,
    stored,
)
from scratch_home import write_user_settings

PROMPT = "which lantern is it?"


pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with one memory that was written some time ago."""
    store = make_store(tmp_path / "project")
    store.add(draft("Old lantern"))
    let_time_pass(store)
    return store


def ask(hook: Hook, store: Store, strategy: Strategy = "keyword") -> Outcome:
    """The hook's answer to `PROMPT`.

    The default strategy finds all memories with the word "lantern", in the order of the index.
    """
    sent = json.dumps({"prompt": PROMPT, "cwd": store.root}).encode()
    ran = hook.run("prompt", "--host", "plain", "--strategy", strategy, stdin=sent, cwd=Path(store.root))
    assert (ran.code, ran.stderr) == (0, b"")
    return ran


def titles_in(ran: Outcome) -> list[str]:
    """The titles of the memories in the block that a run of the hook has printed."""
    lines = ran.stdout.decode().splitlines()
    said = [line.partition("] ")[2] for line in lines if line.startswith("- [")]
    return [re.split(r" -> | \(|: ", line)[0] for line in said]


def searched(store: Store, strategy: Strategy = "keyword") -> list[str]:
    return [hit.title for hit in search("lantern", root=store.root, strategy=strategy)]


def change_by_hand(store: Store, how: str) -> list[str]:
    """Change the store without cuecard; return the titles that must be found afterwards."""
    path = path_in(store, "old-lantern")
    if how == "add":
        put(store, stored("new", title="New lantern"))
        return ["Old lantern", "New lantern"]
    if how == "add to a new folder":
        put(store, stored("new", "preference", title="New lantern"))
        return ["Old lantern", "New lantern"]
    if how == "delete":
        path.unlink()
        return []
    if how == "rename":
        path.rename(path.with_name("renamed.json"))
        return ["Old lantern"]
    edited = path.with_name("edited.tmp")
    edited.write_text(json.dumps(stored("old-lantern", title="Mended lantern")))
    edited.replace(path)
    return ["Mended lantern"]


CHANGES = ("add", "add to a new folder", "delete", "rename", "replace")


@pytest.mark.parametrize("how", CHANGES)
def test_a_change_by_hand_is_seen_by_a_search_which_writes_nothing(store: Store, how: str) -> None:
    expected = change_by_hand(store, how)
    before = read_index(store)
    assert searched(store) == expected
    assert sorted(searched(store, "hybrid")) == sorted(expected)
    assert read_index(store) == before


@pytest.mark.parametrize("how", CHANGES)
def test_a_change_by_hand_is_seen_by_the_hook_which_heals_the_index(hook: Hook, store: Store, how: str) -> None:
    expected = change_by_hand(store, how)
    ran = ask(hook, store)
    assert titles_in(ran) == expected
    assert ran.log == []
    assert read_index(store) == rebuild(store.root, store.memory_dir)[0]
    if how == "rename" and expected:
        assert b"decisions/renamed.json" in ran.stdout


@pytest.mark.parametrize("how", CHANGES)
def test_the_default_strategy_sees_a_change_by_hand(hook: Hook, store: Store, how: str) -> None:
    write_user_settings({"retrieval": {"gate_setting": "off"}})
    expected = change_by_hand(store, how)
    assert sorted(titles_in(ask(hook, store, "hybrid"))) == sorted(expected)


def test_an_index_in_step_is_left_alone(hook: Hook, store: Store) -> None:
    index = memory_dir_of(store) / "index.md"
    before = index.stat()
    assert titles_in(ask(hook, store)) == ["Old lantern"]
    assert (index.stat().st_ino, index.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_healed_index_bears_the_time_of_the_last_change_so_that_later_ones_show(hook: Hook, store: Store) -> None:
    put(store, stored("new", title="New lantern"))
    let_time_pass(store)
    ask(hook, store)
    times = freshness.folder_times(store.memory_dir)
    assert (memory_dir_of(store) / "index.md").stat().st_mtime_ns == max(times)
    healed = (memory_dir_of(store) / "index.md").stat().st_ino
    ask(hook, store)
    assert (memory_dir_of(store) / "index.md").stat().st_ino == healed
    put(store, stored("newer", title="Newer lantern"))
    assert len(titles_in(ask(hook, store))) == 3


def test_a_change_of_just_now_leaves_the_index_open_for_another_of_the_same_instant(hook: Hook, store: Store) -> None:
    put(store, stored("new", title="New lantern"))
    assert len(titles_in(ask(hook, store))) == 2
    newest = max(freshness.folder_times(store.memory_dir))
    assert (memory_dir_of(store) / "index.md").stat().st_mtime_ns == newest - 10_000_000
    # The second change gets the same time as the first one.
    put(store, stored("same", title="Same lantern"))
    os.utime(path_in(store, "same").parent, ns=(newest, newest))
    assert len(titles_in(ask(hook, store))) == 3


def test_a_missing_index_is_made_and_dated_like_a_healed_one(hook: Hook, store: Store) -> None:
    (memory_dir_of(store) / "index.md").unlink()
    assert titles_in(ask(hook, store)) == ["Old lantern"]
    assert_index_is_a_rebuild(store)
    times = freshness.folder_times(store.memory_dir)
    assert (memory_dir_of(store) / "index.md").stat().st_mtime_ns == max(times)


def test_after_a_clock_was_put_back_the_index_is_made_anew(hook: Hook, store: Store) -> None:
    put(store, stored("new", title="New lantern"))
    let_time_pass(store)
    ahead = time.time_ns() + 3_600_000_000_000
    os.utime(memory_dir_of(store) / "index.md", ns=(ahead, ahead))
    assert len(titles_in(ask(hook, store))) == 2
    assert len(searched(store)) == 2


def test_one_prompt_reads_a_thousand_memories_and_the_next_one_the_rest(hook: Hook, store: Store) -> None:
    for number in range(999):
        put(store, stored(f"m{number}", "runbook", title=f"Thing {number}"))
    ran = ask(hook, store)
    assert (titles_in(ran), ran.log) == (["Old lantern"], [])
    for number in range(1010):
        put(store, stored(f"n{number}", "constraint", title=f"Another {number}"))
    assert ask(hook, store).log == ["memory files left for the next prompts: 10"]
    put(store, stored("new", title="New lantern"))
    # A search reads all memories.
    assert len(searched(store)) == 2
    assert ask(hook, store).log == []
    store.add(draft("Third lantern"))
    ran = ask(hook, store)
    assert (len(titles_in(ran)), ran.log) == (3, [])
    assert_index_is_a_rebuild(store)


def test_a_memory_retired_past_the_index_never_shows_however_far_down_it_stands(hook: Hook, tmp_path: Path) -> None:
    store = make_store(tmp_path / "many", retrieval={"max_inject": 20})
    for number in range(40):
        put(store, stored(f"m{number:02}", title=f"Lantern {number:02}"))
    store.add(draft("Another"))
    let_time_pass(store)
    for number in range(20, 40):
        # A write in place changes neither the folder's time nor the index, so only reading the file shows the change.
        path_in(store, f"m{number:02}").write_text(json.dumps(stored(f"m{number:02}", record_status="retired")))
    for number in range(5):
        path_in(store, f"m{number:02}").write_text(json.dumps(stored(f"m{number:02}", record_status="retired")))
    expected = [f"Lantern {number:02}" for number in range(5, 20)]
    assert titles_in(ask(hook, store)) == expected
    found = search("lantern", root=store.root, k=100, strategy="keyword")
    assert [hit.title for hit in found] == expected


def test_what_a_writer_did_is_seen_by_the_very_next_prompt(hook: Hook, store: Store) -> None:
    store.add(draft("New lantern"))
    assert len(titles_in(ask(hook, store))) == 2
    store.retire("old-lantern")
    assert titles_in(ask(hook, store)) == ["New lantern"]
    store.update("new-lantern", {"title": "Brass chandelier lantern of the hall"})
    assert titles_in(ask(hook, store)) == ["Brass chandelier lantern of the hall"]
    assert_index_is_a_rebuild(store)
