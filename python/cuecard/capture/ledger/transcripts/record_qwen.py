"""Reads records in transcripts of Qwen Code (0.24.4): its messages have parts, its tools are those of Gemini CLI."""

from typing import Any

from . import record as items
from .record import COMPACTED, Item, JsonValue, list_of, text_of

# The subtype of a prompt that was typed while the agent worked. Others are texts of the host: goals, notices, timers.
_QUEUED = "mid_turn_user_message"


def read_message(record: dict[str, Any]) -> list[Item]:
    """The items of a message of the user or the agent, or of the result of a tool."""
    kind, parts = text_of(record, "type"), list_of(record.get("message"), "parts")
    if kind == "tool_result":
        return [_end_of(record, answer) for answer in _members(parts, "functionResponse")]
    texts = [text_of(part, "text") for part in parts if isinstance(part, dict) and part.get("thought") is not True]
    if kind == "user":
        subtype = text_of(record, "subtype")
        is_typed = text_of(record, "provenance") == "real_user" and subtype in ("", _QUEUED)
        queued = subtype == _QUEUED
        return items.prompted("\n".join(texts), text_of(record, "uuid"), is_queued=queued) if is_typed else []
    calls = _members(parts, "functionCall")
    called = [items.called(text_of(call, "id"), text_of(call, "name"), call.get("args")) for call in calls]
    return items.said("\n".join(texts)) + called


def read_compaction(record: dict[str, Any]) -> list[Item]:
    """The item of a record that says that the conversation was made shorter."""
    return [Item(COMPACTED, key=text_of(record, "uuid"))]


def _members(parts: list[Any], name: str) -> list[dict[str, Any]]:
    return [part[name] for part in parts if isinstance(part, dict) and isinstance(part.get(name), dict)]


def _end_of(record: dict[str, Any], answer: JsonValue) -> Item:
    response = answer.get("response")
    text = text_of(response, "output") or text_of(response, "error")
    has_failed = text_of(record.get("toolCallResult"), "status") != "success"
    return items.ended(text, text_of(answer, "id"), has_failed=has_failed)
