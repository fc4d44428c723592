"""Memories of other tools: notes of Claude Code, Serena, basic-memory, memory banks, mem0 and the MCP memory server."""

import json
from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.importers.discovery import find_sources
from cuecard.importers.draft import ImportedDraft, Reading
from cuecard.importers.markup.markdown import parse
from cuecard.importers.places import is_entered, is_instructions
from cuecard.importers.readers.knowledge_graph import is_graph, read_graph
from cuecard.importers.readers.mem0 import is_export, read_export
from cuecard.importers.source import read_as

BASIC = """---
title: Auth Design / v2
permalink: specs/auth-design/v2
tags:
- auth
- security
---

# Auth Design / v2

## Observations
- [decision] Sessions are signed cookies because JWT cannot be revoked #auth (agreed in May)
- [requirement] Tokens expire after 15 minutes
- [ ] write the migration
- [x] add the tests
- [/] half done task
- [>] deferred task
- [?] maybe task
- [X] upper case done
- [00:12:30] what was said in the recording
- [ESLint](https://eslint.example) is the linter
- [[Other Note]] links here
- [tech] Uses argon2id for password hashes
- [\u98ce\u9669] \u65e7\u7684\u4f1a\u8bdd\u8868\u8fd8\u6ca1\u6709\u5220\u9664
- nested:
    - [fact] The cookie is called sid

## Relations
- implements [[Security Policy]]
- requires [[Key Rotation]]

```python
- [decision] not an observation in code
```
"""
GRAPH = [
    {
        "type": "entity",
        "name": "Payment_Service",
        "entityType": "service",
        "observations": ["Never retries a card charge", "Runs on port 8443", "Go"],
    },
    {"type": "entity", "name": "Empty", "entityType": "service", "observations": []},
    {"type": "relation", "from": "Payment_Service", "to": "Ledger", "relationType": "writes_to"},
    {"type": "map", "domains": {}},
]
MEM0 = {
    "results": [
        {"id": "m1", "memory": "The team decided to use ULIDs because UUIDs do not sort", "categories": ["data_model"]},
        {"id": "m2", "memory": "Never deploy on a Friday afternoon", "created_at": "2026-02-03T10:00:00Z"},
        {"id": "m3", "memory": "Prefers short commit messages", "state": "deleted"},
        {"id": "m4", "memory": "Python"},
    ]
}


def drafts_of(reading: Reading) -> dict[str, ImportedDraft]:
    return {draft.title: draft for draft in reading.drafts}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found_in(store: Store) -> list[str]:
    """The sources that `cuecard init` finds in the project, relative to it."""
    groups = find_sources(store.root, f"{store.root}/no-home", {})
    return [Path(path).relative_to(store.root).as_posix() for group in groups for path in group.paths]


def test_each_observation_of_a_note_is_a_memory_of_its_own() -> None:
    reading = read_as("basic-memory", parse(BASIC), "notes/auth.md", BASIC)
    drafts = drafts_of(reading)
    assert {title: draft.category for title, draft in drafts.items()} == {
        "Sessions are signed cookies because JWT cannot be revoked": "decision",
        "Tokens expire after 15 minutes": "constraint",
        "Auth Design / v2: Uses argon2id for password hashes": "constraint",
        "Auth Design / v2: \u65e7\u7684\u4f1a\u8bdd\u8868\u8fd8\u6ca1\u6709\u5220\u9664": "tech_debt",
        "Auth Design / v2: The cookie is called sid": "constraint",
    }
    decision = drafts["Sessions are signed cookies because JWT cannot be revoked"]
    assert decision.content["rationale"] == ["JWT cannot be revoked"]
    assert decision.content["context"] == "Auth Design / v2. agreed in May"
    assert decision.tags == ("auth", "security")
    assert drafts["Tokens expire after 15 minutes"].content["impact"] == ["not stated in the source"]


def test_tasks_and_links_of_a_note_have_a_row_for_each_kind() -> None:
    reading = read_as("basic-memory", parse(BASIC), "notes/auth.md", BASIC)
    assert [row for row in reading.skipped if "#" not in row[0]] == [
        ("notes/auth.md", "a task: it says what is to be done (6 times)"),
        ("notes/auth.md", "a line of a recording"),
        ("notes/auth.md", "a link to another note (3 times)"),
    ]


def test_an_entity_gives_a_memory_for_each_observation() -> None:
    lines = [json.dumps(value, separators=(",", ":")) for value in GRAPH]
    # The server has written files in which two objects stand on one line.
    text = lines[0] + lines[1] + "\n" + "\n".join(lines[2:])
    reading = read_graph(text, "memory.jsonl")
    assert {title: draft.category for title, draft in drafts_of(reading).items()} == {
        "Payment Service: Never retries a card charge": "constraint",
        "Payment Service: Runs on port 8443": "constraint",
    }
    assert reading.skipped == [
        ("memory.jsonl#Payment_Service > go", "too short to say something by itself"),
        ("memory.jsonl#Empty", "an entity without observations"),
        ("memory.jsonl", "a relation: it only links two entities"),
        ("memory.jsonl", "an entry that is no entity"),
    ]


