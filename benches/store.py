"""The cost of a write: `cuecard add` as a whole process, and `Store.add` inside a process, on stores of several sizes.

It also shows how much of this time the update of the snapshot takes, and how long a rebuild of index and snapshot
takes.

    python benches/store.py [--sizes 600,10000] [--rounds 15] [--check]

Ratios are medians over the rounds. A whole process is divided by an empty `python3 -I -S` of the same round; a write
inside the process by a bare write of the same bytes with fsync and rename; the update of the snapshot by the whole
`cuecard add`. Every round adds other memories, and at the end index and snapshot must equal a rebuild. `--check` fails
if the wall time of a whole `cuecard add` is over 300 ms.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cuecard import Store
from cuecard._backend import engine, read_effective_settings
from cuecard._pure.requests.budget import Budget
from cuecard.store.derived import upkeep
from cuecard.store.derived.current_index import rebuild
from cuecard.store.derived.reindex import reindex
from made_projects import write_project
from reviewed_home import prepare_home

BUDGET_SECONDS = 0.3
REBUILDS = 3
BASES = {"Store.add": "a bare write", "snapshot of it": "the whole cuecard add"}


def make_record(number: int) -> dict[str, object]:
    """The record of the memory with this number."""
    content = {"status": "accepted", "context": "a benchmark", "decision": f"number {number}", "rationale": ["speed"]}
    return {"category": "decision", "title": f"Measure write {number}", "tags": ["bench"], "content": content}


def time_call(call: "list[str]", stdin: bytes, environment: dict[str, str]) -> float:
    """The wall seconds of a process. Raises CalledProcessError if it fails."""
    started = time.perf_counter()
    subprocess.run(call, input=stdin, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def time_bare_write(folder: Path, data: bytes) -> float:
    """The wall seconds to write bytes durably: write a file, fsync it, rename it, fsync the folder."""
    started = time.perf_counter()
    handle = os.open(folder / "bare.tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(handle, data)
    os.fsync(handle)
    os.close(handle)
    (folder / "bare.tmp").replace(folder / "bare")
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
    return time.perf_counter() - started


class SnapshotClock:
    """Adds up the time that writes in this process take to compute and write the snapshot."""

    def __init__(self) -> None:
        """Start to measure the functions that update the snapshot."""
        self.seconds = 0.0
        for name in ("follow", "write_snapshot"):
            setattr(upkeep, name, self.watched(getattr(upkeep, name)))

    def watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that calls `function` and adds its time to `seconds`."""

        def run(*arguments: object) -> object:
            started = time.perf_counter()
            found = function(*arguments)
            self.seconds += time.perf_counter() - started
            return found

        return run


def check_derived(store: Store, writes: int) -> None:
    """Exit with an error if index and snapshot do not match the memories."""
    text = Path(store.memory_dir, "index.md").read_text(encoding="utf-8")
    if text != rebuild(store.root, store.memory_dir)[0] or text.count("Measure write") != writes:
        raise SystemExit("store.py: the index does not match the memories")
    loaded = engine.load_snapshot(store.root, read_effective_settings(store.memory_dir).settings.numbers, Budget())
    if not loaded or not loaded.is_on_disk or text.count("\n- [") != len(loaded.snapshot.active_lines):
        raise SystemExit("store.py: the snapshot does not match the memories")


def measure(size: int, rounds: int) -> dict[str, tuple[float, float]]:
    """The median seconds and the median ratio of each row of the table, for a store of `size` memories."""
    with tempfile.TemporaryDirectory() as scratch:
        root = write_project(Path(scratch, "project"), size)
        home = prepare_home(Path(scratch, "home"))
        os.environ.update(home)
        environment = {"HOME": scratch, "PATH": os.environ["PATH"], **home}
        add = [sys.executable, "-m", "cuecard.cli", "add", "--root", str(root)]
        store = Store(root)
        # The first write rebuilds the generated index.
        store.add(make_record(0))
        walls: dict[str, list[tuple[float, float]]] = {"cuecard add": [], "cuecard add, pure": [], "Store.add": []}
        walls |= {"snapshot of it": [], "index rebuild": []}
        clock = SnapshotClock()
        for number in range(1, rounds + 1):
            empty = time_call([sys.executable, "-I", "-S", "-c", "pass"], b"", environment)
            for place, backend in enumerate(("auto", "pure")):
                data = json.dumps(make_record(3 * number + place)).encode()
                wall = time_call(add, data, {**environment, "CUECARD_BACKEND": backend})
                walls["cuecard add" if backend == "auto" else "cuecard add, pure"].append((wall, wall / empty))
            bare = time_bare_write(Path(scratch), json.dumps(make_record(number), indent=2).encode())
            clock.seconds = 0.0
            started = time.perf_counter()
            store.add(make_record(3 * number + 2))
            wall = time.perf_counter() - started
            walls["Store.add"].append((wall, wall / bare))
            walls["snapshot of it"].append((clock.seconds, clock.seconds / walls["cuecard add"][-1][0]))
        check_derived(store, 3 * rounds + 1)
        for _ in range(REBUILDS):
            empty = time_call([sys.executable, "-I", "-S", "-c", "pass"], b"", environment)
            started = time.perf_counter()
            reindex(store.root, store.memory_dir)
            wall = time.perf_counter() - started
            walls["index rebuild"].append((wall, wall / empty))
        check_derived(store, 3 * rounds + 1)
    return {
        name: (statistics.median(wall for wall, _ in rows), statistics.median(ratio for _, ratio in rows))
        for name, rows in walls.items()
    }


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="600,10000", help="numbers of memories, separated by commas")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--check", action="store_true", help="fail if `cuecard add` takes over 300 ms")
    options = parser.parse_args()
    print(f"{'':34} {'ms':>7} {'x base':>7}   base")
    slowest = 0.0
    for size in map(int, options.sizes.split(",")):
        for name, (seconds, ratio) in measure(size, options.rounds).items():
            base = BASES.get(name, "an empty python3")
            print(f"{name + f', {size} memories':34} {seconds * 1e3:7.1f} {ratio:7.2f}   {base}")
            slowest = max(slowest, seconds if name.startswith("cuecard add") else 0.0)
    if options.check and slowest > BUDGET_SECONDS:
        limit = f"the limit is {BUDGET_SECONDS * 1e3:.0f} ms"
        raise SystemExit(f"store.py: `cuecard add` takes {slowest * 1e3:.0f} ms; {limit}")


if __name__ == "__main__":
    main()
