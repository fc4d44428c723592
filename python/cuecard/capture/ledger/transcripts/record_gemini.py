"""Reads records in transcripts of Gemini CLI. It writes a message again whenever something is added to the message."""

from typing import Any

from ....basics.host_table import SUMMARY_SIGN
from . import record as items
from .record import COMPACTED, Item, JsonValue, list_of, text_of

_COMPRESSED = "Chat history compressed"
_FAILED = tuple(f"Exit Code: {digit}" for digit in "123456789")


def read_message(record: dict[str, Any]) -> list[Item]:
    """The items of a message of the user or the agent."""
    content = _content_of(record)
    if text_of(record, "type") == "user":
        return items.prompted(content, text_of(record, "id"))
    found = items.said(content)
    for call in list_of(record, "toolCalls"):
        found += _read_call(call)
    return found


def read_notice(record: dict[str, Any]) -> list[Item]:
    """The item in a notice to the user: a compaction; empty for every other notice."""
    return [Item(COMPACTED)] if _content_of(record).startswith(_COMPRESSED) else []


def read_change(record: dict[str, Any]) -> list[Item]:
    """The item of a change to the conversation: a compaction, or nothing.

    The host writes all messages at the beginning of a conversation, when it is resumed, and after a compaction. After a
    compaction these include a message in the model's name, which thanks for the summary.
    """
    thanks = [message for message in list_of(record.get("$set"), "messages") if _is_thanks(message)]
    return [Item(COMPACTED, key=text_of(thanks[-1], "id"))] if thanks else []


def _is_thanks(message: JsonValue) -> bool:
    return text_of(message, "type") == "gemini" and _content_of(message).startswith(SUMMARY_SIGN)


def _content_of(record: dict[str, Any]) -> str:
    content = record.get("content")
    if isinstance(content, str):
        return content
    texts = [part.get("text") for part in list_of(record, "content") if isinstance(part, dict)]
    return "\n".join([text for text in texts if isinstance(text, str)])


def _read_call(call: JsonValue) -> list[Item]:
    """The items in a tool call; empty if the call has not ended yet."""
    status, name, key = text_of(call, "status"), text_of(call, "name"), text_of(call, "id")
    if status not in ("success", "error"):
        return []
    answer = _answer_of(call)[: items.MAX_RESULT_CHARS]
    # The host reports a command with a non-zero exit status as a success.
    has_failed = status == "error" or any(line.startswith(_FAILED) for line in answer.split("\n"))
    return [items.called(key, name, call.get("args")), items.ended(answer, key, has_failed=has_failed)]


def _answer_of(call: JsonValue) -> str:
    for part in list_of(call, "result"):
        value = part
        for name in ("functionResponse", "response", "output"):
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value
    return ""
