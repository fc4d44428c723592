"""Compare cuecard's index with the engines that people would otherwise use, all in one run.

    python benches/peers.py [--sizes 600,10000,100000] [--engines NAME,NAME] [--rounds 3] [--work FOLDER] [--out FILE]

Every engine has a process of its own, and the processes take turns, in random order in every round. A ratio is computed
within each round and its median over the rounds is shown, so that other load on the machine matters little. Indexes of
other engines in the folder `--work` are used again by the next run. An engine that is not installed is left out. At the
end, the targets of section D of the project's performance reference, rows 9 to 22, are printed with the measured
figures. `--out` writes everything as JSON, from which peer_plot.py draws a picture.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peer_corpus import QUERY_SETS, read_queries, write_corpus
from peer_engines import ENGINES
from peer_tables import OURS, show_tables
from peer_targets import judge_rows
from reviewed_home import prepare_home
from time_process import time_process

HERE = Path(__file__).resolve().parent
K = 10
# The most seconds for a query set in a round, and for a step with threads or batches.
SET_SECONDS, STEP_SECONDS = 3.0, 0.5
Measured = dict[str, Any]


class Process:
    """The worker process of an engine."""

    def __init__(self, name: str, folder: Path, corpus: Path) -> None:
        command = [sys.executable, str(HERE / "peer_worker.py"), name, str(folder), str(corpus)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
        )

    def measure(self, what: str, **how: float | str) -> Any:  # noqa: ANN401
        """The worker's answer to a request. Raises RuntimeError, with the last line of its stderr, if it has ended."""
        streams = self.process
        if streams.stdin is None or streams.stdout is None or streams.stderr is None:
            raise RuntimeError("no pipes")
        try:
            streams.stdin.write(json.dumps({"measure": what, **how}) + "\n")
            streams.stdin.flush()
        except BrokenPipeError:
            pass
        line = streams.stdout.readline()
        if not line:
            words = streams.stderr.read().strip().splitlines()
            raise RuntimeError(words[-1] if words else "ended without a message")
        return json.loads(line)

    def end(self) -> None:
        """Close the worker's input and wait until it ends."""
        self.process.communicate()


class Run:
    """The measurements of all engines at one size."""

    def __init__(self, size: int, names: list[str], work: Path, rounds: int) -> None:
        self.size, self.work, self.rounds = size, work, rounds
        self.corpus = work / "corpus"
        self.names = [name for name in names if size <= ENGINES[name].size_max]
        self.results: dict[str, Measured] = {name: {} for name in self.names}

    def folder(self, name: str) -> Path:
        """The folder of an engine's index at this size."""
        return self.work / f"{ENGINES[name].index_of or name}-{self.size}"

    def leave_out(self, name: str, error: object) -> None:
        """Remove an engine from the run and print the reason."""
        print(f"{name} is left out at {self.size}: {error}", file=sys.stderr)
        self.names.remove(name)
        del self.results[name]

    def build(self) -> None:
        """Build the missing indexes; cuecard's index is always rebuilt, because its code changes."""
        for name in sorted(self.names, key=lambda name: ENGINES[name].index_of):
            folder = self.folder(name)
            record = folder.with_name(folder.name + ".json")
            if name == OURS:
                record.unlink(missing_ok=True)
            if not record.exists() and not ENGINES[name].index_of:
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                worker = Process(name, folder, self.corpus)
                try:
                    record.write_text(json.dumps(worker.measure("build", size=self.size)), encoding="ascii")
                except RuntimeError as error:
                    self.leave_out(name, error)
                worker.end()
            if not record.exists():
                if name in self.names:
                    self.leave_out(name, "it has no index")
            elif not ENGINES[name].index_of:
                self.results[name]["build"] = json.loads(record.read_text(encoding="ascii"))

    def open(self, name: str, workers: dict[str, Process]) -> None:
        """Let a worker open its index; leave out the engine if that fails."""
        try:
            self.results[name]["open_ms"] = workers[name].measure("open")["ms"]
        except RuntimeError as error:
            self.leave_out(name, error)
            workers.pop(name).end()

    def search(self) -> None:
        """Measure warm queries, batches and threads; the engines take turns."""
        workers = {name: Process(name, self.folder(name), self.corpus) for name in self.names if not is_variant(name)}
        for name in list(workers):
            self.open(name, workers)

        def turn(what: str, label: str, **how: float | str) -> None:
            for name in random.sample(list(workers), len(workers)):
                self.results[name].setdefault(label, []).append(workers[name].measure(what, **how))

        for _ in range(self.rounds):
            for queries in QUERY_SETS:
                turn("warm", f"warm {queries}", queries=queries, k=K, seconds=SET_SECONDS)
        turn("memory", "memory")
        turn("answers", "answers", k=K, seconds=4 * SET_SECONDS)
        for _ in range(self.rounds):
            turn("batch", "batch", k=K, seconds=STEP_SECONDS)
            for count in (1, 2):
                turn("threads", f"threads {count}", k=K, count=count, seconds=STEP_SECONDS)
        for worker in workers.values():
            worker.end()

    def start_cold(self) -> None:
        """Measure fresh processes that answer one prompt each."""
        prompts = read_queries(self.corpus, "prompt")
        names = ["nothing", *(name for name in self.names if not is_variant(name))]
        self.results["nothing"] = {}
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        for number in range(self.rounds * 3 + 1):
            # Numba needs seconds to compile, so it runs only in the first rounds.
            for name in random.sample(names, len(names)) if number < 3 else [n for n in names if "numba" not in n]:
                command = [sys.executable, "-I", str(HERE / "peer_cold.py"), name, str(self.folder(name)), str(K)]
                wall, cpu, output = time_process([*command, prompts[number]], os.devnull, environment)
                opened, first, _ = map(float, output.split())
                row = {"wall": wall * 1e3, "cpu": cpu * 1e3, "open": opened, "first": first}
                if number:
                    self.results[name].setdefault("cold", []).append(row)

    def add(self) -> None:
        """Measure how long adding one document takes, on copies of the indexes."""
        growing = [name for name in self.names if ENGINES[name].grows]
        workers = {}
        for name in growing:
            copy = self.work / "copies" / name
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(self.folder(name), copy)
            workers[name] = Process(name, copy, self.corpus)
            workers[name].measure("open")
        os.sync()
        for number in range(self.rounds * 3 + 1):
            for name in random.sample(growing, len(growing)):
                row = workers[name].measure("add", number=number, k=K)
                if number:
                    self.results[name].setdefault("add", []).append(row)
        for worker in workers.values():
            worker.end()
        shutil.rmtree(self.work / "copies", ignore_errors=True)


