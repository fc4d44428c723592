"""Reads a record of a transcript in the same way as the claude-memory plugin, revision v5-0220.

Rules: docs/reference/triage.md, "Conversation".
"""

from typing import Any

FOREIGN = ("user", "human", "assistant")


class MalformedMessage(ValueError):
    """A message that crashes the plugin, so that the plugin does not keep the agent from stopping."""


def read_plugin_message(record: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The texts of a record, and the names of the tools that it calls. Raises MalformedMessage."""
    message = record.get("message", {})
    if not isinstance(message, dict):
        raise MalformedMessage("a message is not an object")
    nested = message.get("content")
    content = nested or record.get("content", "")
    if isinstance(content, str):
        return [content], []
    if not isinstance(content, list):
        return [], []
    texts, tools = [], []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict):
            if block.get("type") == "text":
                texts.append(_text(block.get("text", "")))
            elif block.get("type") == "tool_use" and record["type"] == "assistant" and content is nested:
                name = block.get("name")
                tools.append(str(name) if name else "")
    return texts, tools


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise MalformedMessage("a text is not a string")
    return value
