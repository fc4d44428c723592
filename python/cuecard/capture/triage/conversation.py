"""Reads the last messages and tool calls of a session from its transcript.

Rules: docs/reference/triage.md, "Conversation".
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..._backend import typed_text, without_inserted
from ...basics.time_limit import check_time
from .lines_from_end import lines_from_end
from .plugin_record import FOREIGN, read_plugin_message
from .transcript_record import (
    blocks_of,
    is_conversation,
    read_object,
    summary_of,
    texts_of,
    typed_of,
)
from .triage_scoring import Activity, TriageLine, without_code

MAX_LINES = 200_000
MAX_MESSAGE_CHARS = 20_000
MAX_CHARS = 1_000_000
# With this many prompts, a session without changes also gets a summary.
MANY_PROMPTS = 8

SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+")
_CHANGING = re.compile(r"edit|write|patch|replace|create", re.IGNORECASE)
_NOT_CHANGING = re.compile(r"todo|cuecard|task|read", re.IGNORECASE)
# The key of all agent messages in a Codex transcript. So the messages between two prompts become one message.
CODEX_TURN = "codex"
_CODEX_TOOLS = ("function_call", "custom_tool_call", "local_shell_call")


@dataclass
class Message:
    """The texts and tool calls of the user or the agent: of one record, or of all records with the same `key`."""

    is_typed: bool
    """Whether the user wrote the message."""
    texts: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    """The name of each called tool."""
    key: str = ""
    """A value that all records of one message share; "" if the message has one record."""


@dataclass
class Conversation:
    """The last messages of a session, in order."""

    messages: list[Message] = field(default_factory=list)
    start: int = 0
    """The byte of the transcript where the first message begins."""
    end: int = 0
    """The size of the transcript in bytes when it was read."""
    summary: str = ""
    """The summary that the host wrote at the last compaction; "" if there was no compaction."""

    @property
    def activity(self) -> Activity:
        """The numbers of tool calls and messages, and whether a session summary is worthwhile."""
        tools = [tool for message in self.messages for tool in message.tools]
        typed = sum(message.is_typed for message in self.messages)
        has_changes = any(_CHANGING.search(tool) and not _NOT_CHANGING.search(tool) for tool in tools)
        return Activity(len(tools), len(set(tools) - {""}), len(self.messages), has_changes or typed >= MANY_PROMPTS)

    def add_last(self, text: str) -> None:
        """Add the agent's last message as the host reports it, if the transcript does not have it yet."""
        if text.strip() and not any(
            text.strip() == said.strip() for message in self.messages for said in message.texts
        ):
            self.messages.append(Message(False, [text[-MAX_MESSAGE_CHARS:]]))

    def lines(self) -> list[TriageLine]:
        """All messages as lines, without code."""
        return [
            TriageLine(text, tuple(SENTENCE_END.split(text)), message.is_typed)
            for message in self.messages
            for said in message.texts
            for text in without_code(said).split("\n")
        ]

    def plugin_lines(self) -> list[TriageLine]:
        """All messages as lines, in the way in which the claude-memory plugin reads them.

        Code fences may span messages, and no line counts as typed by the user.
        """
        said = "\n".join([text for message in self.messages for text in message.texts])
        return [TriageLine(text, (text,)) for text in without_code(said).split("\n")]


