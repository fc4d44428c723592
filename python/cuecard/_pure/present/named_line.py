"""Packs the line with the titles of memories that may concern a prompt for which none is sure enough (SPEC 39.9)."""

from ...basics.chars import scrub
from ..text.sanitize import block_title, escape_frames, remove_hidden
from ..text.token_estimate import estimate_tokens
from .packing import FOOTER, HEADER, MAX_NOTE_CHARS, SHORT_CHARS, pointer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .packing import Packed

    # Title, id, and the labels that say how far the title can be trusted.
    NamedItem = tuple[str, str, list[str]]

LEAD = "may concern this: "
# The most tokens of the line.
MAX_TOKENS = 40


def pack_named(items: "list[NamedItem]", max_tokens: int, budget_chars: int) -> "Packed":
    """Pack the titles of memories, given best first, into a block of one line, within both budgets and `MAX_TOKENS`.

    The first title is cut if it does not fit, and another one is left out.
    """
    frame = estimate_tokens(HEADER) + estimate_tokens(FOOTER)
    most_tokens, most_chars = min(MAX_TOKENS, max_tokens - frame), budget_chars - len(HEADER) - len(FOOTER)
    line, outcomes = "", []
    for item in items:
        title, name, labels = scrub(item[0]), scrub(item[1]), [scrub(label) for label in item[2]]
        begin = f"{line[:-1]}; " if line else LEAD
        longer = (f"{begin}{_named(form, name, labels)}\n" for form in ([title] if line else _shortening(title)))
        fitting = (one for one in longer if len(one) <= most_chars and estimate_tokens(one) <= most_tokens)
        found = next(fitting, "") if block_title(title) else ""
        outcomes.append("named" if found else "budget")
        line = found or line
    if not line:
        return "", outcomes, 0
    return HEADER + line + FOOTER, outcomes, frame + estimate_tokens(line)


def _named(title: str, name: str, labels: list[str]) -> str:
    """A title with the labels of its memory in brackets, and the reference to its id. A title that is cut does not tell
    the id."""
    notes = [escape_frames(remove_hidden(label)[:MAX_NOTE_CHARS]) for label in labels]
    suffix = f" ({', '.join(notes)})" if notes else ""
    return f"{block_title(title)}{suffix}{pointer(title, name)}"


def _shortening(title: str) -> "Iterator[str]":
    """A title, and then the title cut to fewer and fewer characters, at a blank if there is one in the second half."""
    yield title
    chars = len(title) - len(title) // 8
    while SHORT_CHARS <= chars < len(title):
        begin = title[:chars]
        words = begin.rpartition(" ")[0]
        yield f"{words if 2 * len(words) >= chars else begin} …"
        chars -= chars // 8
