"""The cost of recall inside a process, for each strategy: the 50th and 99th percentile over the prompts.

    python benches/recall.py [--sizes 600,10000,100000] [--rounds 5] [--prompts 200] [--projects FOLDER]
                             [--check]

Every round sends each prompt once to each backend and strategy, in random order, and starts an empty `python3 -I -S`.
The time of a prompt in a row is the median over the rounds; p50 and p99 are percentiles over the prompts, and the
ratios compare them with the start of the empty Python. Pure Python is only timed at the smallest size, where the
computation of the prompt's vector is also timed alone. `--check` fails if a target is missed.
"""

import argparse
import importlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from cuecard._pure.engine.snapshot import Snapshot
from cuecard._pure.requests.budget import Budget
from cuecard._pure.requests.request import Request
from cuecard._pure.retrieve.nearest import prompt_words
from cuecard._pure.retrieve.vectors import row_of_words
from hook_projects import Project
from hook_rows import BASE
from made_projects import make_prompt
from reviewed_home import prepare_home
from time_process import time_process

SHOWN, FOUND = 5, 13
# A fixed time, so that the memories have the same age on every run; microseconds since 1970.
NOW = 1_790_000_000_000_000
Run = Callable[[str], object]
# The targets, as ratios to an empty `python3 -I -S`: for the search half of what the whole hook may take at 600
# memories, and for the prompt's vector "well under a millisecond".
NATIVE_LIMIT, ENCODE_LIMIT = 0.15, 0.1


def make_runs(project: Project, name: str) -> dict[str, Run]:
    """The functions to time, each called with a prompt; the names have the backend, the size and the strategy."""
    engine = importlib.import_module(f"cuecard._{name}")
    config = engine.read_settings(None, None)
    snapshot = engine.load_snapshot(str(project.root), config.numbers, Budget()).snapshot
    runs: dict[str, Run] = {
        "bm25": lambda prompt: snapshot.search(Request(prompt, FOUND, config), "bm25"),
        "vectors": lambda prompt: snapshot.search(Request(prompt, FOUND, config), "vectors"),
        "hybrid": lambda prompt: snapshot.recall(Request(prompt, SHOWN, config, now=NOW), config.gate_setting),
    }
    if isinstance(snapshot, Snapshot):
        own = snapshot
        runs["the prompt's vector"] = lambda prompt: row_of_words(prompt_words(own, prompt))
    return {f"{name}, {project.size:,}: {what}": run for what, run in runs.items()}


def measure(runs: dict[str, Run], prompts: list[str], rounds: int, python: str) -> dict[str, list[float]]:
    """The seconds of each prompt for each function; the row `BASE` has the seconds of each start of a bare Python."""
    taken: dict[str, list[list[float]]] = {name: [[] for _ in prompts] for name in runs}
    base = []
    for number in range(rounds + 1):
        for name in random.sample(list(runs), len(runs)):
            run = runs[name]
            for place, prompt in enumerate(prompts):
                begin = time.perf_counter()
                run(prompt)
                # The first round warms the caches.
                if number:
                    taken[name][place].append(time.perf_counter() - begin)
            wall, _cpu, _output = time_process([python, "-I", "-S", "-c", "pass"], os.devnull, {})
            base.append(wall)
    return {BASE: base, **{name: [median(times) for times in each] for name, each in taken.items()}}


def main() -> None:
    """Make the projects, measure the searches, and print the table with the targets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="600,10000,100000", help="numbers of memories, separated by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--prompts", type=int, default=200, help="number of prompts, at least 2")
    parser.add_argument("--projects", type=Path, help="folder that keeps the projects, by default a temporary one")
    parser.add_argument("--check", action="store_true", help="fail if a target is missed")
    options = parser.parse_args()
    prompts = [make_prompt(number) for number in range(options.prompts)]
    python = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(prepare_home(Path(scratch, "home")))
        folder: Path = options.projects or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        projects = [Project(folder, size) for size in sorted(int(size) for size in options.sizes.split(","))]
        runs = {}
        for place, project in enumerate(projects):
            project.rebuild()
            for name in ("native", "pure")[: 1 if place else 2]:
                runs.update(make_runs(project, name))
        measured = measure(runs, prompts, options.rounds, python)

    base = median(measured.pop(BASE))
    print(f"{len(prompts)} prompts, {options.rounds} rounds; {BASE}: {base * 1e3:.2f} ms\n")
    print(f"{'':36} {'p50 ms':>9} {'p99 ms':>9} {'p50':>8} {'p99':>8}")
    missed = []
    for name, times in measured.items():
        middle, late = median(times), quantiles(times, n=100)[98]
        limit = ENCODE_LIMIT if name.endswith("vector") else 0.0
        limit = NATIVE_LIMIT if name.startswith("native") and name.endswith("hybrid") else limit
        sign = f"  <= {limit:g} {'reached' if late / base <= limit else 'NOT REACHED'}" if limit else ""
        print(f"{name:36} {middle * 1e3:9.3f} {late * 1e3:9.3f} {middle / base:8.4f} {late / base:8.4f}{sign}")
        if limit and late / base > limit:
            missed.append(name)
    if options.check and missed:
        raise SystemExit(f"recall.py: missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
