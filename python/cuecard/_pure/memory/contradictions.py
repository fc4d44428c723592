"""The memories that a memory contradicts, and the text for the agent about one of them (SPEC 33.4, 39.2)."""

from ...basics.json_reader import read_json_object
from .card import read_card
from .links import AGAINST, find_named, read_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# At most `MOST` contradictions of a memory are shown. At most `MOST_LOOKS` files are read to find them.
MOST, MOST_LOOKS = 2, 8
# A longer title is cut, so that the month behind it fits into a label.
MAX_TITLE_CHARS = 56
# The characters of `YYYY-MM`.
MONTH_CHARS = 7


def contradicted_by(data: bytes | None, find: "Callable[[str], int | None]") -> list[int]:
    """The positions of the memories in `contradicts` of a memory's file, in the order of the names.

    `find` returns the position of a path, or None.
    """
    found: list[int] = []
    for link in read_links(read_json_object(data) or {}):
        if not link.startswith(AGAINST):
            continue
        position = find_named(link.removeprefix(AGAINST), find)
        if position is not None:
            found.append(position)
    return found


def contradiction_label(title: str, data: bytes | None) -> str:
    """The text for the agent that names a contradicting memory: title and month. `data` is the memory's file."""
    card = read_card(data)
    end = "…" if len(title) > MAX_TITLE_CHARS else ""
    month = f" of {card[0][:MONTH_CHARS]}" if card and card[0] else ""
    return f"contradicts {title[:MAX_TITLE_CHARS]}{end}{month}"
