"""Priors: points for categories that fit the kind of the prompt, and for the age of a memory (SPEC 26.2)."""

from ..settings.reader import LASTING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..settings.reader import Settings

# The limit for all priors of a memory together, in 1/4096: under 3 % of the retrievers' points, to decide among equals.
MAX_PRIOR = 320
# Cue, categories and points. Other cues and more points gained nothing on the judged projects.
INTENTS = (
    ("asks_how", ("RUNBOOK",), 160),
    ("asks_why", ("DECISION",), 320),
    ("edit", ("CONSTRAINT", "PREFERENCE"), 160),
    ("error", ("RUNBOOK", "TECH_DEBT"), 320),
    ("continues", ("SESSION_SUMMARY", "TECH_DEBT"), 160),
)
BURST_CATEGORY = "SESSION_SUMMARY"
BURST_POINTS = 160
# Eight hours, in microseconds.
BURST_AGE = 28_800_000_000
# 4096 * 2^(-i/16).
HALVING = (4096, 3922, 3756, 3597, 3444, 3298, 3158, 3025, 2896, 2774, 2656, 2543, 2435, 2332, 2233, 2139)
# A sixteenth of a second in microseconds.
SIXTEENTH = 62_500

# The name of a prior and its points.
Prior = tuple[str, int]


def prior_points(
    cues: list[str],
    category: str,
    updated_at: int | None,
    now: int,
    settings: "Settings",
    situational: "Sequence[Prior]" = (),
) -> list[Prior]:
    """The points to add to a memory's fused score, in 1/4096, by name, without zeros. Their sum is between -`MAX_PRIOR`
    and `MAX_PRIOR`.

    `situational` are the priors of the situation (SPEC 34.3), `category` is in capitals, and times are in microseconds
    since 1970.
    """
    found = [(cue, points) for cue, categories, points in INTENTS if cue in cues and category in categories]
    if updated_at is not None:
        age = max(now - updated_at, 0)
        if category == BURST_CATEGORY and updated_at <= now and age <= BURST_AGE:
            found.append(("burst", BURST_POINTS))
        if settings.half_life_seconds and category in settings.decay_categories and category not in LASTING:
            found.append(("decay", -decay(age, settings.half_life_seconds)))
    bounded, total = [], 0
    for name, points in [*found, *situational]:
        moved = min(max(total + points, -MAX_PRIOR), MAX_PRIOR)
        if moved != total:
            bounded.append((name, moved - total))
        total = moved
    return bounded


def decay(age: int, half_life_seconds: int) -> int:
    """The points to subtract for age, in 1/4096: 0 at first, half of `MAX_PRIOR` at the half-life, at last `MAX_PRIOR`.

    `age` is in microseconds and counts in whole sixteenths of the half-life.
    """
    steps = age // (half_life_seconds * SIXTEENTH)
    return MAX_PRIOR * (HALVING[0] - (HALVING[steps % 16] >> min(steps // 16, 13))) // HALVING[0]
