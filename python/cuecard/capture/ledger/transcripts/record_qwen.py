"""Reads records in transcripts of Qwen Code (0.24.4): its messages have parts, its tools are those of Gemini CLI."""

from typing import Any

from ...._backend import typed_text, without_inserted
from ....basics.chars import WHITESPACE
from .record import (
    CALLED,
    COMPACTED,
    ENDED,
    MAX_RESULT_CHARS,
    PROMPT,
    SAID,
    Item,
    JsonValue,
    list_of,
    text_of,
)
from .record_gemini import action_of

# The subtype of a prompt that was typed while the agent worked. Others are texts of the host: goals, notices, timers.
_QUEUED = "mid_turn_user_message"


def read_message(record: dict[str, Any]) -> list[Item]:
    """The items of a message of the user or the agent, or of the result of a tool."""
    kind, parts = text_of(record, "type"), list_of(record.get("message"), "parts")
    if kind == "tool_result":
        return [_end_of(record, part["functionResponse"]) for part in parts if _has(part, "functionResponse")]
    texts = [text_of(part, "text") for part in parts if isinstance(part, dict) and part.get("thought") is not True]
    if kind == "user":
        subtype = text_of(record, "subtype")
        is_typed = text_of(record, "provenance") == "real_user" and subtype in ("", _QUEUED)
        text = typed_text("\n".join(texts)) if is_typed else ""
        return [Item(PROMPT, text, text_of(record, "uuid"), is_queued=subtype == _QUEUED)] if text else []
    said = without_inserted("\n".join(texts)).strip(WHITESPACE)
    items = [Item(SAID, said)] if said else []
    return items + [_call_of(part["functionCall"]) for part in parts if _has(part, "functionCall")]


def read_compaction(record: dict[str, Any]) -> list[Item]:
    """The item of a record that says that the conversation was made shorter."""
    return [Item(COMPACTED, key=text_of(record, "uuid"))]


def _has(part: JsonValue, name: str) -> bool:
    return isinstance(part, dict) and isinstance(part.get(name), dict)


def _call_of(call: dict[str, Any]) -> Item:
    return Item(CALLED, key=text_of(call, "id"), action=action_of(text_of(call, "name"), call.get("args")))


def _end_of(record: dict[str, Any], answer: JsonValue) -> Item:
    response = answer.get("response")
    text = text_of(response, "output") or text_of(response, "error")
    has_failed = text_of(record.get("toolCallResult"), "status") != "success"
    return Item(ENDED, text[:MAX_RESULT_CHARS], text_of(answer, "id"), has_failed)
