"""Sessions for triage: labelled sessions, and records of transcripts as hosts write them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "triage"
DECIDED = "We decided to use PostgreSQL instead of SQLite, because two writers block each other."


def read_sessions(name: str) -> list[dict[str, Any]]:
    """The labelled sessions of a file."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def typed(text: str, **members: object) -> dict[str, Any]:
    """The record of a prompt in a transcript of Claude Code."""
    return {"type": "user", "message": {"role": "user", "content": text}, **members}


def said(text: str, **members: object) -> dict[str, Any]:
    """The record of an agent's message with a text."""
    return {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
        **members,
    }


def used(tool: str, **members: object) -> dict[str, Any]:
    """The record of an agent's tool call."""
    content = [{"type": "tool_use", "id": "t", "name": tool, "input": {}}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}, **members}


def in_jsonl(records: Iterable[object]) -> bytes:
    """The records as JSON Lines."""
    return "".join([json.dumps(record, ensure_ascii=False) + "\n" for record in records]).encode()


def transcript_of(session: dict[str, Any]) -> list[dict[str, Any]]:
    """The transcript of a labelled session."""
    records = [typed(text) if who == "user" else said(text) for who, text in session["said"]]
    return records + [used(tool) for tool in session["tools"]]
