"""Measure what the words of prompts tell about durable statements, and what the bars of asking cost.

    python tools/measure_weights.py [--curve]

For each weight of a prompt (`capture/ledger/weights.py`): how many prompts of the judged sessions have it, how many of
these state something durable, and between which shares that varies when one project after the other is left out.
`--curve` measures the judged sessions and the chains of short ones at several bars, with the pure backend: the share of
stops at which the agent is asked, all causes together, against the statements handed over by the end of the next
session. The first number of a row is `WAITING`, the second `FULL` (`capture/ledger/moments.py`).
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "support")]

import measure_capture  # noqa: E402
from capture_sessions import read_sessions  # noqa: E402
from cuecard._backend import is_substantial  # noqa: E402
from cuecard.capture.ledger import moments  # noqa: E402
from cuecard.capture.ledger.quotes import find_quotes, own_words  # noqa: E402
from cuecard.capture.ledger.weights import MOST, weight_of  # noqa: E402

BARS = ((1, 2), (2, 3), (3, 4), (4, 6), (6, 8))
Counts = Counter[tuple[str, int, bool]]


def main() -> int:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--curve", action="store_true", help="measure what the bars cost; this takes minutes")
    lines = _curve() if parser.parse_args().curve else _weights()
    for line in lines:
        print(line, flush=True)
    return 0


def _weights() -> Iterator[str]:
    counts: Counts = Counter()
    for session in read_sessions():
        durable = {label.turn for label in session.labels if label.by == "user"}
        for number, turn in enumerate(session.turns):
            if turn.prompt:
                counts[session.project, _weight(turn.prompt), number in durable] += 1
    projects = sorted({project for project, _, _ in counts})
    yield "weight  prompts  durable  with a project left out"
    for weight in sorted({weight for _, weight, _ in counts}):
        shares = [_share(counts, weight, project) for project in projects]
        prompts = sum(number for (_, each, _), number in counts.items() if each == weight)
        yield f"{weight:>6}  {prompts:>7}  {_share(counts, weight):>7.0%}  {min(shares):.0%} to {max(shares):.0%}"


def _share(counts: Counts, weight: int, left_out: str = "") -> float:
    kept = {key: number for key, number in counts.items() if key[1] == weight and key[0] != left_out}
    return sum(number for key, number in kept.items() if key[2]) / max(1, sum(kept.values()))


def _weight(prompt: str) -> int:
    quoted = find_quotes(prompt)
    is_counted = is_substantial(own_words(prompt, quoted))
    entry = {"k": "prompt", "text": prompt, "quoted": quoted, "signs": [], "is_substantial": is_counted}
    return weight_of(entry, MOST)


def _curve() -> Iterator[str]:
    for waiting, full in BARS:
        moments.WAITING, moments.FULL = waiting, full
        for name, measure in (
            ("judged", measure_capture.measure_judged),
            ("chains", measure_capture.measure_chains),
        ):
            with tempfile.TemporaryDirectory() as folder:
                figures = measure(measure_capture.pure_hook(Path(folder)), Path(folder), is_listed=False)
            asks = sum(figures.asks.values()) / figures.stops
            first, handed = figures.first_asks / figures.sessions, figures.by_later / figures.labels
            yield (
                f"{waiting} {full} {name}: {asks:.1%} of the stops, {first:.0%} of the first stops,"
                f" {handed:.0%} handed over"
            )


if __name__ == "__main__":
    sys.exit(main())
