"""Reads a line of a Claude Code transcript, and separates what the user typed from what the client inserted.

The format is internal to the client and can change (this is the format of client 2.1). Unknown lines are skipped.
"""

import json
import re
from bisect import bisect_right
from typing import Any

from ...basics.json_reader import BYTE_ORDER_MARK

MAX_LINE_BYTES = 16 << 20
# Blocks that the client or a hook inserted into a message, above all the blocks of cuecard.
_NAME = r"(memory-context|system-reminder|local-command-[a-z]+|task-notification|ide_[a-z_]+|hook_context)"
_OPENING, _CLOSING = re.compile(rf"<{_NAME}\b"), re.compile(rf"</{_NAME}>")
_COMMAND = re.compile(r"\s*(?:<command-|<local-command|<bash-|/[a-z])")
# The beginnings of messages that the client writes in the user's name.
_NOTICES = ("[Request interrupted", "Stop hook feedback:")


def read_object(line: bytes) -> dict[str, Any] | None:
    """Parse the JSON object in a line; None for anything else, such as a line that a crash cut off."""
    try:
        entry = json.loads(line.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def is_conversation(entry: dict[str, Any]) -> bool:
    """Whether an entry is a message of the main conversation, and not a summary or a note of the client."""
    if entry.get("type") not in ("user", "assistant"):
        return False
    return not (entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary"))


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
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def texts_of(blocks: list[dict[str, Any]]) -> list[str]:
    """Return the texts of the text blocks."""
    return [text for block in blocks if block.get("type") == "text" and isinstance(text := block.get("text"), str)]


def typed_text(blocks: list[dict[str, Any]]) -> str:
    """Return what the user typed in the blocks of a message; "" if the message is a tool's result."""
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    return clean_prompt("\n".join(texts_of(blocks)))


def clean_prompt(text: str) -> str:
    """Return what the user typed in a message; "" for a command or a notice of the client."""
    if _COMMAND.match(text) or text.lstrip().startswith(_NOTICES):
        return ""
    return without_inserted(text).strip()


def without_inserted(text: str) -> str:
    """Return a text without the blocks that the client or a hook inserted."""
    if not _OPENING.search(text):
        return text
    # Looking for the end of each block on its own would take quadratic time for many blocks without an end.
    ends: dict[str, list[int]] = {}
    for closing in _CLOSING.finditer(text):
        ends.setdefault(closing.group(1), []).append(closing.end())
    kept, place = [], 0
    for opening in _OPENING.finditer(text):
        of_name = ends.get(opening.group(1), [])
        number = bisect_right(of_name, opening.end() + len(opening.group(1)) + 2)
        if opening.start() >= place and number < len(of_name):
            kept += [text[place : opening.start()], " "]
            place = of_name[number]
    return "".join([*kept, text[place:]])
