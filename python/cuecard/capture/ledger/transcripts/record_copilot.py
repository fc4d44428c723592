"""Reads the events of Copilot CLI, which writes one on each line of a session's `events.jsonl`."""

from typing import Any

from . import record as items
from .record import COMPACTED, INTERRUPTED, READ_ONLY, STOPPING, TURN_NOT_INTERACTIVE, Item, JsonValue, text_of

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
        mode = Item(READ_ONLY, is_set=text_of(data, "agentMode") == "plan")
        is_typed = data.get("isAutopilotContinuation") is not True
        return [mode, *(items.prompted(text_of(data, "content"), key) if is_typed else [])]
    if kind == "system.message" and text_of(data, "role") == "system":
        is_interactive = _INTERACTIVE in text_of(data, "content")[:_INTERACTIVE_CHARS]
        return [Item(TURN_NOT_INTERACTIVE, is_set=not is_interactive)]
    if kind == "assistant.message":
        return items.said(text_of(data, "content"))
    if kind == "tool.execution_start":
        return [items.called(text_of(data, "toolCallId"), text_of(data, "toolName"), data.get("arguments"))]
    if kind == "permission.completed":
        return items.prompted(text_of(data.get("result"), "feedback"), key, is_set=True)
    if kind == "tool.execution_complete":
        return [_end_of(data)]
    if kind == "session.compaction_complete":
        return [Item(COMPACTED)] if data.get("success") is True else []
    if kind == "session.mode_changed":
        return [Item(READ_ONLY, is_set=text_of(data, "newMode") == "plan")]
    if kind in ("hook.start", "hook.end") and text_of(data, "hookType") == "agentStop":
        return [Item(STOPPING, is_set=kind == "hook.start")]
    return [Item(INTERRUPTED)] if kind == "abort" else []


def _end_of(data: JsonValue) -> Item:
    """The end of a tool call. The host counts a command with an exit status other than 0 as a success."""
    execution = data.get("shellExecution")
    status = execution.get("exitCode") if isinstance(execution, dict) else None
    is_passed = status is None or (status == 0 and type(status) is int)
    has_failed = data.get("success") is not True or not is_passed
    answer = text_of(data.get("result"), "content")
    return items.ended(answer, text_of(data, "toolCallId"), has_failed=has_failed)
