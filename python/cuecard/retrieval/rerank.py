"""A caller's function that selects and orders the hits of a query."""

from ..errors import UsageError
from .hit import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .boost import ExplainedHit

    Rerank = Callable[[str, list[Hit]], Sequence[Hit]]


def reranked(text: str, found: "list[ExplainedHit]", rerank: "Rerank") -> "list[ExplainedHit]":
    """The hits that the function keeps, in its order.

    The function gets a list of the hits, best first, without parts. The hits that it returns are matched by path; every
    other change to them is ignored. Raises UsageError if it returns anything but hits that it got, or a hit twice.
    Errors of the function are not caught.
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
    """Raise UsageError for a value that is neither None nor callable."""
    if rerank is not None and not callable(rerank):
        raise UsageError(f"the rerank is a {type(rerank).__name__}", "give a function of a text and its hits")
