"""Reads the events of Copilot CLI, which writes one on each line of a session's `events.jsonl`."""

from typing import Any

from ...._backend import typed_text, without_inserted
from ....basics.chars import WHITESPACE
from .record import (
    CALLED,
    COMMAND,
    COMPACTED,
    EDIT,
    ENDED,
    INTERRUPTED,
    MAX_RESULT_CHARS,
    OPENED,
    PROMPT,
    QUESTION,
    READ_ONLY,
    SAID,
    STOPPING,
    TURN_NOT_INTERACTIVE,
    Action,
    Item,
    JsonValue,
    opened_by,
    text_of,
)

# What the instructions to the model say near their beginning if a user reads the answers. With `copilot -p` they say
# instead that the run is not interactive. Nothing else in a transcript or an event tells the two apart.
_INTERACTIVE = "You are an interactive tool"
_INTERACTIVE_CHARS = 2000


def read_event(record: dict[str, Any]) -> list[Item]:
    """The items of one event."""
    kind, data, key = text_of(record, "type"), record.get("data"), text_of(record, "id")
    # A subagent does what the agent asks of it.
    if not isinstance(data, dict) or text_of(record, "agentId") or text_of(data, "parentToolCallId"):
        return []
    # Skills and other agents name themselves as the source.
    if kind == "user.message" and not text_of(data, "source"):
        items = [Item(READ_ONLY, is_set=text_of(data, "agentMode") == "plan")]
        text = typed_text(text_of(data, "content"))
        is_typed = text and data.get("isAutopilotContinuation") is not True
        return [*items, Item(PROMPT, text, key)] if is_typed else items
    if kind == "system.message" and text_of(data, "role") == "system":
        is_interactive = _INTERACTIVE in text_of(data, "content")[:_INTERACTIVE_CHARS]
        return [Item(TURN_NOT_INTERACTIVE, is_set=not is_interactive)]
    if kind == "assistant.message":
        said = without_inserted(text_of(data, "content")).strip(WHITESPACE)
        return [Item(SAID, said)] if said else []
    if kind == "tool.execution_start":
        return [Item(CALLED, key=text_of(data, "toolCallId"), action=_action_of(data))]
    if kind == "permission.completed":
        reason = typed_text(text_of(data.get("result"), "feedback"))
        return [Item(PROMPT, reason, key, is_set=True)] if reason else []
    if kind == "tool.execution_complete":
        return [_end_of(data)]
    if kind == "session.compaction_complete":
        return [Item(COMPACTED)] if data.get("success") is True else []
    if kind == "session.mode_changed":
        return [Item(READ_ONLY, is_set=text_of(data, "newMode") == "plan")]
    if kind in ("hook.start", "hook.end") and text_of(data, "hookType") == "agentStop":
        return [Item(STOPPING, is_set=kind == "hook.start")]
    return [Item(INTERRUPTED)] if kind == "abort" else []


def _action_of(data: JsonValue) -> Action:
    name, given = text_of(data, "toolName"), data.get("arguments")
    if name in ("bash", "powershell"):
        return Action(COMMAND, text_of(given, "command"))
    if name == "edit":
        return Action(EDIT, text_of(given, "path"), text_of(given, "old_str"), text_of(given, "new_str"))
    if name == "create":
        return Action(EDIT, text_of(given, "path"), new=text_of(given, "file_text"))
    if name == "view":
        return Action(OPENED, text_of(given, "path"))
    if name == "ask_user":
        return Action(QUESTION, text_of(given, "message") or text_of(given, "question"))
    return opened_by(name, given)


def _end_of(data: JsonValue) -> Item:
    """The end of a tool call. The host counts a command with an exit status other than 0 as a success."""
    execution = data.get("shellExecution")
    status = execution.get("exitCode") if isinstance(execution, dict) else None
    is_passed = status is None or (status == 0 and type(status) is int)
    has_failed = data.get("success") is not True or not is_passed
    answer = text_of(data.get("result"), "content")[:MAX_RESULT_CHARS]
    return Item(ENDED, answer, text_of(data, "toolCallId"), has_failed)
