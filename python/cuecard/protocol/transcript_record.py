"""A line of a transcript of Claude Code: whose words it holds, and which of them are somebody's own.

An internal format without a promise (as of client 2.1): whatever is not understood is passed over.
"""

import json
import re
from typing import Any

MAX_LINE_BYTES = 16 << 20
# Blocks that the client or a hook put into a message; our own above all.
_INSERTED = re.compile(
    r"<(memory-context|system-reminder|local-command-[a-z]+|task-notification|ide_[a-z_]+|hook_context)\b.*?</\1>",
    re.DOTALL,
)
_COMMAND = re.compile(r"\s*(?:<command-|<local-command|<bash-|/[a-z])")
# What the client writes in the user's name.
_NOTICES = ("[Request interrupted", "Stop hook feedback:")


def read_object(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line; None for anything else, and for what a crash has left of one."""
    try:
        entry = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def is_conversation(entry: dict[str, Any]) -> bool:
    """Whether an entry is a message of the main conversation, and no summary or note of the client."""
    if entry.get("type") not in ("user", "assistant"):
        return False
    return not (entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary"))


def summary_of(entry: dict[str, Any]) -> str:
    """What the host itself wrote down of a session when it made room; "" where an entry holds no such thing."""
    if entry.get("type") == "user" and entry.get("isCompactSummary"):
        return "\n".join(texts_of(blocks_of(entry))).strip()
    payload = entry.get("payload")
    if entry.get("type") == "compacted" and isinstance(payload, dict):
        # Codex; "" where it was made, and is kept, by the model's provider.
        message = payload.get("message")
        return message.strip() if isinstance(message, str) else ""
    return ""


def blocks_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a message; a message that is a text is one block."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def texts_of(blocks: list[dict[str, Any]]) -> list[str]:
    """The texts among blocks."""
    return [text for block in blocks if block.get("type") == "text" and isinstance(text := block.get("text"), str)]


def typed_text(blocks: list[dict[str, Any]]) -> str:
    """What the user typed of a message's blocks; "" where they bring a tool's result."""
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    return clean_prompt("\n".join(texts_of(blocks)))


def clean_prompt(text: str) -> str:
    """What the user typed of a message; "" where that is nothing, a command or a notice of the client."""
    if _COMMAND.match(text) or text.lstrip().startswith(_NOTICES):
        return ""
    return without_inserted(text).strip()


def without_inserted(text: str) -> str:
    """A text without what the client or a hook put into it."""
    return _INSERTED.sub(" ", text)
