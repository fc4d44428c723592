"""Memories out of what is written elsewhere: every kind of source, told apart, mapped, and read again."""

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import command_process
import cuecard
from command_process import Ran, error_of, run_in, run_on_terminal
from cuecard.capture.importing.adr import read_adr
from cuecard.capture.importing.draft import Draft
from cuecard.capture.importing.markdown import items, parse
from cuecard.capture.importing.source import Source, read_as
from cuecard.store.autofix import fix_new
from cuecard.store.record_check import check
from cuecard.store.store import Store
from records import Fields, assert_index_is_a_rebuild, make_store, read, read_files

SECRET = "ghp_" + "a1B2c3D4e5" * 4

NYGARD = """# 7. Keep sessions in Redis

Date: 2024-03-05

## Status

Accepted

## Context

Workers are restarted often, and [sessions](sessions.md) in their memory are lost. Users complain.

## Decision

We will keep sessions in Redis.

## Consequences

* Redis must be up before a worker.
* Sessions survive a deployment.
"""

MADR = """---
status: "accepted"
date: 2024-05-06
tags: [storage]
---
# Use Parquet for reports

## Context and Problem Statement

Reports are large. Which format do we store them in?

## Decision Drivers

* columns are read alone
* size on disk

## Considered Options

* Parquet
* CSV
* JSON lines

## Decision Outcome

Chosen option: "Parquet", because columns can be read alone.

### Consequences

* Good, because queries got faster

## Pros and Cons of the Options

### Parquet

* Good, because it is small

### CSV

* Good, because everybody reads it
* Bad, because it has no types
"""

RUNBOOK = """# Queue is stuck

Jobs wait for more than ten minutes.

## Symptoms

- the alert `queue_age` fires

## Steps

1. Look at the workers.
2. Restart the scheduler:

   ```
   systemctl restart scheduler
   ```
3. Watch the queue.

## Verification

`queue_age` is below a minute.
"""

CLAUDE_MD = """# Billing

A service that writes invoices for customers.

## Build commands

```bash
# everything
$ make all
make test
```

## Rules

- Never log card numbers.
- Always round to cents.

## Style

Short functions, and names of two words at most.

## Known issues

The importer reads a file twice; nobody had time to mend it.
"""

CURSOR = """---
description: Style of React components
globs: src/**/*.tsx, src/**/*.ts
alwaysApply: true
---
Components are functions, with a file of their own.
"""

FEEDBACK = """---
name: no-mocks
description: Tests use a real database
metadata:
  type: feedback
  modified: 2026-01-02
---
Integration tests talk to a real database.

**Why:** a mock hid a broken migration.
**How to apply:** whenever a test needs data.
"""

BASIC = """---
title: Token lifetimes
type: note
tags: [auth]
permalink: auth/token-lifetimes
---
# Token lifetimes

## Observations
- [decision] Access tokens live for fifteen minutes #security
- [reason] Stolen tokens are soon worthless
- [status] deployed to staging

## Relations
- implements [[Login]]
"""

DAY = """# 2026-01-05

## Session 09:15

### 09:20
<!-- session:abc turn:def transcript:/x -->
- Moved the cache to Redis
- The tests pass again

## Session 14:00

### 14:05
- Wrote the report
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a file of each kind in Markdown, and some that are none."""
    files = {
        "docs/adr/0007-sessions-in-redis.md": NYGARD,
        "docs/adr/0008-parquet.md": MADR,
        "docs/adr/0000-template.md": MADR.replace("Use Parquet for reports", "{short title}"),
        "docs/adr/README.md": "# Decisions\n\nA list of them.\n",
        "docs/runbooks/queue.md": RUNBOOK,
        "CLAUDE.md": CLAUDE_MD,
        ".cursor/rules/react.mdc": CURSOR,
        "memory/no_mocks.md": FEEDBACK,
        "memory/MEMORY.md": "# Memory\n\n- [No mocks](no_mocks.md) - tests use a real database\n",
        "notes/token-lifetimes.md": BASIC,
        "days/2026-01-05.md": DAY,
        "node_modules/x/CLAUDE.md": CLAUDE_MD,
        ".claude/commands/deploy.md": RUNBOOK,
        ".github/ISSUE_TEMPLATE/bug.md": NYGARD,
    }
    for name, text in files.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "source"


def by_source(ran: Ran) -> dict[str, Any]:
    return {outcome["source"]: outcome for outcome in ran.document["outcomes"]}


