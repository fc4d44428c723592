"""Processes that die during a write, and machines that refuse writes: no memory is lost, and the store is repaired."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import cuecard
from built_snapshot import assert_snapshot_is_built_anew
from cuecard import Store
from cuecard.capture.comparing.succession import resolve_relations, write
from cuecard.errors import CuecardError, WriteError
from cuecard.files import lock
from cuecard.store.derived.current_index import rebuild
from cuecard.store.derived.reindex import reindex
from cuecard.store.derived.upkeep import refresh
from cuecard.store.writes import collect as collecting
from hook_process import Hook
from killed_process import needs_fork, run_killed

pytestmark = pytest.mark.fault

LONG_AGO = "2020-01-01T00:00:00Z"
Work = Callable[[Store], object]
# The state of a store: for the file name of every memory, its title and status.
State = dict[str, tuple[str, str]]


def decision(title: str, context: str = "a context") -> dict[str, object]:
    content = {"status": "accepted", "context": context, "decision": title, "rationale": ["a reason"]}
    return {"category": "decision", "title": title, "tags": ["fault"], "content": content}


def summary(title: str) -> dict[str, object]:
    content = {"goal": title, "outcome": "success", "completed": [], "next_actions": []}
    return {"category": "session_summary", "title": title, "tags": ["fault"], "content": content}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a memory for every kind of write."""
    root = tmp_path_factory.mktemp("template")
    store = Store(root, create=True)
    for title in ("Keep the queue short", "Cache the tokens", "Retire me later", "Archive me later"):
        store.add(decision(title))
    for number in range(5):
        store.add(summary(f"Session number {number}"))
    store.add(decision("Retired long ago"))
    store.retire("retired-long-ago")
    path = root / ".claude/memory/decisions/retired-long-ago.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    # The file is written as a new file, because a write in place does not change the time of the folder.
    path.unlink()
    path.write_text(json.dumps({**record, "retired_at": LONG_AGO}, indent=2), encoding="utf-8")
    index_of(store)
    assert_snapshot_is_built_anew(store)
    return root


def index_of(store: Store) -> str:
    """Update the index, and return the text that a rebuild of the index gives."""
    with lock.locked(store.memory_dir):
        assert refresh(store.root, store.memory_dir) == []
    return rebuild(store.root, store.memory_dir)[0]


