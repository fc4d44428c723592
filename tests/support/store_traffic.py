"""Many processes on one store: writers that mix every kind of write, and readers that read at the same time.

    python tests/support/store_traffic.py [WRITERS WRITES READERS]

As a program, it uses a new store and prints a summary. Without arguments, there are 16 writers with 200 writes each,
and 4 readers.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import cuecard
from built_snapshot import assert_snapshot_is_built_anew
from cuecard import Store
from cuecard.errors import ConflictError
from cuecard.files.lock import locked
from cuecard.store.derived.current_index import rebuild
from cuecard.store.derived.upkeep import refresh
from hook_process import find_executable
from scratch_home import use_scratch_home

SHARED = tuple(f"shared-decision-{number}" for number in range(1, 9))
KINDS = ("add", "add", "add", "append", "append", "retire", "restore", "archive", "rename", "rename")


def decision(title: str) -> dict[str, object]:
    content = {"status": "accepted", "context": "traffic", "decision": title, "rationale": ["to begin with"]}
    return {"category": "decision", "title": title, "tags": ["traffic"], "content": content}


def write(root: str, writer: int, writes: int) -> dict[str, object]:
    """Run one writer; return a report of its writes, so that `check` notices a lost write."""
    store, chance = Store(root), random.Random(writer)
    active: list[str] = []
    resting: dict[str, str] = {}
    appended: dict[str, list[str]] = {name: [] for name in SHARED}
    conflicts = 0
    for number in range(writes):
        kind = chance.choice(KINDS)
        if kind == "append":
            name, mark = chance.choice(SHARED), f"writer {writer} write {number}"
            while True:
                memory = store.show(name)
                rationale = [*memory.record["content"]["rationale"], mark]
                try:
                    store.update(name, {"content": {"rationale": rationale}}, expect_hash=memory.hash)
                    break
                except ConflictError:
                    conflicts += 1
            appended[name].append(mark)
        elif kind == "restore" and resting:
            name, _status = resting.popitem()
            store.restore(name)
            active.append(name)
        elif kind in ("retire", "archive") and active:
            name = active.pop(chance.randrange(len(active)))
            written = (store.retire if kind == "retire" else store.archive)(name)
            resting[name] = written.status
        elif kind == "rename" and active:
            place = chance.randrange(len(active))
            title = f"Wholly renamed {writer} {number} thing"
            active[place] = store.update(active[place], {"title": title}).id
        else:
            active.append(store.add(decision(f"Writer {writer} decides matter {number}")).id)
    return {"active": active, "resting": resting, "appended": appended, "conflicts": conflicts}


def read(root: str) -> dict[str, object]:
    """Run one reader until the file `stop` appears; assert that every answer is well-formed and every file complete.

    The hook is a reader that can also write: it repairs an outdated index without taking the lock.
    """
    rounds = Counter[str]()
    stop = Path(root, "stop")
    hook = [found] if (found := find_executable()) else [sys.executable, "-m", "cuecard.hook"]
    payload = json.dumps({"prompt": "shared decision traffic matter", "cwd": root})
    while not stop.exists():
        began = time.perf_counter()
        for path in Path(root).glob(".claude/memory/*/*.json"):
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            assert json.loads(data)["schema_version"] == "1.0", path
            rounds["files"] += 1
        hits = cuecard.search("shared decision traffic matter", root=root, k=5)
        assert all(hit.title for hit in hits)
        rounds["searches"] += 1
        ran = subprocess.run([*hook, "prompt"], input=payload, capture_output=True, text=True, check=True)
        assert ran.stderr == ""
        assert "memory-context" in json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]
        rounds["prompts"] += 1
        # Readers pause. Otherwise they would take the processor from the writers, and too few writes would happen.
        time.sleep(time.perf_counter() - began)
    return dict(rounds)


def check(root: Path, reports: list[dict[str, object]]) -> int:
    """Assert that the store has the result of every write in the reports; return the number of memories."""
    store = Store(root)
    expected: dict[str, str] = dict.fromkeys(SHARED, "active")
    for report in reports:
        active, resting = report["active"], report["resting"]
        assert isinstance(active, list)
        assert isinstance(resting, dict)
        expected |= dict.fromkeys(active, "active") | resting
    found = {memory.id: memory.status for memory in store.memories(status="all")}
    assert found == expected, set(found.items()) ^ set(expected.items())
    for name in SHARED:
        rationale = store.show(name).record["content"]["rationale"]
        marks = [mark for report in reports for mark in report["appended"][name]]  # type: ignore[index]
        assert sorted(rationale[1:]) == sorted(marks), f"updates of {name} were lost"
    with locked(store.memory_dir, seconds=1):
        # A prompt at the very end may have written derived files that are already outdated, so they are updated first.
        assert refresh(store.root, store.memory_dir) == []
        text = Path(store.memory_dir, "index.md").read_text(encoding="utf-8")
        assert_snapshot_is_built_anew(store)
    assert text == rebuild(store.root, store.memory_dir)[0], "index and memories differ"
    assert not list(root.glob(".claude/memory/**/*.tmp")), "a temporary file stayed"
    return len(found)


def run(root: Path, writers: int, writes: int, readers: int) -> str:
    """Run all writers and readers as real processes, and check the store; return a summary in one sentence."""
    store = Store(root, create=True)
    for name in SHARED:
        store.add(decision(name.replace("-", " ").capitalize()))

    def start(*arguments: object) -> "subprocess.Popen[str]":
        command = [sys.executable, __file__, *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    started = time.perf_counter()
    reading = [start("read", root) for _ in range(readers)]
    writing = [start("write", root, writer, writes) for writer in range(writers)]
    reports = [_finish(process) for process in writing]
    seconds = time.perf_counter() - started
    (root / "stop").touch()
    seen = sum((Counter(_finish(process)) for process in reading), Counter[str]())
    memories = check(root, reports)
    conflicts = sum(int(str(report["conflicts"])) for report in reports)
    return (
        f"{writers} writers made {writers * writes} writes in {seconds:.1f} s ({conflicts} conflicts seen and "
        f"repeated) while {readers} readers read {seen['files']} files, searched {seen['searches']} times and answered "
        f"{seen['prompts']} prompts: "
        f"{memories} memories, nothing lost, nothing torn, index and snapshot in step"
    )


def _finish(process: "subprocess.Popen[str]") -> dict[str, object]:
    stdout, _stderr = process.communicate()
    assert process.returncode == 0, "a process failed; its traceback is above"
    report = json.loads(stdout)
    assert isinstance(report, dict)
    return report


def main(arguments: list[str]) -> None:
    """Run the whole traffic, or one of its processes, as the arguments say."""
    if arguments[:1] == ["write"]:
        print(json.dumps(write(arguments[1], int(arguments[2]), int(arguments[3]))))
    elif arguments[:1] == ["read"]:
        print(json.dumps(read(arguments[1])))
    else:
        use_scratch_home()
        writers, writes, readers = map(int, arguments or ("16", "200", "4"))
        with tempfile.TemporaryDirectory() as folder:
            print(run(Path(folder), writers, writes, readers))


if __name__ == "__main__":
    main(sys.argv[1:])
