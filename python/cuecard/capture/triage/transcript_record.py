"""Reads a line of a Claude Code transcript, and separates what the user typed from what the client inserted.

The format is internal to the client and can change (this is the format of client 2.1). Unknown lines are skipped.
"""

import json
from typing import Any

from ..._backend import typed_text
from ...basics.json_reader import BYTE_ORDER_MARK
from ..ledger.transcripts.record_claude import is_copied, queued_content

MAX_LINE_BYTES = 16 << 20


def read_object(line: bytes) -> dict[str, Any] | None:
    """Parse the JSON object in a line; None for anything else, such as a line that a crash cut off."""
    try:
        entry = json.loads(line.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def is_conversation(entry: dict[str, Any]) -> bool:
    """Whether an entry is a message of the main conversation, and not a summary, a note of the client or a copy."""
    if entry.get("type") not in ("user", "assistant") and queued_content(entry) is None:
        return False
    return not (entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary") or is_copied(entry))


def summary_of(entry: dict[str, Any]) -> str:
    """Return the summary that the host wrote when it compacted a session; "" if the entry is not such a summary."""
    if entry.get("type") == "user" and entry.get("isCompactSummary"):
        return "\n".join(texts_of(blocks_of(entry))).strip()
    payload = entry.get("payload")
    if entry.get("type") == "compacted" and isinstance(payload, dict):
        # The entry of Codex; it is "" if the model's provider made and keeps the summary.
        message = payload.get("message")
        return message.strip() if isinstance(message, str) else ""
    return ""


def blocks_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the blocks of a message. A message that is plain text gives one block."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else queued_content(entry)
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def texts_of(blocks: list[dict[str, Any]]) -> list[str]:
    """Return the texts of the text blocks."""
    return [text for block in blocks if block.get("type") == "text" and isinstance(text := block.get("text"), str)]


def typed_of(entry: dict[str, Any]) -> str:
    """Return what the user typed in a message; "" if the message is a tool's result."""
    blocks = blocks_of(entry)
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    return "\n".join([typed for typed in map(typed_text, texts_of(blocks)) if typed])
