"""A transcript of Claude Code: what the user typed, and what the agent then did and said.

An internal format without a promise (as of client 2.1): whatever is not understood is passed over.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError

MAX_LINE_BYTES = 16 << 20
# Blocks that the client or a hook put into a prompt; our own above all.
_INSERTED = re.compile(
    r"<(memory-context|system-reminder|local-command-[a-z]+|task-notification|ide_[a-z_]+)\b.*?</\1>", re.DOTALL
)
_COMMAND = re.compile(r"\s*(?:<command-|<local-command|<bash-|/[a-z])")
_INTERRUPTED = "[Request interrupted"


@dataclass
class Turn:
    """A typed prompt, and what followed until the next one."""

    prompt: str
    session: str
    cwd: str
    time: str
    """ISO 8601, or ""."""
    number: int
    """Its place among the session's prompts, from 1."""
    tools: list[tuple[str, str]] = field(default_factory=list)
    """Name and input, as JSON, of every tool that was called."""
    said: list[str] = field(default_factory=list)
    """What the agent said."""


def find_transcripts(path: "str | os.PathLike[str]") -> list[Path]:
    """The transcripts that a path names: itself, or those in a folder; without those of subagents.

    Raises InputError where there is nothing.
    """
    try:
        named = Path(path)
        if named.is_dir():
            found = [file for file in sorted(named.rglob("*.jsonl")) if file.parent.name != "subagents"]
        else:
            found = [named] if named.is_file() else []
    except (OSError, ValueError):
        found = []
    if not found:
        what = f"there is no transcript at `{os.fspath(path)}`"
        hint = "name a session's file, or the folder of a project's sessions"
        raise InputError(what, hint, field="transcripts", expected="a transcript", found="none")
    return found


def read_turns(file: Path) -> list[Turn]:
    """The typed prompts of a transcript with what followed each; raises InputError for a file that cannot be read."""
    turns: list[Turn] = []
    try:
        for entry in _entries(file):
            _add(entry, turns, file.stem)
    except OSError as error:
        what = f"the transcript `{file}` cannot be read: {error.strerror or error}"
        raise InputError(what, "name readable files with `--transcripts`", field="transcripts") from None
    return turns


def _entries(file: Path) -> Iterator[dict[str, Any]]:
    """The messages of the main conversation; a repeated one once."""
    seen: set[str] = set()
    with file.open("rb") as stream:
        while line := stream.readline(MAX_LINE_BYTES):
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(entry, dict) or entry.get("type") not in ("user", "assistant"):
                continue
            if entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary"):
                continue
            uuid = entry.get("uuid")
            if isinstance(uuid, str):
                if uuid in seen:
                    continue
                seen.add(uuid)
            yield entry


def _add(entry: dict[str, Any], turns: list[Turn], session: str) -> None:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(blocks, list):
        return
    blocks = [block for block in blocks if isinstance(block, dict)]
    texts = [text for block in blocks if block.get("type") == "text" and isinstance(text := block.get("text"), str)]
    if entry["type"] == "user":
        typed = "" if any(block.get("type") == "tool_result" for block in blocks) else clean_prompt("\n".join(texts))
        if typed:
            cwd, time = entry.get("cwd"), entry.get("timestamp")
            turns.append(
                Turn(
                    prompt=typed,
                    session=session,
                    cwd=cwd if isinstance(cwd, str) else "",
                    time=time if isinstance(time, str) else "",
                    number=len(turns) + 1,
                )
            )
    elif turns:
        turns[-1].said += texts
        for block in blocks:
            if block.get("type") == "tool_use" and isinstance(block.get("name"), str):
                turns[-1].tools.append((block["name"], json.dumps(block.get("input"), ensure_ascii=False)))


def clean_prompt(text: str) -> str:
    """What the user typed of a message; "" where that is nothing, a command or a notice of the client."""
    if _COMMAND.match(text) or text.lstrip().startswith(_INTERRUPTED):
        return ""
    return _INSERTED.sub(" ", text).strip()
