"""After writes, changes without cuecard and losses of files, the snapshot equals a snapshot built from all files."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from built_snapshot import (
    assert_snapshot_is_built_anew,
    built_anew,
    documents_of,
    files_of,
    inspected,
    is_pure,
    on_disk,
    seal,
    snapshot_path,
    watermark_of,
)
from cuecard import Store
from cuecard import _pure as pure
from cuecard._backend import read_effective_settings
from cuecard._pure.engine.snapshot_upkeep import Loaded
from cuecard._pure.memory.rebuild import index_text
from cuecard._pure.requests.budget import Budget
from cuecard.errors import WriteError
from cuecard.files import freshness
from cuecard.files import memory_files as index_md
from cuecard.files.folder import Folder
from cuecard.files.lock import locked
from cuecard.store.derived import upkeep
from cuecard.store.derived.changes import Changes
from cuecard.store.derived.current_index import rebuild
from cuecard.store.derived.reindex import reindex
from cuecard.store.derived.upkeep import refresh
from cuecard.store.writes.collect import collect
from cuecard.store.writes.isolate import isolate
from cuecard.store.writes.transaction import Transaction, writing
from records import (
    ago,
    assert_index_is_a_rebuild,
    draft,
    drafts,
    let_time_pass,
    make_store,
    memory_dir_of,
    path_in,
    put,
    read_index,
    stored,
)
from twin_choice import use_engine

# Too many memories for a snapshot that is written as a whole.
MANY = 2060

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.fixture(autouse=True)
def each_backend(engine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store work with each backend in turn."""
    use_engine(monkeypatch, engine)


def read(store: Store, budget: Budget | None = None) -> Loaded:
    """Load the snapshot as a reader does, and return it; the reader also writes what it has updated."""
    # `engine` is the backend that the fixture has set.
    loaded: Loaded | None = vars(upkeep)["engine"].load_snapshot(
        store.root, read_effective_settings(store.memory_dir).settings.numbers, budget or Budget()
    )
    assert loaded is not None
    loaded.write()
    if loaded.index_text is not None:
        index_md.write(store.memory_dir, loaded.index_text, loaded.index_made)
    return loaded


def lines_of(loaded: Loaded) -> str:
    """The text of the index for a loaded snapshot."""
    return index_text(loaded.snapshot.active_lines)


def assert_reader_is_right(store: Store) -> None:
    """Assert that what a reader finds, and what is then on disk, is right for the memory files."""
    loaded = read(store)
    expected, _bytes = built_anew(store)
    assert lines_of(loaded) == rebuild(store.root, store.memory_dir)[0]
    assert documents_of(on_disk(store)) == documents_of(expected)


def grow(store: Store, count: int) -> None:
    """Write many memories directly as files; the files get an old time."""
    for number in range(count):
        category = ("decision", "runbook")[number % 2]
        put(store, stored(f"m{number:04}", category, title=f"Thing {number} of the {category}"))
    let_time_pass(store)


# After every kind of write


def test_every_kind_of_write_leaves_the_bytes_of_a_new_build(store: Store) -> None:
    def steps() -> "list[object]":
        return [
            store.add(draft("Use an mmap index")),
            store.add(draft("Prefer short names", "preference")),
            *[store.add(draft(f"Session {number}", "session_summary")) for number in range(7)],
            store.update("use-an-mmap-index", {"content": {"context": "another context"}}),
            store.update("use-an-mmap-index", {"title": "Never store any secret at all"}),
            store.retire("never-store-any-secret-at-all"),
            store.restore("never-store-any-secret-at-all"),
            store.archive("prefer-short-names"),
            store.restore("prefer-short-names"),
        ]

    original = store._step, store.add, store.update
    for name, method in zip(("_step", "add", "update"), original, strict=True):

        def checked(*arguments: object, method: object = method, **options: object) -> object:
            done = method(*arguments, **options)  # type: ignore[operator]
            assert done.warnings == []
            assert_snapshot_is_built_anew(store)
            return done

        setattr(store, name, checked)
    assert len(steps()) == 15


@settings(max_examples=15)
@given(records=st.lists(st.one_of([drafts(category) for category in ("decision", "preference")]), max_size=4))
def test_whatever_is_added_the_bytes_are_those_of_a_new_build(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]]
) -> None:
    store = make_store(tmp_path_factory.mktemp("made"))
    for number, record in enumerate(records):
        store.add({**record, "id": f"m{number}"})
        assert_snapshot_is_built_anew(store)


