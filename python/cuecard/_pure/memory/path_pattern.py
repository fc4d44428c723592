"""Patterns of paths: `*` and `?` match within one folder's name, `**` across folders (SPEC 33.2)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def matches_path(pattern: str, path: str) -> bool:
    """Whether a pattern matches a path. A pattern that ends in `/` matches all paths below the folders it names."""
    of_pattern = pattern.split("/")
    if not of_pattern[-1]:
        of_pattern[-1:] = ["**", "*"]
    return _matches(of_pattern, path.split("/"), "**", _matches_part)


def _matches_part(pattern: str, text: str) -> bool:
    return _matches(pattern, text, "*", lambda wanted, char: wanted in ("?", char))


def _matches(
    pattern: "Sequence[str]", items: "Sequence[str]", any_number: str, is_one: "Callable[[str, str], bool]"
) -> bool:
    """Whether the items match a pattern.

    The element `any_number` of the pattern matches zero or more items, and every other element matches one item.
    Backtracking tries only the last `any_number` again, so the time is at most the product of both lengths.
    """
    place = at = 0
    behind, begin = -1, 0
    while at < len(items):
        if place < len(pattern) and pattern[place] == any_number:
            behind, begin = place + 1, at
            place += 1
        elif place < len(pattern) and is_one(pattern[place], items[at]):
            place += 1
            at += 1
        elif behind < 0:
            return False
        else:
            begin += 1
            place, at = behind, begin
    return all(item == any_number for item in pattern[place:])
