"""The items that a line of a transcript contains, in one form for all hosts (docs/reference/ledger.md).

The formats of transcripts are internal to the hosts and may change. A record that is not understood is skipped.
"""

from dataclasses import dataclass
from typing import Any

# A JSON value.
JsonValue = Any
# At most this many characters of a tool's result are read. Whole files that an agent has read fit into it.
MAX_RESULT_CHARS = 200_000

PROMPT, SAID, CALLED, ENDED = "prompt", "said", "called", "ended"
INTERRUPTED, COMPACTED = "interrupted", "compacted"
NOT_INTERACTIVE, READ_ONLY = "not interactive", "read-only"
# The same as NOT_INTERACTIVE, but it holds for the prompt directly before it as well.
TURN_NOT_INTERACTIVE = "turn not interactive"
# The host's hooks for the end of a turn are running, or have run.
STOPPING = "stopping"
COMMAND, EDIT, QUESTION, OPENED, OTHER = "command", "edit", "question", "opened", "other"
# The tool of our MCP server that shows one memory; hosts put the name of the server in front.
GET_TOOL = "memory_get"


@dataclass(frozen=True)
class Action:
    """What a tool call does, as far as the ledger needs it."""

    kind: str = OTHER
    text: str = ""
    """The command that is run, the file that is edited, the question that is asked, or the file or memory that is
    opened, depending on `kind`."""
    old: str = ""
    """The text that is replaced; "" if it is not known."""
    new: str = ""
    """The text that is written; "" if it is not known."""
    others: "tuple[Action, ...]" = ()
    """The edits of further files by the same call."""


@dataclass(frozen=True)
class Item:
    """One event in a record, such as a prompt, a message of the agent, or the end of a tool call."""

    kind: str
    text: str = ""
    """The typed prompt, the agent's message, or the beginning of a tool's result."""
    key: str = ""
    """The host's id of the record, of the call, or of the message behind a summary."""
    is_set: bool = False
    """A flag whose meaning depends on `kind`: the prompt refuses a tool, the tool has failed, a program waits for the
    answer, or the agent is read-only."""
    action: Action = Action()
    is_queued: bool = False
    """Whether the prompt was typed while the agent worked. The host may record such a prompt once more."""


def text_of(value: JsonValue, name: str) -> str:
    """The member `name` of an object if it is a string; else ""."""
    text = value.get(name) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def list_of(value: JsonValue, name: str) -> list[Any]:
    """The member `name` of an object if it is a list; else an empty list."""
    items = value.get(name) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []


def questions_of(arguments: JsonValue) -> Action:
    """An action with the questions that a tool asks the user."""
    return Action(QUESTION, "\n".join([text_of(question, "question") for question in list_of(arguments, "questions")]))


def opened_by(name: str, arguments: JsonValue) -> Action:
    """An action that opens a memory through our MCP server; an unknown action for every other tool."""
    return Action(OPENED, text_of(arguments, "id")) if name.endswith(GET_TOOL) else Action()