def test_collection_quarantine_and_rebuild_leave_the_bytes_of_a_new_build(store: Store) -> None:
    store.add(draft("Stays"))
    put(store, stored("old", record_status="retired", retired_at=ago(hours=24 * 90)))
    damaged = put(store, stored("damaged"))
    damaged.write_text("{")
    assert len(collect(store.root, store.memory_dir, grace_days=30).expired) == 1
    assert_snapshot_is_built_anew(store)
    moved, _failures = isolate(store.root, store.memory_dir, [(".claude/memory/decisions/damaged.json", "not JSON")])
    assert len(moved) == 1
    assert_snapshot_is_built_anew(store)
    put(store, stored("by-hand"))
    done = reindex(store.root, store.memory_dir)
    assert (done.lines, done.documents, done.skipped, done.problems) == (2, 2, [], [])
    assert_snapshot_is_built_anew(store)


def test_a_write_that_does_nothing_writes_nothing(store: Store) -> None:
    store.add(draft("Use an mmap index"))
    before = Path(snapshot_path(store.memory_dir)).stat()
    assert store.add(draft("Use an mmap index")).status == "unchanged"
    assert Path(snapshot_path(store.memory_dir)).stat().st_ino == before.st_ino


def test_the_last_memory_leaves_an_empty_snapshot(store: Store) -> None:
    store.add(draft("Only"))
    path_in(store, "only").unlink()
    reindex(store.root, store.memory_dir)
    assert len(on_disk(store)) == 0
    assert_snapshot_is_built_anew(store)
    assert len(read(store).snapshot) == 0


def test_other_settings_make_the_snapshot_anew(store: Store) -> None:
    store.add(draft("One"))
    (memory_dir_of(store) / "memory-config.json").write_text('{"retrieval": {"lexical": {"k1": 1.5}}}')
    store.add(draft("Two"))
    assert read_effective_settings(store.memory_dir).settings.numbers[0] == 1.5
    assert_snapshot_is_built_anew(store)


# Large stores


def is_reference(store: Store) -> bool:
    """Whether the reference keeps the snapshot of a store."""
    return Path(snapshot_path(store.memory_dir)).name == "documents.json"


def test_a_write_to_a_large_store_reads_no_other_memory(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(store, MANY)
    store.add(draft("The first write"))
    read_paths: list[str] = []
    listed: list[str] = []
    opened, scanned = os.open, Folder.scan

    def watched_open(path: str, *arguments: int, **options: int) -> int:
        read_paths.append(str(path))
        return opened(path, *arguments, **options)

    def watched_scan(folder: Folder) -> "Iterator[os.DirEntry[str]]":
        listed.append(folder.path)
        return scanned(folder)

    monkeypatch.setattr(os, "open", watched_open)
    monkeypatch.setattr(Folder, "scan", watched_scan)
    store.add(draft("The second write"))
    most_listed = int(is_reference(store))
    monkeypatch.undo()
    memories = {path for path in read_paths if path.endswith(".json") and path.startswith("m0")}
    assert "write.lock" in {Path(path).name for path in read_paths}
    assert listed
    # A write reads at most the memories whose index lines are next to the new line.
    assert len(memories) <= 2
    # The reference lists the folder of the new memory.
    found = [path for path in listed if path.endswith(("decisions", "runbooks"))]
    assert len(found) <= most_listed


# Changes without cuecard


def change(store: Store, how: str) -> None:
    path = path_in(store, "old-lantern")
    if how == "add":
        put(store, stored("new", title="New lantern"))
    elif how == "add to a new folder":
        put(store, stored("new", "preference", title="New lantern"))
    elif how == "delete":
        path.unlink()
    elif how == "rename":
        path.rename(path.with_name("renamed.json"))
    elif how == "replace":
        edited = path.with_name("edited.tmp")
        edited.write_text(json.dumps(stored("old-lantern", title="Mended lantern")))
        edited.replace(path)
    elif how == "damage":
        path.unlink()
        path.write_text("{")
    elif how == "git checkout":
        git = ["git", "-C", store.root, "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gc.auto=0"]
        (Path(store.root) / ".gitignore").write_text(".cuecard\nindex.md\n")
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
        for number in range(5):
            put(store, stored(f"branch-{number}", "runbook"))
        path.unlink()
        subprocess.run([*git, "checkout", "-q", "-b", "other"], check=True)
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "two"], check=True)
        refresh(store.root, store.memory_dir)
        subprocess.run([*git, "checkout", "-q", "-"], check=True)


CHANGES = ("add", "add to a new folder", "delete", "rename", "replace", "damage", "git checkout")


