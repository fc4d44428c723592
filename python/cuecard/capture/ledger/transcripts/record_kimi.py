"""Reads the events of Kimi Code (2.1.0), which writes one on each line of an agent's `wire.jsonl`."""

from typing import Any

from . import record as items
from .record import COMPACTED, INTERRUPTED, READ_ONLY, Item, JsonValue, joined_text, list_of, text_of

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
        message: JsonValue = record.get("message")
        # What hooks, skills and Kimi Code itself add in the user's name has another origin than the user.
        is_typed = text_of(message, "role") == "user" and text_of(message.get("origin"), "kind") == "user"
        return items.prompted(joined_text(list_of(message, "content")), text_of(message, "id")) if is_typed else []
    if kind == "context.append_loop_event":
        return _read_step(record.get("event"))
    if kind == "turn.ended" and text_of(record, "reason") == "cancelled":
        return [Item(INTERRUPTED)]
    return list(KINDS.get(kind, ()))


def _read_step(event: JsonValue) -> list[Item]:
    kind, key = text_of(event, "type"), text_of(event, "toolCallId")
    if kind == "content.part":
        return items.said(joined_text([event.get("part")]))
    if kind == "tool.call":
        return [items.called(key, text_of(event, "name"), event.get("args"))]
    if kind == "tool.result":
        result = event.get("result")
        has_failed = isinstance(result, dict) and result.get("isError") is True
        return [items.ended(text_of(result, "output"), key, has_failed=has_failed)]
    return []
