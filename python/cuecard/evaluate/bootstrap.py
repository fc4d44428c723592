"""Confidence intervals by a stratified bootstrap over prompts, with the percentile method (Efron 1979)."""

import random
from collections.abc import Sequence
from operator import itemgetter

from .measures import Row

RESAMPLES = 1000
SEED = 20
LEVEL = 0.95

# The positions of the drawn prompts. A position can occur several times.
Draw = Sequence[int]
Interval = tuple[float, float]


def draw(strata: Sequence[str], count: int = RESAMPLES, seed: int = SEED) -> list[Draw]:
    """Draw `count` samples of prompts with replacement, each stratum with its own size.

    `strata` has the stratum of each prompt, such as its kind. The same strata and seed give the same samples, so that
    two runs of the same prompts can be compared sample by sample.
    """
    chance = random.Random(seed)
    members: dict[str, list[int]] = {}
    for position, stratum in enumerate(strata):
        members.setdefault(stratum, []).append(position)
    groups = list(members.values())
    return [[place for group in groups for place in chance.choices(group, k=len(group))] for _ in range(count)]


def resample(rows: Sequence[Row], name: str, draws: Sequence[Draw]) -> list[float | None]:
    """The value of a measure for each sample; None for a sample to which the measure does not apply."""
    parts = [row.get(name, (0.0, 0.0)) for row in rows]
    above, below = [part[0] for part in parts], [part[1] for part in parts]
    values: list[float | None] = []
    for sample in draws:
        if len(sample) < 2:
            pick = [above[place] for place in sample], [below[place] for place in sample]
        else:
            chosen = itemgetter(*sample)
            pick = chosen(above), chosen(below)
        whole = sum(pick[1])
        values.append(sum(pick[0]) / whole if whole else None)
    return values


def interval(values: Sequence[float | None], level: float = LEVEL) -> Interval | None:
    """The interval with the middle share `level` of the resampled values; None if all values are None."""
    found = sorted([value for value in values if value is not None])
    if not found:
        return None
    return quantile(found, (1 - level) / 2), quantile(found, (1 + level) / 2)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile `share` of sorted values, by linear interpolation; there must be at least one value."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