@pytest.mark.parametrize("how", CHANGES)
def test_the_next_reader_mends_what_was_done_by_hand(store: Store, how: str) -> None:
    store.add(draft("Old lantern"))
    store.add(draft("Another one"))
    let_time_pass(store)
    change(store, how)
    assert_reader_is_right(store)
    # Some time later, the snapshot counts as up to date without a further check.
    let_time_pass(store)
    assert_reader_is_right(store)
    assert [*inspected(store).watermark] == watermark_of(store)
    before = files_of(store)
    assert read(store).is_on_disk
    assert read(store).is_on_disk
    # The next writer merges base and delta into one file.
    store.add(draft("The next write"))
    assert files_of(store) != before
    assert files_of(store)[1] == b""
    assert_snapshot_is_built_anew(store)


@pytest.mark.parametrize("how", CHANGES)
def test_the_next_writer_mends_what_was_done_by_hand(store: Store, how: str) -> None:
    store.add(draft("Old lantern"))
    let_time_pass(store)
    change(store, how)
    store.add(draft("The next write"))
    assert_snapshot_is_built_anew(store)
    assert_index_is_a_rebuild(store)


def test_a_prompt_mends_as_much_as_its_budget_allows_and_the_next_one_more(store: Store) -> None:
    grow(store, 50)
    reindex(store.root, store.memory_dir)
    for number in range(50):
        put(store, stored(f"new-{number:04}", "constraint"))
    index = read_index(store)
    loaded = read(store, Budget(files=30, merge=0))
    assert (len(loaded.snapshot), loaded.is_complete) == (80, False)
    # An index that is made from this partial snapshot would look up to date, so none is written.
    assert (loaded.index_text, read_index(store)) == (None, index)
    loaded = read(store, Budget(files=30, merge=0))
    assert (len(loaded.snapshot), loaded.is_complete) == (100, True)
    assert_index_is_a_rebuild(store)


def test_a_folder_that_cannot_be_listed_keeps_its_memories(
    store: Store, engine: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine.__name__ != pure.__name__ and os.geteuid() == 0:
        pytest.skip("the superuser lists every folder")
    store.add(draft("Old lantern"))
    let_time_pass(store)
    put(store, stored("new"))
    opened = os.open

    def refuse(path: str, *arguments: int, **options: int) -> int:
        if path == "decisions":
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments, **options)

    before = files_of(store)
    monkeypatch.setattr(os, "open", refuse)
    decisions = memory_dir_of(store) / "decisions"
    decisions.chmod(0)
    assert len(read(store).snapshot) == 1
    assert files_of(store) == before
    written = store.add(draft("A preference", "preference"))
    assert [warning[:35] for warning in written.warnings] == [
        "the snapshot is not up to date: a f",
        "index.md is not up to date, because",
    ]
    with pytest.raises(WriteError):
        reindex(store.root, store.memory_dir)
    monkeypatch.undo()
    decisions.chmod(0o755)
    assert_reader_is_right(store)


def test_who_changes_a_folder_while_a_writer_is_at_work_leaves_it_out_of_step(store: Store) -> None:
    store.add(draft("Old lantern"))
    store.add(draft("A runbook", "runbook"))
    let_time_pass(store)
    refresh(store.root, store.memory_dir)
    assert_snapshot_is_built_anew(store)
    with writing(store.root, store.memory_dir, "add") as transaction:
        put(store, stored("meanwhile", "runbook"))
        write_one(transaction, "mine")
    marks = dict(zip(("sessions", "decisions", "runbooks"), inspected(store).watermark, strict=False))
    assert marks["runbooks"] == 0
    assert marks["decisions"] == (memory_dir_of(store) / "decisions").stat().st_mtime_ns
    assert freshness.is_stale(store.memory_dir, freshness.folder_times(store.memory_dir))
    assert_reader_is_right(store)
    # This change is in the folder to which the transaction writes, too.
    with writing(store.root, store.memory_dir, "add") as transaction:
        put(store, stored("meanwhile-too"))
        write_one(transaction, "mine-too")
    assert inspected(store).watermark[1] == 0
    assert_reader_is_right(store)


def write_one(transaction: Transaction, name: str) -> None:
    transaction.write("decision", f".claude/memory/decisions/{name}.json", stored(name))


# Losses


def test_what_was_deleted_comes_back_byte_for_byte(store: Store) -> None:
    for number in range(5):
        store.add(draft(f"Memory {number}"))
    let_time_pass(store)
    reindex(store.root, store.memory_dir)
    before = files_of(store), read_index(store)
    shutil.rmtree(memory_dir_of(store) / ".cuecard")
    (memory_dir_of(store) / "index.md").unlink()
    read(store)
    assert (files_of(store), read_index(store)) == before
    shutil.rmtree(memory_dir_of(store) / ".cuecard")
    with locked(store.memory_dir):
        assert refresh(store.root, store.memory_dir) == []
    assert (files_of(store), read_index(store)) == before


