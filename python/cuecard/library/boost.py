"""A caller's own say in the order of hits: a factor for the score of each."""

from ..errors import UsageError
from .hit import Hit, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Boost = Callable[[Hit], float]
    Explain = Callable[[], list[Part]]
    # A hit without parts, and what finds them.
    ExplainedHit = tuple[Hit, Explain]

MAX_FACTOR = 2


def boosted(found: "list[ExplainedHit]", boost: "Boost") -> "list[ExplainedHit]":
    """What was found, best first, with every score times the factor of its hit, rounded down; the 0 ones left out.

    Factors count from 0 to 2, NaN as 1; a score that priors have taken under 1 stays as it is. Equal scores keep their
    order. The parts say what was gained or lost. Raises UsageError for a factor that is no number.
    """
    moved = []
    for hit, explain in found:
        factor = _factor_of(hit, boost)
        score = int(hit.score * factor) if hit.score > 0 else hit.score
        if factor and (score or hit.score <= 0):
            moved.append((hit.with_score(score), _add_part(explain, score - hit.score)))
    return sorted(moved, key=lambda one: -one[0].score)


def _factor_of(hit: Hit, boost: "Boost") -> float:
    factor = boost(hit)
    if not isinstance(factor, (int, float)):
        raise UsageError(f"the boost of `{hit.path}` is a {type(factor).__name__}", "give a number from 0 to 2")
    return 1 if factor != factor else min(max(factor, 0), MAX_FACTOR)


def _add_part(explain: "Explain", points: int) -> "Explain":
    return lambda: [*explain(), Part("boost", "", "", points)] if points else explain()