def state_of(root: Path) -> State:
    """The title and status of every memory file. Asserts that every file is complete."""
    state = {}
    for path in sorted(root.glob(".claude/memory/*/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        state[path.name] = (str(record["title"]), str(record["record_status"]))
    return state


def collect(store: Store) -> object:
    return collecting.collect(store.root, store.memory_dir, grace_days=30)


def add_without_derived_files(store: Store) -> object:
    shutil.rmtree(Path(store.memory_dir, ".cuecard"), ignore_errors=True)
    return WRITES["add"](store)


def rebuild_index(store: Store) -> object:
    Path(store.memory_dir, "index.md").unlink(missing_ok=True)
    return reindex(store.root, store.memory_dir)


def add_related(store: Store, verdict: str) -> object:
    record = {**decision("Keep the queue long"), "tags": ["fault", "queue"]}
    return write(store, record, relations=resolve_relations(store, [("decision/keep-the-queue-short", verdict)]))


WRITES: dict[str, Work] = {
    "add": lambda store: store.add(decision("A new decision about faults")),
    "add in a new folder": lambda store: store.add(
        {**decision("Prefer short names"), "category": "preference"}
        | {"content": {"topic": "t", "value": "v", "reason": "r", "strength": "soft"}}
    ),
    "add in the place of a retired memory": lambda store: store.add(decision("Retired long ago", "once more")),
    "add beyond the rolling window": lambda store: store.add(summary("Session number 5")),
    "add in the place of another": lambda store: store.add(
        {**decision("Keep the queue long"), "cuecard": {"supersedes": ["keep-the-queue-short"]}}
    ),
    "add what a writer says updates another": lambda store: add_related(store, "updates"),
    "add what a writer says is the same": lambda store: add_related(store, "same"),
    "update": lambda store: store.update("keep-the-queue-short", {"content": {"context": "another context"}}),
    "update with a new name": lambda store: store.update("cache-the-tokens", {"title": "Never store any secret"}),
    "retire": lambda store: store.retire("retire-me-later", reason="because"),
    "archive": lambda store: store.archive("archive-me-later"),
    "restore": lambda store: store.restore("retired-long-ago"),
    "collect": collect,
    "rebuild the index": rebuild_index,
    "add to a store without derived files": add_without_derived_files,
}


@needs_fork
@pytest.mark.parametrize("name", WRITES)
def test_a_process_killed_at_any_call_leaves_the_old_or_the_new_memory(
    name: str, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only the process is killed, not the machine, so the result is the same without waiting for the disk.
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    work = WRITES[name]
    after = tmp_path / "after"
    shutil.copytree(template, after)
    before_state = state_of(after)
    work(Store(after))
    after_state = state_of(after)
    assert after_state != before_state or name in ("update", "add what a writer says is the same", "rebuild the index")

    killed_at = 0
    while True:
        root = tmp_path / f"killed-{killed_at}"
        shutil.copytree(template, root, copy_function=shutil.copy2)
        calls = run_killed(lambda root=root: work(Store(root)), killed_at)  # type: ignore[misc]
        if calls is not None:
            assert killed_at == calls
            break
        check_survivor(root, before_state, after_state, f"killed before call {killed_at}")
        shutil.rmtree(root)
        killed_at += 1
    assert killed_at > 5, "a write makes many calls; were they counted?"
    # The figure in the README is the sum of the numbers in these lines (`pytest tests/store/test_faults.py -rP`).
    sys.stdout.write(f"killed before each of {killed_at} calls\n")


def check_survivor(root: Path, before: State, after: State, when: str) -> None:
    """Assert what must be true after a process was killed: for readers, the next writer, and the derived files."""
    state = state_of(root)
    # Every file has its old or its new state. A file that is renamed may have the text of either state.
    lost, gained = set(before.items()) - set(after.items()), set(after.items()) - set(before.items())
    other_texts = {said for _name, said in lost | gained}
    assert set(state) <= {*before, *after}, when
    for name, said in state.items():
        assert said in {before.get(name), after.get(name)} or said in other_texts, (when, name)
    # No memory is lost if it exists before and after the write, and no memory has two files.
    assert min(len(before), len(after)) <= len(state) <= max(len(before), len(after)), when

    # The next reader finds exactly the active memories.
    store = Store(root)
    active = {title for title, status in state.values() if status == "active"}
    found = cuecard.search("session decision keep cache never prefer retire archive faults", root=root, k=100)
    assert {hit.title for hit in found} <= active, when
    assert {memory.title for memory in store.memories()} == active, when

    # After the next write there is no stale lock and no leftover file, index and snapshot are up to date, and git sees
    # no derived file. Leftovers are made old first, because recent ones may belong to a running hook.
    for leftover in [*root.glob(".claude/memory/.*.tmp"), *root.glob(".claude/memory/.cuecard/*.tmp")]:
        os.utime(leftover, (0, 0))
    started = time.monotonic()
    store.add(decision("The write after the death"))
    assert time.monotonic() - started < lock.LOCK_SECONDS, when
    index = (root / ".claude/memory/index.md").read_text(encoding="utf-8")
    assert index == rebuild(store.root, store.memory_dir)[0], when
    assert_snapshot_is_built_anew(store)
    assert not list(root.glob(".claude/memory/**/*.tmp")), when
    assert (root / ".claude/memory/.cuecard/.gitignore").read_bytes() == b"*\n", when


@needs_fork
def test_the_hook_answers_after_a_death_and_heals_the_index(template: Path, tmp_path: Path, hook: Hook) -> None:
    """The process is killed after the rename of the memory's file and before the rename of the index."""
    root = tmp_path / "project"
    payload = {"prompt": "what about the new decision about faults", "cwd": str(root)}
    for killed_at in range(100):
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(template, root)
        assert run_killed(lambda: WRITES["add"](Store(root)), killed_at) is None, "no call leaves the index behind"
        path = root / ".claude/memory/decisions/a-new-decision-about-faults.json"
        index = root / ".claude/memory/index.md"
        if path.exists() and "new decision" not in index.read_text(encoding="utf-8"):
            break
    answered = hook.run("prompt", stdin=json.dumps(payload).encode(), cwd=root)
    assert b"A new decision about faults" in answered.stdout
    assert "A new decision about faults" in index.read_text(encoding="utf-8")


@needs_fork
def test_a_lock_left_by_a_dead_process_stops_nobody(template: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(template, root)
    child = os.fork()
    if child == 0:
        with lock.locked(str(root / ".claude/memory")):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert (root / ".claude/memory/.cuecard/write.lock").exists()
    with lock.locked(str(root / ".claude/memory"), seconds=1):
        pass


def test_a_lock_that_is_held_ends_in_a_clear_error_and_no_write(template: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(template, root)
    before = state_of(root)
    with lock.locked(str(root / ".claude/memory")):
        code = (
            "import sys; from cuecard.files import lock; from cuecard.errors import LockError\n"
            "try:\n    with lock.locked(sys.argv[1], 0.05): print('locked')\n"
            "except LockError as error: print(error.code)"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code, str(root / ".claude/memory")], capture_output=True, text=True, check=True
        )
    assert ran.stdout == "LOCK_TIMEOUT_ERROR\n"
    assert state_of(root) == before


# Machines that refuse writes


@pytest.fixture
def small_disk(tmp_path: Path) -> Callable[[str, str], subprocess.CompletedProcess[str]]:
    """A function that runs Python code in a separate namespace, where `DISK` is a tmpfs of 128 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    probe = (
        subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)],
            capture_output=True,
            check=False,
        )
        if shutil.which("unshare")
        else None
    )
    if probe is None or probe.returncode:
        pytest.skip("users of this machine may not mount file systems")

    def run(options: str, code: str) -> subprocess.CompletedProcess[str]:
        script = f'mount -t tmpfs -o {options} tmpfs "$DISK" && exec "$0" -c "$CODE"'
        return subprocess.run(
            ["unshare", "-rm", "sh", "-c", script, sys.executable],
            env={**os.environ, "DISK": str(disk), "CODE": code, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


FILL = """
import json, os, subprocess, sys
from pathlib import Path
from cuecard.errors import WriteError
from cuecard import Store
from cuecard.store.derived.current_index import rebuild
from built_snapshot import assert_snapshot_is_built_anew
from test_faults import decision, state_of
root = Path(os.environ["DISK"])
store = Store(root, create=True)
store.add(decision("The first one"))
"""


def test_a_full_disk_refuses_a_write_and_keeps_every_memory(
    small_disk: Callable[[str, str], subprocess.CompletedProcess[str]],
) -> None:
    code = (
        FILL
        + """
refused = 0
for number in range(200):
    before = state_of(root)
    try:
        store.add(decision(f"Decision number {number}", "x" * 2000))
    except WriteError as error:
        assert "No space left" in error.what, error.what
        assert state_of(root) == before, "a refused write changed the store"
        refused += 1
        break
assert refused, "the disk never filled"
try:
    store.update("the-first-one", {"content": {"context": "y" * 60000}})
except WriteError:
    pass
assert state_of(root) == before
assert not list(root.glob(".claude/memory/**/.*.tmp")), "a temporary file stayed"
# Room again: the next write succeeds and the index agrees.
for path in list(root.glob(".claude/memory/decisions/decision-number-*"))[:10]:
    path.unlink()
store.add(decision("There is room again"))
text = (root / ".claude/memory/index.md").read_text()
assert text == rebuild(store.root, store.memory_dir)[0]
assert_snapshot_is_built_anew(store)
print("held", len(before))
"""
    )
    ran = small_disk("size=128k", code)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("held ")


def test_a_disk_that_turned_read_only_refuses_every_write_and_serves_every_read(
    small_disk: Callable[[str, str], subprocess.CompletedProcess[str]],
) -> None:
    code = (
        FILL
        + """
before = state_of(root)
subprocess.run(["mount", "-o", "remount,ro", str(root)], check=True)
for write in (
    lambda: store.add(decision("Another one")),
    lambda: store.update("the-first-one", {"title": "The first one, changed"}),
    lambda: store.retire("the-first-one"),
):
    try:
        write()
    except WriteError as error:
        assert "Read-only" in error.what, error.what
        assert error.hint
    else:
        raise AssertionError("a write to a read-only disk was taken")
assert state_of(root) == before
assert [memory.title for memory in store.memories()] == ["The first one"]
import cuecard
assert [hit.title for hit in cuecard.search("first", root=root)] == ["The first one"]
print("held")
"""
    )
    ran = small_disk("size=128k", code)
    assert ran.stdout == "held\n", ran.stderr


@needs_fork
def test_permissions_that_are_lost_refuse_the_write_and_nothing_else(template: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(template, root)
    (root / ".claude/memory/.cuecard/write.lock").unlink(missing_ok=True)
    before = state_of(root)
    folder = root / ".claude/memory/decisions"
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    outcome = tmp_path / "outcome"
    outcome.touch()
    for path in (tmp_path, root, *tmp_path.parents):
        if path.stat().st_uid == os.getuid() and "pytest" in str(path):
            path.chmod(path.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    outcome.chmod(0o666)
    (root / ".claude/memory").chmod(0o777)
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                # The superuser may write everywhere, so the test runs as the user `nobody`.
                os.setgid(65534)
                os.setuid(65534)
            said = []
            store = Store(root)
            for write in (WRITES["add"], WRITES["retire"], WRITES["update with a new name"]):
                try:
                    write(store)
                    said.append("taken")
                except CuecardError as error:  # noqa: PERF203
                    said.append(f"{error.code}: {error.what}")
            outcome.write_text("\n".join(said), encoding="utf-8")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    folder.chmod(0o755)
    said = outcome.read_text(encoding="utf-8").splitlines()
    assert len(said) == 3
    assert all(line.startswith("WRITE_ERROR: ") and "ermission denied" in line for line in said), said
    assert state_of(root) == before


def test_a_clock_that_jumps_back_loses_nothing(template: Path, tmp_path: Path) -> None:
    """The last write has a modification time that is one day in the future."""
    root = tmp_path / "project"
    shutil.copytree(template, root)
    ahead = time.time_ns() + 86_400 * 10**9
    for path in root.glob(".claude/memory/*"):
        os.utime(path, ns=(ahead, ahead))
    store = Store(root)
    store.add(decision("Written after the jump"))
    assert "Written after the jump" in (root / ".claude/memory/index.md").read_text(encoding="utf-8")
    assert cuecard.search("written jump", root=root)[0].title == "Written after the jump"
    by_hand = root / ".claude/memory/decisions/by-hand.json"
    record = {**decision("Added by hand after the jump"), "record_status": "active"}
    by_hand.write_text(json.dumps(record), encoding="utf-8")
    store.update("keep-the-queue-short", {"content": {"context": "after the jump"}})
    assert (root / ".claude/memory/index.md").read_text(encoding="utf-8") == index_of(store)
    retired = store.retire("cache-the-tokens")
    assert retired.status == "retired"
    with pytest.raises(CuecardError) as caught:
        store.add(decision("Cache the tokens", "again"))
    assert caught.value.code == "ANTI_RESURRECTION_ERROR"


def test_a_write_error_says_what_where_and_how_to_mend_it(template: Path, tmp_path: Path) -> None:
    """The write fails because there is a file at the path where a folder is needed."""
    root = tmp_path / "project"
    shutil.copytree(template, root)
    (root / ".claude/memory/preferences").write_text("no folder", encoding="utf-8")
    with pytest.raises(WriteError) as caught:
        WRITES["add in a new folder"](Store(root))
    assert "preferences" in caught.value.what
    assert caught.value.hint
