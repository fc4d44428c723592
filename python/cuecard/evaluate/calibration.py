"""Compares the gate's probabilities with the judgments."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .bootstrap import Interval
from .judged_prompts import ACCEPTABLE, JudgedPrompt
from .run_file import RunLine

BINS = 10
# The 97.5% point of the normal distribution.
_Z = 1.959964


@dataclass(frozen=True)
class Bin:
    """The memories with a probability from `low` to `high`."""

    low: float
    high: float
    count: int
    expected: float
    """The mean of the probabilities."""
    found: float
    """The share of these memories that are wanted or acceptable."""
    interval: Interval
    """Wilson's 95% interval of `found`."""


@dataclass(frozen=True)
class Reliability:
    """How well the probabilities agree with the judgments."""

    bins: tuple[Bin, ...]
    """The bins that have memories, from low to high."""
    count: int
    brier: float
    """The mean squared difference of probability and outcome (0 or 1); 0 is best."""
    gap: float
    """The expected calibration error: the mean of |`expected` - `found`| over the bins, weighted by `count`."""


def reliability(run: Sequence[RunLine], prompts: Sequence[JudgedPrompt]) -> Reliability | None:
    """The reliability over all memories of a run that have a probability; None if no memory has one."""
    judgments = {prompt.key: prompt.judgments for prompt in prompts}
    pairs = [
        (chance, float(judgments[line.key].get(memory, 0) >= ACCEPTABLE))
        for line in run
        if line.key in judgments
        for memory, chance in zip(line.results, line.probabilities, strict=False)
        if chance is not None
    ]
    if not pairs:
        return None
    members: dict[int, list[tuple[float, float]]] = {}
    for pair in pairs:
        members.setdefault(min(BINS - 1, int(pair[0] * BINS)), []).append(pair)
    bins = tuple([_bin(number, members[number]) for number in sorted(members)])
    brier = sum([(chance - outcome) ** 2 for chance, outcome in pairs]) / len(pairs)
    gap = sum([part.count * abs(part.expected - part.found) for part in bins]) / len(pairs)
    return Reliability(bins, len(pairs), brier, gap)


def _bin(number: int, pairs: list[tuple[float, float]]) -> Bin:
    count = len(pairs)
    expected = sum([chance for chance, _outcome in pairs]) / count
    found = sum([outcome for _chance, outcome in pairs]) / count
    return Bin(number / BINS, (number + 1) / BINS, count, expected, found, wilson(found, count))


def wilson(share: float, count: int) -> Interval:
    """The 95% interval of a share that was found in `count` cases (Wilson 1927)."""
    whole = 1 + _Z**2 / count
    centre = (share + _Z**2 / (2 * count)) / whole
    half = _Z * math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2)) / whole
    return max(0.0, centre - half), min(1.0, centre + half)