def imported(store: Store, name: str, text: str, kind: str = "") -> Ran:
    """Import one file, made for it beside the store."""
    path = Path(store.root).parent / name
    path.write_text(text, encoding="utf-8")
    return run_in(store, "import", path, "--json", *(["--from", kind] if kind else []))


def content(store: Store, memory_id: str, category: str) -> Fields:
    found: Fields = read(store, memory_id, category)["content"]
    return found


# Every kind


def test_a_project_is_read_file_by_file(store: Store, project: Path) -> None:
    ran = run_in(store, "import", project, "--json")
    assert ran.code == 0
    found = by_source(ran)
    status = {name: (outcome["status"], outcome["category"]) for name, outcome in found.items()}
    assert status == {
        ".cursor/rules/react.mdc": ("created", "preference"),
        "CLAUDE.md#Billing": ("created", "preference"),
        "CLAUDE.md#Billing > Build commands": ("created", "runbook"),
        "CLAUDE.md#Billing > Rules": ("created", "constraint"),
        "CLAUDE.md#Billing > Style": ("created", "preference"),
        "CLAUDE.md#Billing > Known issues": ("created", "tech_debt"),
        "days/2026-01-05.md#Session 09:15": ("created", "session_summary"),
        "days/2026-01-05.md#Session 14:00": ("created", "session_summary"),
        "docs/adr/0000-template.md": ("skipped", None),
        "docs/adr/0007-sessions-in-redis.md": ("created", "decision"),
        "docs/adr/0008-parquet.md": ("created", "decision"),
        "docs/adr/README.md": ("skipped", None),
        "docs/runbooks/queue.md": ("created", "runbook"),
        "memory/MEMORY.md": ("skipped", None),
        "memory/no_mocks.md": ("created", "preference"),
        "notes/token-lifetimes.md": ("created", "decision"),
    }
    assert found["docs/adr/0000-template.md"]["why"] == "a template"
    assert found["memory/MEMORY.md"]["why"] == "an index of other files"
    assert_index_is_a_rebuild(store)


def test_records_of_nygard_and_madr_become_decisions(store: Store, project: Path) -> None:
    run_in(store, "import", project / "docs" / "adr")
    nygard = read(store, "keep-sessions-in-redis")
    assert nygard["content"] == {
        "status": "accepted",
        "context": "Workers are restarted often, and sessions in their memory are lost. Users complain.",
        "decision": "We will keep sessions in Redis.",
        "rationale": ["Workers are restarted often, and sessions in their memory are lost."],
        "consequences": ["Redis must be up before a worker.", "Sessions survive a deployment."],
    }
    source = nygard["cuecard"]["source"]
    assert nygard["cuecard"]["origin"] == "import"
    assert (source["kind"], source["path"], source["date"]) == ("adr", "0007-sessions-in-redis.md", "2024-03-05")
    madr = read(store, "use-parquet-for-reports")
    assert madr["tags"] == ["adr", "storage"]
    assert madr["content"]["rationale"] == ["columns are read alone", "size on disk"]
    assert madr["content"]["decision"] == 'Chosen option: "Parquet", because columns can be read alone.'
    assert madr["content"]["consequences"] == ["Good, because queries got faster"]
    assert madr["content"]["alternatives"] == [
        {"option": "CSV", "rejected_reason": "Bad, because it has no types"},
    ]


def test_what_was_imported_is_found_by_recall(store: Store, project: Path) -> None:
    run_in(store, "import", project)
    hits = cuecard.open(store.root).recall("where do we keep the sessions of users?")
    assert "Keep sessions in Redis" in [hit.title for hit in hits]


def test_a_runbook_has_its_steps(store: Store, project: Path) -> None:
    run_in(store, "import", project / "docs")
    found = content(store, "queue-is-stuck", "runbook")
    assert found["trigger"] == "Jobs wait for more than ten minutes."
    assert found["steps"][0] == "Look at the workers."
    assert found["steps"][1].startswith("Restart the scheduler:")
    assert found["symptoms"] == ["the alert `queue_age` fires"]
    assert found["verification"] == "`queue_age` is below a minute."


def test_sections_of_instructions_are_memories(store: Store, project: Path) -> None:
    run_in(store, "import", project / "CLAUDE.md")
    assert content(store, "build-commands", "runbook")["steps"] == ["make all", "make test"]
    rules = content(store, "rules", "constraint")
    assert (rules["severity"], rules["impact"]) == ("high", ["as CLAUDE.md says"])
    assert "Never log card numbers." in rules["rule"]
    assert content(store, "style", "preference")["value"].startswith("Short functions")
    assert read(store, "style", "preference")["cuecard"]["source"]["heading"] == "Billing > Style"


