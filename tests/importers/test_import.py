"""Imports from every kind of source: each source is recognised, and its parts become the right memories."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import cuecard
from command_process import error_of, run_in
from cuecard import Store
from import_sources import by_source, content, imported, write_project
from records import assert_index_is_a_rebuild, read


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with one Markdown file of each kind, and some files that an import must ignore."""
    return write_project(tmp_path)


def test_a_project_is_read_file_by_file(store: Store, project: Path) -> None:
    ran = run_in(store, "import", project, "--json")
    assert ran.code == 0
    found = by_source(ran)
    status = {name: (outcome["status"], outcome["category"]) for name, outcome in found.items()}
    assert status == {
        ".cursor/rules/react.mdc#(beginning)": ("created", "preference"),
        "CLAUDE.md#Billing": ("skipped", None),
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
        "notes/token-lifetimes.md": ("skipped", None),
        "notes/token-lifetimes.md#decision > access tokens live for fifteen minutes": ("created", "decision"),
        "notes/token-lifetimes.md#reason > stolen tokens are soon worthless": ("created", "constraint"),
        "notes/token-lifetimes.md#status > deployed to staging": ("created", "constraint"),
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
        "consequences": ["Redis must be up before a worker.", "Sessions survive a deployment."],
    }
    source = nygard["cuecard"]["source"]
    assert nygard["cuecard"]["origin"] == "import"
    assert (source["kind"], source["path"], source["date"]) == ("adr", "0007-sessions-in-redis.md", "2024-03-05")
    madr = read(store, "use-parquet-for-reports")
    assert madr["tags"] == ["adr", "storage"]
    assert madr["content"]["rationale"] == ["columns can be read alone.", "columns are read alone", "size on disk"]
    assert madr["content"]["decision"] == 'Chosen option: "Parquet", because columns can be read alone.'
    assert madr["content"]["consequences"] == ["Good, because queries got faster"]
    assert madr["content"]["alternatives"] == [
        {"option": "CSV", "rejected_reason": "Bad, because it has no types"},
        {"option": "JSON lines"},
    ]


def test_what_was_imported_is_found_by_recall(store: Store, project: Path) -> None:
    run_in(store, "import", project)
    hits = cuecard.open(store.root).recall("where do we keep the sessions of users?")
    assert "Keep sessions in Redis" in [hit.title for hit in hits]


def test_a_runbook_has_its_steps(store: Store, project: Path) -> None:
    run_in(store, "import", project / "docs")
    found = content(store, "queue-is-stuck", "runbook")
    assert found["trigger"] == "Jobs wait for more than ten minutes."
    assert found["steps"][0] == "1. Look at the workers."
    assert found["steps"][1].startswith("2. Restart the scheduler:")
    assert found["symptoms"] == ["the alert `queue_age` fires"]
    assert found["verification"] == "`queue_age` is below a minute."


def test_rules_commands_and_facts_of_instructions_are_memories(store: Store, project: Path) -> None:
    run_in(store, "import", project / "CLAUDE.md")
    found = {memory.title: memory for memory in store.memories()}
    assert {title: memory.category for title, memory in found.items()} == {
        "Build commands: make all, make test": "runbook",
        "Billing: Never log card numbers; Always round to cents": "constraint",
        "Billing: Short functions, and names of two words at most": "preference",
        "Known issues: The importer reads a file twice; nobody had time to mend it": "tech_debt",
    }
    runbook = found["Build commands: make all, make test"].record
    assert runbook["cuecard"]["sections"][0]["text"] == "```bash\n# everything\n$ make all\nmake test\n```"
    rule = found["Billing: Never log card numbers; Always round to cents"].record
    assert (rule["content"]["severity"], rule["content"].get("impact")) == ("medium", None)
    assert rule["cuecard"]["source"]["heading"] == "Billing > Rules"


@pytest.mark.parametrize(
    ("heading", "text", "category"),
    [
        ("Commands", "- Test: `make test`\n- Lint: `make lint`", "runbook"),
        ("Testing conventions", "Tests are small, and each of them has a name.", "preference"),
        ("Naming", "- kebab-case for files and folders", "preference"),
        ("Gotchas", "- The importer fails if the exporter has the lock.", "constraint"),
        ("Never commit", "- `data/*.db`, which is made at run time", "constraint"),
        ("Limitations", "Uploads are slow over the old network.", "constraint"),
        ("Errors", "- Never swallow an error in silence.", "constraint"),
        ("Architecture", "A web server and a worker share one database, and must stay apart.", "constraint"),
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
        path.write_text(f"# About {path.stem}\n\nPrefer short lines and few words in {path.stem}.\n", encoding="utf-8")
    found = by_source(run_in(store, "import", tmp_path / "source", "--json"))
    assert {name.partition("#")[0]: outcome["status"] for name, outcome in found.items()} == {
        ".claude/rules/style.md": "created",
        ".github/instructions/tests.instructions.md": "created",
    }


def test_rules_of_cursor_keep_their_globs(store: Store, project: Path) -> None:
    run_in(store, "import", project / ".cursor" / "rules")
    found = read(store, "style-of-react-components-components-are-functions-with-a-file-of-their-own", "preference")
    assert found["cuecard"]["anchors"] == ["src/**/*.tsx", "src/**/*.ts"]
    assert (found["content"]["topic"], found["content"]["strength"]) == ("Style of React components", "strong")
    assert "Components are functions" in found["content"]["value"]


def test_notes_of_other_memories_are_read(store: Store, project: Path) -> None:
    run_in(store, "import", project)
    feedback = content(store, "tests-use-a-real-database", "preference")
    assert feedback["value"] == "Integration tests talk to a real database."
    assert feedback["reason"] == "a mock hid a broken migration."
    assert feedback["examples"] == {"prefer": ["whenever a test needs data."]}
    basic = read(store, "access-tokens-live-for-fifteen-minutes")
    assert basic["content"]["decision"] == "Access tokens live for fifteen minutes"
    assert "rationale" not in basic["content"]
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
    # The number of session summaries in a store is limited, so only the newest summaries become memories.
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
