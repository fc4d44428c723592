"""Judged pairs of memories, the stores with the existing memories of the pairs, and drafts without a related memory."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAIRS = Path(__file__).parents[1] / "data" / "relations"
EVALUATION = Path(os.environ.get("CUECARD_EVAL", Path(__file__).parents[3] / "shared" / "eval"))
VERDICTS = ("same", "updates", "contradicts", "unrelated")
# The similarity measure was developed with the first set. The second set was written later, and no value was chosen to
# fit it.
FIRST, SECOND = SETS = ("first", "second")
_PREFIXES = {FIRST: "", SECOND: "second_"}


@dataclass(frozen=True)
class RelationPair:
    """A draft, an existing memory, and the relation between them as a person judged it."""

    id: str
    verdict: str
    store: str
    domain: str
    languages: tuple[str, str]
    existing: dict[str, Any]
    draft: dict[str, Any]


@dataclass(frozen=True)
class UnrelatedDraft:
    """A draft without a related memory in its store.

    The draft is `draft`, or else the memory `memory` of the project `project`.
    """

    store: str
    draft: dict[str, Any] | None
    project: str
    memory: str


def read_pairs(of_set: str = FIRST) -> list[RelationPair]:
    """All pairs of a set, in the order of the file."""
    return [
        RelationPair(**{**row, "languages": (row["languages"][0], row["languages"][1])})
        for row in _rows(f"{_PREFIXES[of_set]}pairs.jsonl")
    ]


def read_store_lists() -> dict[str, list[tuple[str, str]]]:
    """For each store of the evaluation set, by name: the project and the id of each of its memories."""
    stores: dict[str, list[tuple[str, str]]] = {}
    for row in _rows("stores.jsonl"):
        stores.setdefault(row["store"], []).extend((row["project"], memory) for memory in row["memories"])
    return stores


def read_store(name: str, of_set: str = FIRST) -> list[dict[str, Any]]:
    """The 201 memories of a store, including the existing memory of every pair in a set.

    Raises OSError if the evaluation set is missing.
    """
    named = read_store_lists()[name]
    projects = {project: read_project_memories(project) for project in {project for project, _ in named}}
    return [projects[project][memory] for project, memory in named] + [pair.existing for pair in read_pairs(of_set)]


def read_unrelated(of_set: str = FIRST) -> list[UnrelatedDraft]:
    """All unrelated drafts of a set."""
    return [
        UnrelatedDraft(row["store"], row.get("draft"), row.get("project", ""), row.get("memory", ""))
        for row in _rows(f"{_PREFIXES[of_set]}unrelated.jsonl")
    ]


@dataclass(frozen=True)
class PolicyMemory:
    """A policy of one house; `kind` is `existing`, `unrelated`, or the verdict on its relation to the policy `of`."""

    kind: str
    of: str
    memory: dict[str, Any]


def read_policies() -> list[PolicyMemory]:
    """The policies of one house, in the order of the file."""
    rows = _rows("policies.jsonl")
    return [PolicyMemory(row.pop("kind"), row.pop("of", ""), row) for row in rows]


def read_project_memories(project: str) -> dict[str, dict[str, Any]]:
    """The memories of a project of the evaluation set, by id.

    Raises OSError if the evaluation set is missing.
    """
    lines = (EVALUATION / project / "memories.jsonl").read_text("utf-8").splitlines()
    return {memory["id"]: memory for memory in map(json.loads, filter(None, lines))}


def as_record(memory: dict[str, Any]) -> dict[str, Any]:
    """A memory as the record of its JSON file."""
    return {
        "schema_version": "1.0",
        "category": memory["category"].lower(),
        "id": memory["id"],
        "title": memory["title"],
        "record_status": "active",
        "created_at": memory["updated_at"],
        "updated_at": memory["updated_at"],
        "tags": memory["tags"],
        "content": memory["content"],
        "times_updated": 0,
        "changes": [],
    }


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (PAIRS / name).read_text("utf-8").splitlines() if line]
