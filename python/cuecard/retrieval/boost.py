"""A caller's function that multiplies the score of each hit."""

from ..errors import UsageError
from .hit import Hit, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Boost = Callable[[Hit], float]
    Explain = Callable[[], list[Part]]
    # A hit without its parts, and the function that computes the parts.
    ExplainedHit = tuple[Hit, Explain]

MAX_FACTOR = 2


def boosted(found: "list[ExplainedHit]", boost: "Boost") -> "list[ExplainedHit]":
    """Multiply each score by the factor of its hit, round down, drop hits with 0, and sort by score.

    Factors are limited to 0 to 2, and NaN counts as 1; scores that priors have lowered below 1 do not change. Hits with
    equal scores keep their order. A part `boost` has the points gained or lost. Raises UsageError for a factor that is
    not a number.
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