@pytest.mark.parametrize(
    ("heading", "text", "category"),
    [
        ("Commands", "- Test: `make test`\n- Lint: `make lint`", "runbook"),
        ("Testing", "Tests are small, and each of them has a name.", "preference"),
        ("Limitations", "Uploads are slow over the old network.", "constraint"),
        ("Errors", "- Never swallow one.\n- You must log it.\n- Say why.", "constraint"),
        ("Architecture", "A web server and a worker share one database.", "decision"),
        ("TODO", "The old importer is to be taken out.", "tech_debt"),
        ("빌드", "```\nmake all -j4\nmake test\n```", "runbook"),
    ],
)
def test_the_category_of_a_section_follows_its_heading_and_its_form(
    store: Store, heading: str, text: str, category: str
) -> None:
    [outcome] = imported(store, "AGENTS.md", f"# {heading}\n\n{text}\n").document["outcomes"]
    assert (outcome["status"], outcome["category"]) == ("created", category)


def test_lines_in_code_are_no_observations(store: Store) -> None:
    text = "# Guide\n\n```\n- [decision] one\n- [reason] two\n```\n"
    [outcome] = imported(store, "guide.md", text).document["outcomes"]
    assert outcome["status"] == "skipped"


def test_rules_of_claude_code_and_copilot_are_instructions(store: Store, tmp_path: Path) -> None:
    for name in (".claude/rules/style.md", ".github/instructions/tests.instructions.md"):
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True)
        path.write_text(f"# About {path.stem}\n\nShort lines and few words in {path.stem}.\n", encoding="utf-8")
    found = by_source(run_in(store, "import", tmp_path / "source", "--json"))
    assert {name.partition("#")[0]: outcome["status"] for name, outcome in found.items()} == {
        ".claude/rules/style.md": "created",
        ".github/instructions/tests.instructions.md": "created",
    }


def test_rules_of_cursor_keep_their_globs(store: Store, project: Path) -> None:
    run_in(store, "import", project / ".cursor" / "rules")
    found = read(store, "style-of-react-components", "preference")
    assert found["cuecard"]["anchors"] == ["src/**/*.tsx", "src/**/*.ts"]
    assert found["content"]["strength"] == "strong"
    assert "Components are functions" in found["content"]["value"]


