"""`cuecard copy` and `cuecard move`: into the user's own store, and into that of another project."""

import re
from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.files.user_folder import data_path
from cuecard.store.trust.agent_view import levels_of_files
from records import draft, make_store, put, read_files, stored


def users_store() -> Store:
    return Store(Path(data_path(), "user"))


def levels(store: Store) -> list[str]:
    return levels_of_files(store.memory_dir, [memory.data for memory in store.memories()])


def test_a_copy_is_in_both_stores_and_the_user_vouches_for_it(tmp_path: Path, fresh_data: Path) -> None:
    store = make_store(tmp_path / "project")
    extension = {"anchors": ["src/*.py"], "questions": ["Which index?"]}
    store.add(draft("Use an mmap index", cuecard=extension), trust="own")
    ran = run_in(store, "copy", "use-an-mmap-index", "--to", "user", "--json")
    assert ran.document["status"] == "created"
    assert ran.document["left_out"] == ["cuecard.anchors"]
    (copied,) = users_store().memories()
    assert copied.extension["questions"] == ["Which index?"]
    assert "anchors" not in copied.extension
    assert levels(users_store()) == ["own"]
    assert [memory.id for memory in store.memories()] == ["use-an-mmap-index"]
    assert run_in(store, "copy", "use-an-mmap-index", "--to", "user", "--json").document["status"] == "unchanged"


def test_a_moved_memory_is_retired_in_its_store(tmp_path: Path, fresh_data: Path) -> None:
    store, other = make_store(tmp_path / "project"), make_store(tmp_path / "other")
    store.add(draft("Use an mmap index"), trust="own")
    assert run_in(store, "move", "use-an-mmap-index", "--to", "../other").code == 0
    assert [memory.id for memory in other.memories()] == ["use-an-mmap-index"]
    assert [memory.status for memory in store.memories(status="all")] == ["retired"]
    assert run_in(store, "restore", "use-an-mmap-index").code == 0


@pytest.mark.parametrize("options", [(), ("--scope", "user")])
def test_a_move_is_undone_and_redone_in_both_stores(tmp_path: Path, fresh_data: Path, options: tuple[str, ...]) -> None:
    store = make_store(tmp_path / "project")
    store.add(draft("Use an mmap index"), trust="own")
    before = read_files(store)
    run_in(store, "move", "use-an-mmap-index", "--to", "user")
    ran = run_in(store, "undo", *options, "--json")
    assert read_files(store) == before
    assert users_store().memories(status="all") == []
    assert run_in(store, "undo", ran.document["operation"], *options).code == 0
    assert [memory.status for memory in store.memories(status="all")] == ["retired"]
    assert len(users_store().memories()) == 1
    # The move is the last action again.
    run_in(store, "undo", *options)
    assert (read_files(store), users_store().memories(status="all")) == (before, [])


def test_a_move_whose_copy_has_changed_is_undone_in_neither_store(tmp_path: Path, fresh_data: Path) -> None:
    store = make_store(tmp_path / "project")
    store.add(draft("Use an mmap index"), trust="own")
    run_in(store, "move", "use-an-mmap-index", "--to", "user")
    users_store().update("use-an-mmap-index", {"tags": ["index", "search"]})
    ran = run_in(store, "undo")
    assert ran.code == 1
    # The way on is named: the write before it.
    assert re.search(r"`cuecard undo \S+` takes back the action before it", ran.stderr)
    assert [memory.status for memory in store.memories(status="all")] == ["retired"]


def test_undo_after_a_copy_removes_the_copy(tmp_path: Path, fresh_data: Path) -> None:
    store = make_store(tmp_path / "project")
    store.add(draft("Use an mmap index"), trust="own")
    run_in(store, "copy", "use-an-mmap-index", "--to", "user")
    run_in(store, "undo")
    assert (len(store.memories()), users_store().memories()) == (1, [])


def test_an_undone_move_is_undone_in_the_other_store_too(tmp_path: Path, fresh_data: Path) -> None:
    store, other = make_store(tmp_path / "project"), make_store(tmp_path / "other")
    other.add(draft("Use a queue for the mails"), trust="own")
    store.add(draft("Use an mmap index"), trust="own")
    run_in(store, "move", "use-an-mmap-index", "--to", "../other")
    assert run_in(store, "undo").code == 0
    # The last action there is the memory of its own again.
    assert "use-a-queue-for-the-mails" in run_in(other, "undo").stdout


def test_a_memory_comes_back_from_the_users_store(tmp_path: Path, fresh_data: Path) -> None:
    store, other = make_store(tmp_path / "project"), make_store(tmp_path / "other")
    store.add(draft("Use an mmap index"), trust="own")
    run_in(store, "copy", "use-an-mmap-index", "--to", "user")
    assert run_in(other, "copy", "use-an-mmap-index", "--from-user").code == 0
    assert [memory.id for memory in other.memories()] == ["use-an-mmap-index"]


def test_a_repository_cannot_speak_for_the_user(tmp_path: Path, fresh_data: Path) -> None:
    store = make_store(tmp_path / "project")
    put(store, stored("from-a-stranger"))
    ran = run_in(store, "copy", "from-a-stranger", "--to", "user")
    assert ran.code == 1
    assert "nobody on this machine vouches for this memory" in ran.stderr
    assert not Path(data_path(), "user", ".claude", "memory", "decisions").exists()


def test_another_memory_with_the_id_is_not_replaced(tmp_path: Path, fresh_data: Path) -> None:
    store, other = make_store(tmp_path / "project"), make_store(tmp_path / "other")
    store.add(draft("Use an mmap index"), trust="own")
    other.add(draft("Use an mmap index", tags=["another"]), trust="own")
    before = read_files(other)
    assert run_in(store, "move", "use-an-mmap-index", "--to", "../other").code == 1
    assert read_files(other) == before
    assert [memory.status for memory in store.memories(status="all")] == ["active"]


def test_a_store_must_be_named(tmp_path: Path, fresh_data: Path) -> None:
    store = make_store(tmp_path / "project")
    store.add(draft("Use an mmap index"), trust="own")
    assert run_in(store, "copy", "use-an-mmap-index").code == 2
    assert run_in(store, "copy", "use-an-mmap-index", "--to", ".").code == 1
