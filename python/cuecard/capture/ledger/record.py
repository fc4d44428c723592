"""A line of a host's transcript as what it says and does (SPEC 56.5).

The forms are internal to their hosts and promised by nobody: whatever is not understood is passed over.
"""

from dataclasses import dataclass
from typing import Any

# A value of JSON.
JsonValue = Any
# So much of a result is looked at.
MAX_RESULT_CHARS = 8000

PROMPT, SAID, CALLED, ENDED = "prompt", "said", "called", "ended"
INTERRUPTED, COMPACTED, NOT_INTERACTIVE, READ_ONLY = "interrupted", "compacted", "not interactive", "read-only"
COMMAND, EDIT, QUESTION, OTHER = "command", "edit", "question", "other"


@dataclass(frozen=True)
class Action:
    """What a tool does, as far as it matters here."""

    kind: str = OTHER
    text: str = ""
    """The command, the file or the question."""
    old: str = ""
    """What is replaced; "" where it is not known."""
    new: str = ""


@dataclass(frozen=True)
class Item:
    """What a part of a record says or does."""

    kind: str
    text: str = ""
    """What was typed or said, or the beginning of what a tool answered."""
    key: str = ""
    """The host's name of the record or of the call."""
    is_set: bool = False
    """Whether a prompt refuses a tool, a tool has failed, or the agent may not change anything."""
    action: Action = Action()


def text_of(value: JsonValue, name: str) -> str:
    """The text of a member; "" where it is none."""
    text = value.get(name) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def list_of(value: JsonValue, name: str) -> list[Any]:
    """The items of a list; none where it is none."""
    items = value.get(name) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []


def questions_of(arguments: JsonValue) -> Action:
    """The questions that a tool asks the user."""
    return Action(QUESTION, "\n".join([text_of(question, "question") for question in list_of(arguments, "questions")]))
