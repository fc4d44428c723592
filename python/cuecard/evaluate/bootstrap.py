"""How far a measure could be off: bootstrap over prompts, each kind keeping its number (Efron 1979; percentiles)."""

import random
from collections.abc import Sequence
from operator import itemgetter

from .measures import Row

RESAMPLES = 1000
SEED = 20
LEVEL = 0.95

# Positions of the prompts that are drawn, with repetition.
Draw = Sequence[int]
Interval = tuple[float, float]


def draw(strata: Sequence[str], count: int = RESAMPLES, seed: int = SEED) -> list[Draw]:
    """Samples of the prompts as large as the whole, within each stratum with repetition; `strata` has one a prompt.

    The same for the same strata and seed, so that runs of the same prompts can be compared sample by sample.
    """
    chance = random.Random(seed)
    members: dict[str, list[int]] = {}
    for position, stratum in enumerate(strata):
        members.setdefault(stratum, []).append(position)
    groups = list(members.values())
    return [[place for group in groups for place in chance.choices(group, k=len(group))] for _ in range(count)]


def resample(rows: Sequence[Row], name: str, draws: Sequence[Draw]) -> list[float | None]:
    """A measure of each sample; None for samples to which it does not apply."""
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
    """The middle `level` of resampled values; None without any."""
    found = sorted([value for value in values if value is not None])
    if not found:
        return None
    return quantile(found, (1 - level) / 2), quantile(found, (1 + level) / 2)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ordered values lies, interpolated; there must be one."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