def read_conversation(path: str, max_messages: int, since: int = 0, *, is_plugin: bool = False) -> Conversation:
    """The last `max_messages` messages of a transcript that begin at byte `since` or later.

    Records without a message are skipped. With `is_plugin` the transcript is read as the claude-memory plugin does it:
    only in Claude Code's format and without filters; MalformedMessage is raised where the plugin would crash. Raises
    OSError.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    try:
        end = os.fstat(handle).st_size
        if since > end:
            # The transcript was replaced by another file.
            since = 0
        found = Conversation(start=end, end=end)
        records = _noting_summary(_records(handle, end, since), found)
        messages = islice(_plugin_messages(records), max_messages) if is_plugin else _messages(records)
        for offset, message in messages:
            last = found.messages[-1] if found.messages else None
            if last and message.key and last.key == message.key:
                last.texts[:0] = message.texts
                last.tools[:0] = message.tools
            elif len(found.messages) == max_messages:
                break
            else:
                found.messages.append(message)
            found.start = offset
        found.messages.reverse()
        return found
    finally:
        os.close(handle)


def _records(handle: int, end: int, since: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects with their byte offsets, from `end` back to `since`."""
    for number, (offset, line) in enumerate(lines_from_end(handle, end)):
        if offset < since or number == MAX_LINES:
            return
        check_time()
        record = read_object(line)
        if record is not None:
            yield offset, record


def _noting_summary(
    records: Iterator[tuple[int, dict[str, Any]]], conversation: Conversation
) -> Iterator[tuple[int, dict[str, Any]]]:
    for offset, record in records:
        conversation.summary = conversation.summary or summary_of(record)
        yield offset, record


def _plugin_messages(records: Iterator[tuple[int, dict[str, Any]]]) -> Iterator[tuple[int, Message]]:
    for offset, record in records:
        if record.get("type") in FOREIGN:
            texts, tools = read_plugin_message(record)
            yield offset, Message(False, texts, tools)


def _messages(records: Iterator[tuple[int, dict[str, Any]]]) -> Iterator[tuple[int, Message]]:
    """The messages with a text or a tool call, the last first, up to a million characters in total."""
    seen: set[str] = set()
    chars = 0
    for offset, record in records:
        uuid = record.get("uuid")
        if isinstance(uuid, str):
            if uuid in seen:
                continue
            seen.add(uuid)
        message = _claude_message(record) or _codex_message(record)
        if message is None:
            continue
        message.texts = [text[-MAX_MESSAGE_CHARS:] for text in message.texts if text.strip()]
        if not message.texts and not message.tools:
            continue
        chars += sum(map(len, message.texts))
        if chars > MAX_CHARS:
            return
        yield offset, message


def _claude_message(record: dict[str, Any]) -> Message | None:
    if not is_conversation(record) or record.get("isApiErrorMessage"):
        return None
    blocks = blocks_of(record)
    if record["type"] != "assistant":
        return Message(True, [typed_of(record)])
    tools = [name for block in blocks if block.get("type") == "tool_use" and isinstance(name := block.get("name"), str)]
    key = record["message"].get("id") if blocks else None
    return Message(
        False, [without_inserted(text) for text in texts_of(blocks)], tools, key if isinstance(key, str) else ""
    )


def _codex_message(record: dict[str, Any]) -> Message | None:
    """The message in a record of a Codex transcript; None if it has none. In older files items have no envelope."""
    item = record.get("payload") if record.get("type") == "response_item" else record
    if not isinstance(item, dict):
        return None
    kind = item.get("type")
    if kind in _CODEX_TOOLS:
        name = item.get("name")
        return Message(False, [], [_codex_tool(item, name if isinstance(name, str) else kind)], CODEX_TURN)
    content = item.get("content")
    if kind != "message" or not isinstance(content, list):
        return None
    texts = [
        text
        for block in content
        if isinstance(block, dict)
        and block.get("type") in ("input_text", "output_text", "text")
        and isinstance(text := block.get("text"), str)
    ]
    if item.get("role") == "assistant":
        return Message(False, [without_inserted(text) for text in texts], [], CODEX_TURN)
    if item.get("role") != "user":
        return None
    return Message(True, ["\n".join([typed for typed in map(typed_text, texts) if typed])])


def _codex_tool(item: dict[str, Any], name: str) -> str:
    """The name of a Codex tool; a shell call that applies a patch counts as `apply_patch`."""
    return "apply_patch" if "apply_patch" in str(item.get("arguments", item.get("action", "")))[:2000] else name
