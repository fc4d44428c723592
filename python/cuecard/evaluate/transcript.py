"""Reads transcripts of Claude Code: the user's prompts, and the agent's tool calls and texts after each prompt."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..capture.triage.transcript_record import (
    MAX_LINE_BYTES,
    blocks_of,
    is_conversation,
    read_object,
    texts_of,
    typed_of,
)
from ..errors import InputError


@dataclass
class Turn:
    """A typed prompt, and the agent's tool calls and texts until the next prompt."""

    prompt: str
    session: str
    cwd: str
    time: str
    """The time of the prompt in ISO 8601; "" if unknown."""
    number: int
    """The position among the session's prompts, from 1."""
    tools: list[tuple[str, str]] = field(default_factory=list)
    """The name and the input (as JSON text) of every tool call."""
    said: list[str] = field(default_factory=list)
    """The texts that the agent wrote."""


def find_transcripts(path: "str | os.PathLike[str]") -> list[Path]:
    """The transcripts at a path: a file, or all transcripts below a folder except transcripts of subagents.

    Raises InputError if there is no transcript.
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
    """The turns of a transcript. Raises InputError if the file cannot be read."""
    turns: list[Turn] = []
    try:
        for entry in _entries(file):
            _add(entry, turns, file.stem)
    except OSError as error:
        what = f"the transcript `{file}` cannot be read: {error.strerror or error}"
        raise InputError(what, "name readable files with `--transcripts`", field="transcripts") from None
    return turns


def _entries(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the messages of the main conversation in a transcript. A message that the transcript repeats comes once."""
    seen: set[str] = set()
    with file.open("rb") as stream:
        while line := stream.readline(MAX_LINE_BYTES):
            entry = read_object(line)
            if entry is None or not is_conversation(entry):
                continue
            uuid = entry.get("uuid")
            if isinstance(uuid, str):
                if uuid in seen:
                    continue
                seen.add(uuid)
            yield entry


def _add(entry: dict[str, Any], turns: list[Turn], session: str) -> None:
    blocks = blocks_of(entry)
    if entry["type"] != "assistant":
        typed = typed_of(entry)
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
        turns[-1].said += texts_of(blocks)
        for block in blocks:
            if block.get("type") == "tool_use" and isinstance(block.get("name"), str):
                turns[-1].tools.append((block["name"], json.dumps(block.get("input"), ensure_ascii=False)))
