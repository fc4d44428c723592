"""Binary search in sorted data. The prompt path does not load `bisect`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def first_place(low: int, high: int, is_behind: "Callable[[int], bool]") -> int:
    """The first integer from `low` to `high` - 1 for which `is_behind` is true, or `high` if there is none.

    If `is_behind` is true for an integer, it must be true for all following integers.
    """
    while low < high:
        middle = (low + high) >> 1
        if is_behind(middle):
            high = middle
        else:
            low = middle + 1
    return low
