"""A caller's own say in what is kept and in which order: a function over all hits of a query."""

from ..errors import UsageError
from .hit import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .boost import ExplainedHit

    Rerank = Callable[[str, list[Hit]], Sequence[Hit]]


def reranked(text: str, found: "list[ExplainedHit]", rerank: "Rerank") -> "list[ExplainedHit]":
    """What the function keeps of what was found for a text, in its order.

    It gets the hits, best first, without parts, in a list of its own; a hit is known by its path, and stays as it was
    found, whatever else the function made of it. Raises UsageError where it gives anything but some of them, each
    once; what the function raises goes through.
    """
    kept = rerank(text, [hit for hit, _explain in found])
    if not isinstance(kept, (list, tuple)):
        raise UsageError(f"`rerank` returned a {type(kept).__name__}", "return a list of the hits to keep")
    by_path = {hit.path: (hit, explain) for hit, explain in found}
    chosen = []
    for hit in kept:
        if not isinstance(hit, Hit):
            raise UsageError(f"`rerank` returned a {type(hit).__name__} among its hits", "return hits that it got")
        one = by_path.pop(hit.path, None)
        if one is None:
            raise UsageError(f"`rerank` returned `{hit.path}`, which it did not get", "return each of its hits once")
        chosen.append(one)
    return chosen


def check_rerank(rerank: object) -> None:
    """Raises UsageError for what is neither None nor can be called."""
    if rerank is not None and not callable(rerank):
        raise UsageError(f"the rerank is a {type(rerank).__name__}", "give a function of a text and its hits")
