"""A transcript of Claude Code: what the user typed, and what the agent then did and said."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..protocol.transcript_record import MAX_LINE_BYTES, blocks_of, is_conversation, read_object, texts_of, typed_text


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
    if entry["type"] == "user":
        typed = typed_text(blocks)
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
