"""Reads records in transcripts of Claude Code (client 2.1)."""

from dataclasses import replace
from typing import Any

from ...._backend import typed_text
from .record import (
    COMPACTED,
    INTERRUPTED,
    NOT_INTERACTIVE,
    PROMPT,
    Item,
    JsonValue,
    called,
    ended,
    list_of,
    said,
    text_of,
)

_REFUSED = "The user doesn't want to proceed with this tool use."
_BECAUSE = "the user said:\n"
_INTERRUPTED = "[Request interrupted"


def is_copied(record: dict[str, Any]) -> bool:
    """Whether a fork copied a record from the session that it began with. The record is an entry of that session."""
    origin = text_of(record.get("forkedFrom"), "sessionId")
    return origin not in ("", text_of(record, "sessionId"))


def queued_content(record: dict[str, Any]) -> JsonValue:
    """What the user typed while the agent worked, a text or blocks, if a record has that; else None.

    Claude Code records such a message as an attachment, and no user message with the same text.
    """
    attachment = record.get("attachment")
    is_queued = text_of(attachment, "type") == "queued_command" and text_of(attachment, "commandMode") == "prompt"
    if not isinstance(attachment, dict) or not is_queued:
        return None
    origin = attachment.get("origin")
    is_human = origin is None or origin == "human" or text_of(origin, "kind") == "human"
    return attachment.get("prompt") if is_human and not attachment.get("isMeta") else None


def read_attachment(record: dict[str, Any]) -> list[Item]:
    """The item in a record with something that Claude Code attached to a turn: a message that waited for the agent."""
    if record.get("isSidechain") or record.get("isMeta"):
        return []
    items = _read_user({"content": queued_content(record)}, text_of(record, "uuid"))
    return [replace(item, is_queued=True) for item in items]


def read_message(record: dict[str, Any]) -> list[Item]:
    """The items in a record with a message of the user or the agent."""
    items = [Item(NOT_INTERACTIVE, is_set=True)] if text_of(record, "entrypoint").startswith("sdk") else []
    if record.get("isSidechain") or record.get("isMeta"):
        return items
    if record.get("isCompactSummary"):
        return [*items, Item(COMPACTED)]
    message = record["message"]
    if text_of(record, "type") == "user":
        return items + _read_user(message, text_of(record, "uuid"))
    return items if record.get("isApiErrorMessage") else items + _read_agent(message)


def _read_user(message: JsonValue, uuid: str) -> list[Item]:
    content = message.get("content") if isinstance(message, dict) else None
    texts = [content] if isinstance(content, str) else []
    items = list[Item]()
    has_result = False
    for block in list_of(message, "content"):
        if text_of(block, "type") == "text":
            texts.append(text_of(block, "text"))
        elif text_of(block, "type") == "tool_result":
            has_result = True
            items += _read_result(block, uuid)
    if texts and texts[0].startswith(_INTERRUPTED):
        items.append(Item(INTERRUPTED))
    elif not has_result:
        items += _prompt(texts, uuid)
    return items


def _prompt(texts: list[str], key: str, *, is_refusal: bool = False) -> list[Item]:
    text = "\n".join([typed for typed in map(typed_text, texts) if typed])
    return [Item(PROMPT, text, key, is_refusal)] if text else []


def _read_result(block: JsonValue, uuid: str) -> list[Item]:
    answer = block.get("content")
    if not isinstance(answer, str):
        parts = [part.get("text") for part in list_of(block, "content") if isinstance(part, dict)]
        answer = "\n".join([part for part in parts if isinstance(part, str)])
    is_refused = answer.startswith(_REFUSED)
    items: list[Item] = []
    if is_refused and _BECAUSE in answer:
        items = _prompt([answer.partition(_BECAUSE)[2]], uuid, is_refusal=True)
    has_failed = not is_refused and bool(block.get("is_error"))
    return [*items, ended(answer, text_of(block, "tool_use_id"), has_failed=has_failed)]


def _read_agent(message: JsonValue) -> list[Item]:
    items = said(text_of(message, "content"))
    for block in list_of(message, "content"):
        if text_of(block, "type") == "text":
            items += said(text_of(block, "text"))
        elif text_of(block, "type") == "tool_use":
            items.append(called(text_of(block, "id"), text_of(block, "name"), block.get("input")))
    return items