def test_notes_of_other_memories_are_read(store: Store, project: Path) -> None:
    run_in(store, "import", project)
    feedback = content(store, "tests-use-a-real-database", "preference")
    assert feedback["value"] == "Integration tests talk to a real database."
    assert feedback["reason"] == "a mock hid a broken migration."
    assert feedback["examples"] == {"prefer": ["whenever a test needs data."]}
    basic = read(store, "token-lifetimes")
    assert basic["content"]["decision"] == "Access tokens live for fifteen minutes"
    assert basic["content"]["rationale"] == ["Stolen tokens are soon worthless"]
    assert basic["tags"] == ["auth", "security"]
    day = [memory for memory in store.memories("session_summary") if "09:15" in memory.title]
    assert day[0].record["content"]["completed"] == ["Moved the cache to Redis", "The tests pass again"]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database of claude-mem with two projects."""
    path = tmp_path / "claude-mem.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT,"
            " type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, created_at TEXT,"
            " created_at_epoch INTEGER)"
        )
        rows = [
            ("project", "decision", "Money is an integer", "cents", ["no floats"], "Amounts are kept in cents."),
            ("project", "bugfix", "Locks are freed", "a lock stayed", ["use a finally block"], "A lock stayed."),
            ("project", "feature", "Export", "", ["done"], "Export was built."),
            ("elsewhere", "decision", "Another project", "", ["x"], "Not ours."),
            ("project", "decision", "", "", [], ""),
        ]
        for number, (project, kind, title, subtitle, facts, narrative) in enumerate(rows):
            connection.execute(
                "INSERT INTO observations VALUES (NULL, 's', ?, NULL, ?, ?, ?, ?, ?, '[\"how-it-works\"]', ?, ?)",
                (project, kind, title, subtitle, json.dumps(facts), narrative, "2026-01-01T00:00:00Z", number),
            )
        connection.execute(
            "CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, project TEXT, request TEXT, completed TEXT,"
            " next_steps TEXT, learned TEXT, created_at TEXT, created_at_epoch INTEGER)"
        )
        for number in range(8):
            connection.execute(
                "INSERT INTO session_summaries VALUES (NULL, 'project', ?, 'all of it', '', '', '2026', ?)",
                (f"Build part {number} of the {'abcdefgh'[number] * 9} machine", number),
            )
    return path


def test_the_database_of_claude_mem_is_read_for_this_project(store: Store, database: Path) -> None:
    before = database.read_bytes()
    ran = run_in(store, "import", database, "--json")
    assert database.read_bytes() == before
    found = by_source(ran)
    assert found["claude-mem.db#observation 1"]["category"] == "decision"
    assert content(store, "money-is-an-integer", "decision")["rationale"] == ["no floats"]
    assert content(store, "locks-are-freed", "runbook")["steps"] == ["use a finally block"]
    assert "type `feature`" in found["claude-mem.db#observation 3"]["why"]
    assert found["claude-mem.db"]["why"] == "1 rows of other projects than `project`"
    assert "Another project" not in [memory.title for memory in store.memories()]
    # The newest, as many as there is room for.
    summaries = [name for name, outcome in found.items() if "summary" in name and outcome["status"] == "created"]
    assert summaries == [f"claude-mem.db#summary {number}" for number in (8, 7, 6, 5, 4)]
    again = run_in(store, "import", database, "--json").document["counts"]
    assert again == {"skipped": 3 + 3, "unchanged": 7}


def test_what_is_no_database_of_claude_mem_is_an_error(store: Store, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE t (x)")
    assert error_of(run_in(store, "import", other, "--json"))["field"] == "source"
    (tmp_path / "torn.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    assert run_in(store, "import", tmp_path / "torn.db").code == 1


# Again, and other trouble


def test_a_dry_run_says_the_same_and_writes_nothing(store: Store, project: Path) -> None:
    before = read_files(store)
    dry = run_in(store, "import", project, "--dry-run", "--json").document
    assert dry["dry_run"]
    assert read_files(store) == before
    assert run_in(store, "import", project, "--json").document["outcomes"] == dry["outcomes"]


def test_a_second_run_changes_nothing(store: Store, project: Path) -> None:
    run_in(store, "import", project)
    before = read_files(store)
    again = run_in(store, "import", project, "--json").document["counts"]
    assert again == {"skipped": 3, "unchanged": 13}
    assert read_files(store) == before


def test_a_changed_source_updates_and_what_was_changed_here_stays(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    changed = NYGARD.replace("in Redis.", "in Valkey.").replace("* Sessions survive a deployment.\n", "")
    [outcome] = imported(store, "0007-redis.md", changed).document["outcomes"]
    assert outcome["status"] == "updated"
    found = read(store, "keep-sessions-in-redis")
    assert found["content"]["decision"] == "We will keep sessions in Valkey."
    assert found["content"]["consequences"] == ["Redis must be up before a worker."]
    assert found["changes"][0]["summary"] == "its source 0007-redis.md changed"
    store.update("keep-sessions-in-redis", {"content": {"context": "Ours."}})
    [outcome] = imported(store, "0007-redis.md", NYGARD).document["outcomes"]
    assert (outcome["status"], outcome["why"]) == ("skipped", "changed here and in its source: yours stays")
    assert read(store, "keep-sessions-in-redis")["content"]["context"] == "Ours."


def test_a_source_may_change_again_and_again(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    second = NYGARD.replace("Keep sessions in Redis", "All of it lives in Valkey now").replace(
        "Users complain.", SECRET
    )
    for text in (second, NYGARD.replace("restarted", "started")):
        ran = imported(store, "0007-redis.md", text).document
        assert ran["counts"] == {"updated": 1}
        before = read_files(store)
        assert imported(store, "0007-redis.md", text).document["counts"] == {"unchanged": 1}
        assert read_files(store) == before
    assert len(store.memories(status="all")) == 1


def test_a_field_that_goes_from_the_source_goes_here(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    imported(store, "0007-redis.md", NYGARD.partition("## Consequences")[0])
    assert "consequences" not in content(store, "keep-sessions-in-redis", "decision")


def test_what_its_source_supersedes_is_retired_and_never_comes_in(store: Store) -> None:
    over = NYGARD.replace("Accepted\n", "Accepted\n\nSuperseded by [9. Postgres](0009-postgres.md)\n")
    [outcome] = imported(store, "fresh.md", over.replace("Redis", "Memcached")).document["outcomes"]
    assert (outcome["status"], outcome["why"]) == ("skipped", "superseded at its source")
    imported(store, "0007-redis.md", NYGARD)
    [outcome] = imported(store, "0007-redis.md", over).document["outcomes"]
    assert outcome["status"] == "retired"
    assert read(store, "keep-sessions-in-redis")["retired_reason"] == "superseded at its source"
    [outcome] = imported(store, "0007-redis.md", NYGARD).document["outcomes"]
    assert (outcome["status"], outcome["why"]) == ("skipped", "it is retired here")


def test_what_is_there_already_is_a_duplicate(store: Store) -> None:
    imported(store, "0007-redis.md", NYGARD)
    [outcome] = imported(store, "copy.md", NYGARD.replace("# 7. ", "# ADR-0007: ")).document["outcomes"]
    assert (outcome["status"], outcome["target"]) == (
        "duplicate",
        ".claude/memory/decisions/keep-sessions-in-redis.json",
    )
    assert outcome["why"].startswith("cosine 1.00")


def test_secrets_are_replaced_and_reported(store: Store) -> None:
    text = NYGARD.replace("Users complain.", f"The token is {SECRET}.")
    for arguments in (["--dry-run"], []):
        path = Path(store.root).parent / "0007-redis.md"
        path.write_text(text, encoding="utf-8")
        ran = run_in(store, "import", path, *arguments)
        assert "warning: a secret (" in ran.stderr
    assert SECRET not in "".join([data.decode() for data in read_files(store).values()])
    [outcome] = imported(store, "0007-redis.md", text).document["outcomes"]
    assert outcome["status"] == "unchanged"


def test_contradictions_are_reported(store: Store) -> None:
    imported(store, "CLAUDE.md", "# Rules\n\n- Migrations run automatically at deployment.\n- Must be reviewed.\n")
    [outcome] = imported(
        store, "AGENTS.md", "# Restrictions\n\n- Nobody waits: always ask.\n- Migrations run manually at deployment.\n"
    ).document["outcomes"]
    assert outcome["status"] == "created"
    [told] = outcome["contradicts"]
    assert told.startswith("constraint/rules: `automatically` against `manually` in `- Migrations run automatically")


def test_two_sections_of_one_title_are_told_apart(store: Store) -> None:
    text = "# A\n\n## Style\n\nShort functions, please, everywhere.\n\n# B\n\n## Style\n\nCSS is in one file a page.\n"
    ran = imported(store, "AGENTS.md", text)
    assert [outcome["target"].rpartition("/")[2] for outcome in ran.document["outcomes"]] == [
        "style.json",
        "style-b.json",
    ]
    assert imported(store, "AGENTS.md", text).document["counts"] == {"unchanged": 2}


def test_the_kind_can_be_given_and_an_unknown_one_is_refused(store: Store) -> None:
    text = "# Deploy\n\n1. Build it.\n2. Ship it.\n"
    [outcome] = imported(store, "deploy.md", text).document["outcomes"]
    assert outcome["status"] == "skipped"
    [outcome] = imported(store, "deploy.md", text, "runbook").document["outcomes"]
    assert outcome["status"] == "created"
    assert content(store, "deploy", "runbook")["steps"] == ["Build it.", "Ship it."]
    assert error_of(imported(store, "deploy.md", text, "wiki"))["field"] == "from"
    assert run_in(store, "import", "nowhere.md").code == 1


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"---\n", b"---\na: [\n---\n# \n", b"# x\n" * 50_000, b"\0" * 99]
)
def test_files_of_any_content_are_survived(store: Store, tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    for name in ("CLAUDE.md", "a.mdc", "0001-x.md", "2026-01-01.md"):
        (folder / name).write_bytes(data)
    ran = run_in(store, "import", folder, "--json")
    assert ran.code == 0
    assert set(ran.document["counts"]) <= {"skipped", "created", "duplicate"}


def test_a_bar_is_drawn_only_on_a_terminal(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    words = "ash birch cedar elm fir gum hazel ivy juniper larch maple oak pine rowan spruce teak willow yew".split()
    path = tmp_path / "AGENTS.md"
    text = "".join([f"# Of {a} and {b}\n\nThe {a} {b} stands on the hill.\n\n" for a in words[:5] for b in words[5:]])
    path.write_text(text, encoding="utf-8")
    shown = run_on_terminal(tmp_path, Path(store.root), "import", str(path), "--dry-run").stdout
    assert "importing" in shown
    assert "importing" not in run_in(store, "import", path, "--dry-run").stderr


def test_links_out_of_the_folder_are_not_followed(store: Store, tmp_path: Path, project: Path) -> None:
    (tmp_path / "outside.md").write_text(NYGARD.replace("Redis", "Outside"), encoding="utf-8")
    (project / "docs" / "adr" / "0009-link.md").symlink_to(tmp_path / "outside.md")
    assert by_source(run_in(store, "import", project, "--json"))["docs/adr/0009-link.md"]["why"] == (
        "a link out of the folder"
    )


def test_a_secret_in_a_heading_is_neither_stored_nor_told(store: Store) -> None:
    text = f"# Rules\n\n## Token {SECRET}\n\nIt goes into the header of every request.\n"
    ran = imported(store, "AGENTS.md", text)
    assert SECRET not in ran.stdout
    assert SECRET not in "".join([data.decode() for data in read_files(store).values()])
    assert imported(store, "AGENTS.md", text).document["counts"] == {"unchanged": 1}


def test_a_project_without_memories_can_be_looked_at_first(tmp_path: Path, project: Path) -> None:
    (tmp_path / "fresh" / ".git").mkdir(parents=True)
    dry = command_process.run(tmp_path, tmp_path / "fresh", "import", str(project), "--dry-run", "--json")
    assert dry.document["counts"]["created"] == 13
    assert [path.name for path in (tmp_path / "fresh").iterdir()] == [".git"]


# Pieces


KINDS = ("adr", "runbook", "instructions", "cursor", "auto-memory", "basic-memory", "memsearch")
PIECES = [
    "# ",
    "## Decision",
    "\n",
    "- ",
    "1. ",
    "---",
    "```",
    "<!--",
    "-->",
    "**",
    "[",
    "](x)",
    "status: ",
    "Why: ",
    "a b",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.sampled_from(KINDS))
def test_whatever_stands_in_a_file_something_comes_of_it(text: str, kind: str) -> None:
    document = parse(text)
    assert "\r" not in document.text
    reading = read_as(kind, document, "2026-01-01.md", text)
    for draft in reading.drafts:
        check(fix_new(draft.record(), draft.category, "2026-01-01T00:00:00Z")[0])


@pytest.mark.parametrize(
    "piece",
    [
        "**a ",
        "<!--",
        "[a",
        "\n",
        "# \t",
        "- a\nb\n",
        "status",
        "- \n",
        "(",
        "`",
        "```\n",
        "---\na: b\n",
        "## Decision\n",
        "| ",
    ],
)
@pytest.mark.parametrize("front", ["# Decision\n\nchosen option: ", "- x\n"])
def test_large_files_take_no_time(piece: str, front: str) -> None:
    text = front + piece * (60_000 // len(piece))
    started = time.process_time()
    for kind in KINDS:
        read_as(kind, parse(text), "2026-01-01.md", text)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        ("Accepted", "accepted"),
        ("Proposed", "proposed"),
        ("Accepted\n\nSupercedes [2. Old](0002-old.md)", "accepted"),
        ("Accepted\n\nAmended by [9. More](0009-more.md)", "accepted"),
        ("Deprecated", "deprecated"),
    ],
)
def test_the_status_of_a_record_is_understood(status: str, wanted: str) -> None:
    draft = read_adr(parse(NYGARD.replace("Accepted", status)), "x.md")
    assert isinstance(draft, Draft)
    assert draft.content["status"] == wanted


def test_markdown_is_read_with_code_comments_and_underlined_headings() -> None:
    document = parse("Title\n=====\n\n```\n# no heading\n```\n<!-- ## neither -->\n\nPart\n----\ntext\n")
    assert [(section.level, section.heading) for section in document.sections] == [(1, "Title"), (2, "Part")]
    assert items("1. one\n   more\n   - below\n2. two") == ["one more; below", "two"]
    assert parse("---\na: 'x'\nb:\n  - 1\n  - 2\nc:\n  d: e\n---\n").front == {
        "a": "x",
        "b": ["1", "2"],
        "c": "",
        "c.d": "e",
    }


def test_the_store_itself_is_no_source(store: Store) -> None:
    inside = Path(store.memory_dir) / "CLAUDE.md"
    inside.write_text(CLAUDE_MD, encoding="utf-8")
    assert Source(store.root, None, "project").files == []
