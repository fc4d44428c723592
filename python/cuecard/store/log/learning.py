"""What recall learns from verdicts and signs of use (docs/reference/verdicts.md, "Learning").

A memory gets points that reorder near-ties only, and the gate of the store is moved a little. What is promised is that
harm is noticed: a few verdicts change nothing, and the same verdict many times in one session counts once.
"""

from collections import defaultdict
from collections.abc import Iterable
from math import log, sqrt

from ...basics.light_dataclass import dataclass

WRONG, GOOD, USED, UNSEEN = "wrong", "good", "used", "unseen"
# A memory is thought to be as often wrong as not by this many sessions before anything was said of it.
DOUBT = 4.0
# The points of a memory are at most a tenth of those of other priors for each unit of evidence, and never more.
MAX_PRIOR, POINTS = 320, 160.0
# The gate moves only where this many sessions have said something, and by at most a probability of .05.
FEWEST_SESSIONS, MAX_SHIFT, SHIFT = 12, 204, 160.0
# The share of wrong verdicts at which the gate stays where it is. It is moved where the share is surely another one.
USUAL_WRONG = 0.5
# How many standard errors away from chance a majority must be to count. With two, random verdicts moved one memory in
# twenty; with three they move one in four hundred.
SURE = 3.0
# A sign of use says less than a verdict.
OF_SIGN = 0.25


@dataclass(frozen=True)
class Evidence:
    """A verdict or a sign of use about one text of a memory, which is named by its path and hash."""

    memory: tuple[str, str]
    kind: str
    strength: float
    session: str


@dataclass(frozen=True)
class Learned:
    """The points of each memory, in 1/4096, and what is added to the gate's lowest logit, in 1/1024."""

    priors: "dict[tuple[str, str], int]"
    shift: int


def learn(evidence: Iterable[Evidence]) -> Learned:
    """What the evidence says. In each session only the strongest evidence of a kind about a memory counts."""
    strongest: dict[tuple[tuple[str, str], str, str], float] = defaultdict(float)
    for one in evidence:
        key = one.memory, one.session, one.kind
        strongest[key] = max(strongest[key], one.strength)
    for_memory: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    sessions: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (memory, session, kind), strength in strongest.items():
        if kind == WRONG:
            for_memory[memory][1] += strength
            sessions[session][1] += 1
        else:
            for_memory[memory][0] += strength * (OF_SIGN if kind == USED else 1.0)
            sessions[session][0] += kind == GOOD
    priors = {memory: points for memory, (good, wrong) in for_memory.items() if (points := _points(good, wrong))}
    return Learned(priors, _shift([*sessions.values()]))


def _points(good: float, wrong: float) -> int:
    """The points of a memory: the logarithm of the odds that it helps, drawn towards none by `DOUBT`."""
    total = good + wrong
    # One session more or less could turn a smaller majority.
    if abs(good - wrong) < SURE * sqrt(total):
        return 0
    odds = log((good + DOUBT) / (wrong + DOUBT))
    return max(-MAX_PRIOR, min(MAX_PRIOR, round(POINTS * odds)))


def _shift(sessions: list[list[float]]) -> int:
    """What is added to the gate's lowest logit where surely more than the usual share is wrong; it is never lowered.

    In a simulation, a gate that was lowered by right verdicts showed more that did not help.
    """
    said = [(wrong / (good + wrong)) for good, wrong in sessions if good + wrong]
    if len(said) < FEWEST_SESSIONS:
        return 0
    share = sum(said) / len(said)
    error = sqrt(USUAL_WRONG * (1 - USUAL_WRONG) / len(said))
    beyond = share - USUAL_WRONG - SURE * error
    return min(MAX_SHIFT, round(SHIFT * beyond / USUAL_WRONG)) if beyond > 0 else 0
