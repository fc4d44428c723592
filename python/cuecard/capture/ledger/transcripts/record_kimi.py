"""Reads the events of Kimi Code (2.1.0), which writes one on each line of an agent's `wire.jsonl`."""

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
    READ_ONLY,
    SAID,
    Action,
    Item,
    JsonValue,
    list_of,
    opened_by,
    questions_of,
    text_of,
)

KINDS = {
    "full_compaction.complete": [Item(COMPACTED)],
    "plan_mode.enter": [Item(READ_ONLY, is_set=True)],
    "plan_mode.exit": [Item(READ_ONLY)],
    "plan_mode.cancel": [Item(READ_ONLY)],
}


def read_event(record: dict[str, Any]) -> list[Item]:
    """The items of one event."""
    kind = text_of(record, "type")
    if kind == "context.append_message":
        return _read_message(record.get("message"))
    if kind == "context.append_loop_event":
        return _read_step(record.get("event"))
    if kind == "turn.ended" and text_of(record, "reason") == "cancelled":
        return [Item(INTERRUPTED)]
    return list(KINDS.get(kind, ()))


def _read_message(message: JsonValue) -> list[Item]:
    """A prompt: what hooks, skills and Kimi Code itself add in the user's name has another origin than the user."""
    if text_of(message, "role") != "user" or text_of(message.get("origin"), "kind") != "user":
        return []
    parts = [text_of(part, "text") for part in list_of(message, "content") if text_of(part, "type") == "text"]
    text = typed_text("\n".join(parts))
    return [Item(PROMPT, text, text_of(message, "id"))] if text else []


def _read_step(event: JsonValue) -> list[Item]:
    kind, key = text_of(event, "type"), text_of(event, "toolCallId")
    if kind == "content.part" and text_of(event.get("part"), "type") == "text":
        said = without_inserted(text_of(event["part"], "text")).strip(WHITESPACE)
        return [Item(SAID, said)] if said else []
    if kind == "tool.call":
        return [Item(CALLED, key=key, action=_action_of(text_of(event, "name"), event.get("args")))]
    if kind == "tool.result":
        result = event.get("result")
        has_failed = isinstance(result, dict) and result.get("isError") is True
        return [Item(ENDED, text_of(result, "output")[:MAX_RESULT_CHARS], key, has_failed)]
    return []


def _action_of(name: str, given: JsonValue) -> Action:
    path = text_of(given, "path")
    if name == "Bash":
        return Action(COMMAND, text_of(given, "command"))
    if name == "Edit":
        return Action(EDIT, path, text_of(given, "old_string"), text_of(given, "new_string"))
    if name == "Write":
        return Action(EDIT, path, new=text_of(given, "content"))
    if name == "Read":
        return Action(OPENED, path)
    return questions_of(given) if name == "AskUserQuestion" else opened_by(name, given)
