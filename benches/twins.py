"""Prints how many times faster the native backend is than the pure one, for each case.

    python benches/twins.py [--seconds 1.0] [--rounds 7] [--check]

The backends take turns, in random order, in batches of the same work. In each round, the pure batch's time is divided
by the native batch's time; the ratio is the median over the rounds, as in hook.py. Both batches of a round run under
the same load, and a disturbed round does not change the median. A second column has the ratio of each backend's fastest
batch. A batch repeats its work until it takes 20 milliseconds, because a single run of some microseconds right after
the other backend's work would mostly measure cold caches. The garbage collector is on, as in any program, but inspects
only the objects of the runs. `--check` fails if a ratio is under its budget.
"""

import argparse
import gc
import importlib
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from twin_cases import CASES, Case

BATCH_SECONDS = 0.02


def time_batch(run: Callable[[], Any], repeats: int) -> float:
    """Mean seconds of one run in a batch of `repeats` runs, including the time to free the results."""
    begin = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - begin) / repeats


def find_repeats(run: Callable[[], Any]) -> int:
    """The number of runs that make a batch long enough to be timed."""
    repeats = 1
    while (taken := time_batch(run, repeats) * repeats) < BATCH_SECONDS:
        repeats = max(repeats + 1, int(repeats * BATCH_SECONDS * 1.2 / max(taken, 1e-6)))
    return repeats


def measure(case: Case, seconds: float, rounds: int) -> dict[str, list[float]]:
    """The mean seconds of a run in each batch, by backend. Exits if the backends' results differ.

    There are at least `rounds` batches, and more until `seconds` have passed.
    """
    engines = {name: importlib.import_module(f"cuecard._{name}") for name in ("native", "pure")}
    runs = {name: case.prepare(engine) for name, engine in engines.items()}
    if case.read(runs["native"]()) != case.read(runs["pure"]()):
        raise SystemExit(f"twins.py: the backends differ at `{case.name}`")
    gc.collect()
    gc.freeze()
    repeats = {name: find_repeats(run) for name, run in runs.items()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["pure"]) < rounds:
        for name in random.sample(list(runs), len(runs)):
            times[name].append(time_batch(runs[name], repeats[name]))
    return times


def main() -> None:
    """Measure every case and print the table with the budgets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="least time for each case")
    parser.add_argument("--rounds", type=int, default=7, help="least number of batches for each case")
    parser.add_argument("--check", action="store_true", help="fail if a ratio is under its budget")
    options = parser.parse_args()
    try:
        importlib.import_module("cuecard._native")
    except ImportError as error:
        print(f"twins.py: the native backend does not load: {error}")
        raise SystemExit(options.check) from None

    print(f"{'':42} {'native ms':>10} {'pure ms':>10} {'faster':>8} {'at best':>8}")
    too_slow = []
    for case in CASES:
        times = measure(case, options.seconds, options.rounds)
        middle = {name: statistics.median(taken) for name, taken in times.items()}
        ratio = statistics.median(pure / native for pure, native in zip(times["pure"], times["native"], strict=True))
        print(
            f"{case.name:42} {middle['native'] * 1e3:10.4f} {middle['pure'] * 1e3:10.3f} {ratio:7.1f}x "
            f"{min(times['pure']) / min(times['native']):7.1f}x{f'  budget {case.budget:g}x' if case.budget else ''}"
        )
        if case.budget and ratio < case.budget:
            too_slow.append(case.name)
    if options.check and too_slow:
        raise SystemExit(f"twins.py: under budget: {', '.join(too_slow)}")


if __name__ == "__main__":
    main()
