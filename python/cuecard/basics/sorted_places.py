"""Binary search in sorted data. The prompt path does not load `bisect`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def first_place(low: int, high: int, is_behind: "Callable[[int], bool]") -> int:
    """The first place from `low` up to `high` at which `is_behind` is true, or `high` if there is none.

    `is_behind` must be true at all places after that one.
    """
    while low < high:
        middle = (low + high) >> 1
        if is_behind(middle):
            high = middle
        else:
            low = middle + 1
    return low
