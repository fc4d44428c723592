"""The one writer of texts of memories for agents: it marks what is unreviewed, and withholds what must be (SPEC 45.9).

Commands, the MCP server and the requests to agents print a member of a memory only through these functions. A test
fails where another place does. A request at a stop lists memories as the block of a prompt does (SPEC 10).
"""

import os
import re

from ..._backend import engine, legible_path, read_effective_settings, texts_in
from ...basics.memory_name import NAMELESS
from ...files.trust_levels import UNREVIEWED
from .withheld import FREE, WITHHELD, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..records.record_file import Fields

__all__ = [
    "FREE",
    "NAMELESS",
    "WITHHELD",
    "View",
    "hide_names",
    "mark",
    "mark_index_line",
    "mark_record",
    "name_of_file",
    "shown_record",
    "trust_of",
    "write_title",
]

# The members of an entry of a history that have what the memory said before and after the change.
FORMER_VALUES = ("old_value", "new_value")
# Names of memories are texts too. A name of fewer words says nothing that could be followed.
_LONG_NAME = re.compile(r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+){3,}")


def mark(view: View, gap: str = " ") -> str:
    """The mark after the title of an unreviewed memory, with `gap` in front; "" for other memories."""
    return f"{gap}({UNREVIEWED})" if view.is_unreviewed else ""


def write_title(title: str, view: View, gap: str = " ") -> str:
    """The title of a memory with the mark for its trust; a notice instead of the title if the memory is withheld."""
    return f"({WITHHELD})" if view.is_withheld else f"{title}{mark(view, gap)}"


def trust_of(view: View) -> "Fields":
    """The members of a JSON document that say who vouches for a memory and why its text is missing.

    The result is empty for a memory that somebody vouches for.
    """
    if not view.is_unreviewed:
        return {}
    return {"trust": view.trust, "withheld": WITHHELD} if view.is_withheld else {"trust": view.trust}


def mark_record(record: "Fields", view: View) -> "Fields":
    """The record of a memory with the mark for its trust in front; only the mark if the memory is withheld."""
    return {**trust_of(view), **({} if view.is_withheld else shown_record(record, view))}


def shown_record(record: "Fields", view: View) -> "Fields":
    """The record of a memory that is not withheld, without its history if a former value there addresses the model.

    The history is no part of what somebody vouches for, so this holds for vouched memories as well.
    """
    changes = record.get("changes")
    if not view.trust or not isinstance(changes, list):
        return record
    is_hidden = any(engine.instruction_signs(text, learned=view.is_unreviewed) for text in texts_in(changes))
    return {name: value for name, value in record.items() if name != "changes"} if is_hidden else record


def mark_index_line(line: str, view: View) -> str:
    """A line of the index with the mark for the trust of its memory, without the title and tags of a withheld one."""
    parts = engine.parse_index_line(line)
    if parts is None or not view.is_unreviewed:
        return line
    return f"- [{parts[0]}] ({WITHHELD}) -> {parts[2]}" if view.is_withheld else f"{line}{mark(view)}"


def hide_names(text: str) -> str:
    """A text for an agent in which names of memories that address the model are replaced, as in ids and paths."""
    if text.count("-") < 3:
        return text
    names = {name for name in _LONG_NAME.findall(text) if engine.instruction_signs(name)}
    # With the user's setting `trust.review` `off` every memory counts as reviewed. A repository cannot set it.
    if not names or not read_effective_settings(os.devnull).settings.reviews_trust:
        return text
    return _LONG_NAME.sub(lambda found: NAMELESS if found[0] in names else found[0], text)


def name_of_file(path: str) -> str:
    """The path of a file that need not be a memory, as a text for an agent."""
    shown = legible_path(path)
    return hide_names(shown) if not engine.instruction_signs(shown) else f"{shown.rpartition('/')[0]}/..."