def is_variant(name: str) -> bool:
    """Whether the engine uses the index of another engine and differs from it only in how it adds documents."""
    return name == "cuecard-no-fsync"


def is_installed(name: str) -> bool:
    """Whether this Python can import the engine; prints the reason if not."""
    module = ENGINES[name].module
    command = [sys.executable, "-c", f"import {module}" + ("; cuecard.Index" if module == "cuecard" else "")]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode:
        print(f"{name} is left out: {(outcome.stderr.splitlines() or ['?'])[-1]}", file=sys.stderr)
    return outcome.returncode == 0


def main() -> None:
    """Measure the engines, and print the tables and the targets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="600,10000,100000", help="numbers of documents; some targets need 800000")
    parser.add_argument("--engines", help="names separated by commas, by default all")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, help="folder that keeps corpus and indexes")
    parser.add_argument("--parts", default="search,cold,add", help="what to measure besides building")
    parser.add_argument("--out", type=Path, help="JSON file for the results")
    options = parser.parse_args()
    sizes = sorted(int(size) for size in options.sizes.split(","))
    asked = options.engines.split(",") if options.engines else list(ENGINES)
    names = [name for name in asked if name != "nothing" and is_installed(name)]
    results: dict[str, dict[str, Measured]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(prepare_home(Path(scratch, "home")))
        work = options.work or Path(scratch)
        corpus, note = work / "corpus", work / "corpus.json"
        made = json.loads(note.read_text(encoding="utf-8")) if note.exists() else {"size": 0}
        if made["size"] < sizes[-1]:
            made = {"size": sizes[-1], "text": write_corpus(corpus, sizes[-1])}
            note.write_text(json.dumps(made), encoding="utf-8")
        print(f"{made['text']}; top {K}, {options.rounds} rounds, Python {sys.version.split()[0]}", flush=True)
        for size in sizes:
            begin = time.perf_counter()
            run = Run(size, names, work, options.rounds)
            run.build()
            parts: dict[str, Callable[[], None]] = {"search": run.search, "cold": run.start_cold, "add": run.add}
            for part in options.parts.split(","):
                parts[part]()
            results[str(size)] = run.results
            show_tables(size, run.results)
            print(f"({time.perf_counter() - begin:.0f} s)", flush=True)
    judge_rows(results)
    if options.out:
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
