"""How often memories speak at 40 acts that break their rules, and at 40 that do not (`tests/data/forbidden`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuecard.store.records.prohibitions import propose_forbids
from trust_cases import write

if TYPE_CHECKING:
    from hook_process import Hook

DATA = Path(__file__).resolve().parent.parent / "data" / "forbidden"
LEAST_SPOKEN = 34
MOST_FALSE = 2


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def remember(project: Path, row: dict[str, Any]) -> None:
    """Write a memory of the set. One without `forbids` forbids what is read from its rule, as an import does."""
    field = "rule" if row["category"] == "constraint" else "value"
    own = {"forbids": row.get("forbids") or propose_forbids(row["rule"])}
    own.update({"applies_to": row["applies_to"]} if "applies_to" in row else {})
    memory = {"category": row["category"], "title": row["id"], "tags": [], "content": {field: row["rule"]}}
    write(project, f".claude/memory/{row['category']}s/{row['id']}.json", {**memory, "cuecard": own})


def test_most_breaches_are_named_and_hardly_anything_else(hook: Hook, tmp_path: Path) -> None:
    project = tmp_path / "project"
    for row in read("memories.jsonl"):
        remember(project, row)
    missed, false = [], []
    for number, row in enumerate(read("acts.jsonl")):
        event = {"hook_event_name": "PreToolUse", "tool_name": row["tool"], "tool_input": row["input"]}
        payload = {**event, "session_id": f"s{number}", "cwd": str(project)}
        ran = hook.run("tool-context", stdin=json.dumps(payload).encode(), cwd=project)
        assert (ran.code, ran.log) == (0, [])
        said = ran.stdout.decode()
        if row["breaks"] is None and said:
            false.append((row["input"], said))
        if row["breaks"] and f"] {row['breaks']}" not in said:
            missed.append((row["breaks"], row["input"], said))
    assert len(missed) <= 40 - LEAST_SPOKEN, missed
    assert len(false) <= MOST_FALSE, false