def broken(data: bytes, how: str) -> bytes | None:
    return {
        "missing": None,
        "empty": b"",
        "truncated": data[: len(data) // 2],
        "foreign": b"SQLite format 3\0" + data[16:],
        "newer": (data[:8] + b"\xff" + data[9:]).replace(b'"version":1', b'"version":9', 1),
        "turned bit": data[:-1] + bytes([data[-1] ^ 1]),
    }[how]


@pytest.mark.parametrize("how", ["missing", "empty", "truncated", "foreign", "newer", "turned bit"])
def test_a_broken_snapshot_is_made_anew_by_the_next_write(store: Store, how: str) -> None:
    store.add(draft("One"))
    path = Path(snapshot_path(store.memory_dir))
    data = broken(path.read_bytes(), how)
    path.unlink()
    if data is not None:
        path.write_bytes(data)
        seal(store)
    assert store.add(draft("Two")).warnings == []
    assert_snapshot_is_built_anew(store)
    data = broken(path.read_bytes(), how)
    path.unlink()
    if data is not None:
        path.write_bytes(data)
        seal(store)
    if how != "turned bit":
        assert_reader_is_right(store)


def test_a_snapshot_that_cannot_be_written_is_a_warning_and_the_memory_is_safe(store: Store) -> None:
    Path(snapshot_path(store.memory_dir)).mkdir(parents=True)
    written = store.add(draft("a"))
    assert written.status == "created"
    assert [warning[:32] for warning in written.warnings] == ["the snapshot cannot be written: "]
    assert_index_is_a_rebuild(store)
    done = reindex(store.root, store.memory_dir)
    assert (done.lines, len(done.problems)) == (1, 1)
    Path(snapshot_path(store.memory_dir)).rmdir()
    store.add(draft("b"))
    assert_snapshot_is_built_anew(store)


def test_what_dead_processes_left_is_swept_and_what_is_young_is_not(store: Store) -> None:
    store.add(draft("a"))
    derived = memory_dir_of(store) / ".cuecard"
    leftovers = [derived / ".snapshot.delta.99999.tmp", derived / "snapshot.99999.tmp"]
    for leftover in leftovers:
        leftover.write_text("half")
    store.add(draft("b"))
    assert all(leftover.exists() for leftover in leftovers)
    for leftover in leftovers:
        os.utime(leftover, (time.time() - 61, time.time() - 61))
    store.add(draft("c"))
    assert not any(leftover.exists() for leftover in leftovers)


# Concurrent processes


def test_a_reader_keeps_the_snapshot_that_it_has_open(store: Store, engine: ModuleType) -> None:
    store.add(draft("Old lantern"))
    opened = read(store).snapshot
    lines = opened.active_lines
    for number in range(20):
        store.add(draft(f"New lantern {number}"))
    store.retire("old-lantern")
    assert opened.active_lines == lines
    assert len(opened) == 1


def test_two_writers_leave_a_snapshot_of_both(store: Store) -> None:
    code = (
        "import sys; from cuecard import Store; from records import draft\n"
        "store = Store(sys.argv[1])\n"
        "for number in range(15): store.add(draft(f'Writer {sys.argv[2]} thing {number}'))"
    )
    backend = "pure" if is_pure() else "native"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CUECARD_BACKEND": backend}
    command = [sys.executable, "-c", code, store.root]
    writers = [subprocess.Popen([*command, name], env=environment) for name in ("a", "b")]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert len(on_disk(store)) == 30
    assert_snapshot_is_built_anew(store)


def test_a_hook_that_mends_while_a_writer_is_at_work_does_no_harm(store: Store) -> None:
    store.add(draft("Old lantern"))
    let_time_pass(store)
    refresh(store.root, store.memory_dir)
    with writing(store.root, store.memory_dir, "add") as transaction:
        write_one(transaction, "mine")
        read(store)
        write_one(transaction, "mine-too")
    assert_snapshot_is_built_anew(store)


def test_nothing_is_written_before_the_memories_are_followed(store: Store) -> None:
    store.add(draft("Old lantern"))
    before = files_of(store)
    changes = Changes(store.memory_dir)
    put(store, stored("new"))
    loaded = upkeep.follow((store.root, store.memory_dir), changes)
    assert loaded is not None
    assert files_of(store) == before
    loaded.write()
    # The engine leaves other processes' changes to the next reader.
    assert (len(loaded.snapshot), inspected(store).watermark[1]) == (1 + is_reference(store), 0)
