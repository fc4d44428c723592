"""The items that a line of a transcript contains, in one form for all hosts (docs/reference/ledger.md).

The formats of transcripts are internal to the hosts and may change. A record that is not understood is skipped.
"""

from dataclasses import dataclass
from typing import Any

from ...._backend import typed_text, without_inserted
from ....basics.chars import WHITESPACE
from ....basics.tables import find_row

TABLE = "tool_inputs"
# The tools with which an agent asks the user.
QUESTION_TOOLS = ("AskUserQuestion", "ask_user", "ask_user_question")

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


def joined_text(parts: list[Any]) -> str:
    """The texts of the parts of a message of the type `text`, one on a line."""
    return "\n".join([text_of(part, "text") for part in parts if text_of(part, "type") == "text"])


def prompted(text: str, key: str, *, is_set: bool = False, is_queued: bool = False) -> list[Item]:
    """The item of a prompt, with what the user typed of it; none if that is nothing."""
    typed = typed_text(text)
    return [Item(PROMPT, typed, key, is_set=is_set, is_queued=is_queued)] if typed else []


def said(text: str) -> list[Item]:
    """The item of a message of the agent; none if the message is empty."""
    text = without_inserted(text).strip(WHITESPACE)
    return [Item(SAID, text)] if text else []


def called(key: str, name: str, arguments: JsonValue) -> Item:
    """The item of a tool call."""
    return Item(CALLED, key=key, action=action_of(name, arguments))


def ended(answer: str, key: str, *, has_failed: bool) -> Item:
    """The item of the end of a tool call."""
    return Item(ENDED, answer[:MAX_RESULT_CHARS], key, has_failed)


def action_of(name: str, arguments: JsonValue) -> Action:
    """What a tool does, by the tables of what the tools of hosts are told (`tool_inputs.txt`)."""
    if name in QUESTION_TOOLS:
        return questions_of(arguments)
    reader = find_row(TABLE, "readers", name)
    if reader:
        return Action(OPENED, _first(arguments, reader.split(" ")))
    fields = dict[str, list[str]]()
    for pair in find_row(TABLE, "tools", name).split():
        role, _sign, field = pair.partition("=")
        fields.setdefault(role, []).append(field)
    if "command" in fields:
        return Action(COMMAND, _first(arguments, fields["command"]))
    if "path" in fields:
        path, old = _first(arguments, fields["path"]), _first(arguments, fields.get("old", []))
        return Action(EDIT, path, old, _first(arguments, fields.get("all", []) + fields.get("new", [])))
    return opened_by(name, arguments)


def _first(arguments: JsonValue, fields: list[str]) -> str:
    """The first text that is not empty in one of the members of an object."""
    return next((text for field in fields if (text := text_of(arguments, field))), "")


def questions_of(arguments: JsonValue) -> Action:
    """An action with the questions that a tool asks the user."""
    questions = "\n".join([text_of(question, "question") for question in list_of(arguments, "questions")])
    return Action(QUESTION, questions or _first(arguments, ["message", "question"]))


def opened_by(name: str, arguments: JsonValue) -> Action:
    """An action that opens a memory through our MCP server; an unknown action for every other tool."""
    return Action(OPENED, text_of(arguments, "id")) if name.endswith(GET_TOOL) else Action()
