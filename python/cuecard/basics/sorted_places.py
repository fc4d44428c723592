"""A place in what is sorted, found by halves: the prompt path does not load `bisect`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def first_place(low: int, high: int, is_behind: "Callable[[int], bool]") -> int:
    """The first place from `low` on at which something holds that holds at all later ones; else `high`."""
    while low < high:
        middle = (low + high) >> 1
        if is_behind(middle):
            high = middle
        else:
            low = middle + 1
    return low