def test_an_export_of_mem0_gives_a_memory_for_each_entry() -> None:
    reading = read_export(json.dumps(MEM0), "mem0.json")
    decision, rule = reading.drafts
    assert (decision.category, decision.content["rationale"]) == ("decision", ["UUIDs do not sort"])
    assert decision.tags == ("data", "model")
    assert (rule.category, rule.content["kind"], rule.date) == ("constraint", "policy", "2026-02-03T10:00:00Z")
    assert reading.skipped == [
        ("mem0.json#m3", "deleted at its source"),
        ("mem0.json#m4", "too short to say something by itself"),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "[1, 2]", '{"results": 3}', '{"memories": [{"id": 1}]}', '{"type": "user"}', "[" * 5000, "\0{"],
)
def test_other_json_is_no_file_of_memories(text: str) -> None:
    assert not is_graph(text)
    assert not is_export(text)
    assert read_export(text, "x.json").drafts == read_graph(text, "x.jsonl").drafts == []


def test_a_memory_bank_gives_what_lasts_and_not_how_far_the_work_is() -> None:
    text = (
        "# Active Context\n\n## Current focus\n\n- Always finish the importer first.\n\n"
        "## Active decisions\n\n- Use `ruff` for formatting, never `black`.\n"
    )
    reading = read_as("memory-bank", parse(text), "memory-bank/activeContext.md", text)
    assert [draft.title for draft in reading.drafts] == ["Use ruff for formatting, never black"]
    assert reading.skipped == [
        ("memory-bank/activeContext.md#Active Context > Current focus", "the state of the work at one time")
    ]
    other = read_as("memory-bank", parse(text), "memory-bank/billing-plan.md", text)
    assert (len(other.drafts), len(other.skipped)) == (0, 1)


@pytest.mark.parametrize(
    "place",
    [
        ".roo/rules/style.md",
        ".roo/rules-code/style.md",
        ".kiro/steering/tech.md",
        ".kilocode/rules/style.md",
        ".continue/rules/style.md",
        ".junie/guidelines.md",
        ".augment/rules/style.md",
        ".windsurf/rules/style.md",
        ".github/instructions/python.instructions.md",
        ".goosehints",
        ".clinerules",
        "app/.roorules",
        "app/AGENTS.md",
        "agents.md",
    ],
)
def test_the_rules_of_each_tool_are_instructions(place: str) -> None:
    assert is_instructions(place)


@pytest.mark.parametrize(
    "place", ["docs/agent.md", "docs/memory.md", ".roo/commands/x.md", ".kiro/specs/tech.md", "README.md"]
)
def test_ordinary_documents_are_no_instructions(place: str) -> None:
    assert not is_instructions(place)


def test_of_a_tools_folder_only_what_people_wrote_for_agents_is_read() -> None:
    read = [".roo", ".roo/rules", ".roo/rules-code", ".kiro/steering", ".serena/memories", ".claude/memory", "docs"]
    left = [
        ".roo/commands",
        ".kiro/specs",
        ".serena/cache",
        ".git",
        ".venv",
        "node_modules",
        ".claude/memory/decisions",
    ]
    assert [folder for folder in (*read, *left) if is_entered(folder)] == read


def test_every_source_is_offered_and_a_second_import_changes_nothing(store: Store) -> None:
    root = Path(store.root)
    note = "---\nname: never-mock-the-database\ndescription: A mock hid a bug\ntype: feedback\n---\n\nUse a real one.\n"
    write(
        root,
        {
            ".claude/memory/MEMORY.md": "# Memory\n\n- [Mocks](never-mock.md) - a mock hid a bug\n",
            ".claude/memory/never-mock.md": note,
            ".serena/memories/code_style.md": "# Code style\n\n- Use dataclasses for values, never plain dicts.\n",
            "memory-bank/techContext.md": "# Tech\n\n## Constraints\n\n- Uploads must stay below 5 MB.\n",
            ".roo/rules/commits.md": "- Write commit messages in the imperative mood.\n",
            ".kiro/steering/tech.md": "# Tech\n\n## Rules\n\n- Run `cargo clippy` before each commit.\n",
            "mem0.json": json.dumps(MEM0),
            "memory.jsonl": "\n".join(map(json.dumps, GRAPH)),
            "data/memory.json": '{"size": 3}',
        },
    )
    sources = found_in(store)
    assert sources == [
        ".claude/memory",
        ".kiro/steering",
        ".roo/rules",
        ".serena/memories",
        "mem0.json",
        "memory-bank",
        "memory.jsonl",
    ]
    paths = [root / source for source in sources]
    first = run_in(store, "import", *paths, "--json").document
    assert first["counts"]["created"] == 9
    assert "Never mock the database" in [row["title"] for row in first["outcomes"]]
    assert set(run_in(store, "import", *paths, "--json").document["counts"]) == {"unchanged", "skipped"}


def test_a_changed_and_a_removed_section_of_a_note_are_reported(store: Store) -> None:
    root = Path(store.root)
    write(root, {"notes/auth.md": BASIC})
    run_in(store, "import", root / "notes")
    changed = BASIC.replace("after 15 minutes", "after 20 minutes").replace(
        "    - [fact] The cookie is called sid\n", ""
    )
    write(root, {"notes/auth.md": changed})
    counts = run_in(store, "import", root / "notes", "--json").document["counts"]
    assert (counts["updated"], counts["gone"], counts["unchanged"]) == (1, 1, 3)
