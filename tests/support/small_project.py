"""A project with a few memories, for tests of programs that read it."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONG_AGO = "2020-01-01T00:00:00Z"
FOLDERS = {
    "session_summary": "sessions",
    "decision": "decisions",
    "runbook": "runbooks",
    "constraint": "constraints",
    "tech_debt": "tech-debt",
    "preference": "preferences",
}
# The smallest content that the schema of each category allows.
CONTENTS: dict[str, dict[str, Any]] = {
    "session_summary": {"goal": "a goal", "outcome": "success", "completed": [], "next_actions": []},
    "decision": {"status": "accepted", "context": "a context", "decision": "so", "rationale": ["because"]},
    "runbook": {"trigger": "it fails", "steps": ["mend it"], "verification": "it works"},
    "constraint": {"kind": "policy", "rule": "a rule", "impact": ["slow"], "severity": "low", "active": True},
    "tech_debt": {"status": "open", "priority": "low", "description": "old", "reason_deferred": "no time"},
    "preference": {"topic": "style", "value": "short", "reason": "clear", "strength": "soft"},
}


@dataclass(frozen=True)
class SampleMemory:
    """What a test chooses about a memory; the memory's file and index line are made from it."""

    category: str
    name: str
    title: str
    tags: tuple[str, ...] = ()
    updated_at: str = LONG_AGO
    status: str = "active"

    @property
    def path(self) -> str:
        """The path of the memory's file, relative to the project."""
        return f".claude/memory/{FOLDERS[self.category]}/{self.name}.json"

    @property
    def line(self) -> str:
        """The memory's line in the index."""
        suffix = f" #tags:{','.join(sorted(self.tags))}" if self.tags else ""
        return f"- [{self.category.upper()}] {self.title} -> {self.path}{suffix}"

    @property
    def record(self) -> dict[str, object]:
        """The record in the memory's file."""
        return {
            "schema_version": "1.0",
            "category": self.category,
            "id": self.name,
            "title": self.title,
            "tags": list(self.tags) or ["untagged"],
            "record_status": self.status,
            "created_at": LONG_AGO,
            "updated_at": self.updated_at,
            "content": CONTENTS[self.category],
        }


MEMORIES = (
    SampleMemory("constraint", "no-network", "The hook never opens the network", ("hook", "latency")),
    SampleMemory("decision", "native-hook", "The hook is a native executable, no Python script", ("hook", "rust")),
    SampleMemory("decision", "twins", "Two twins give the same result", ("parity", "pure")),
    SampleMemory("preference", "plain-words", "Plain words in error messages", ("style",)),
    SampleMemory(
        "runbook",
        "release",
        "Release a wheel: build, check, publish",
        ("release", "wheel"),
        updated_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    ),
    SampleMemory("tech_debt", "old-hook", "The shell hook is slow", ("hook", "shell"), status="retired"),
)


def write_project(root: Path, *memories: SampleMemory, config: object = None) -> Path:
    """Write the files and the index of `memories` (by default `MEMORIES`) and the settings; return `root`."""
    memories = memories or MEMORIES
    store = root / ".claude" / "memory"
    store.mkdir(parents=True)
    for memory in memories:
        file = root / memory.path
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(memory.record, indent=2), encoding="utf-8")
    lines = "".join([f"{memory.line}\n" for memory in memories])
    (store / "index.md").write_text(f"# Memory Index\n\n{lines}", encoding="utf-8")
    if config is not None:
        (store / "memory-config.json").write_text(json.dumps(config), encoding="utf-8")
    return root
