"""The commands that write and read single memories, as real processes: for people, pipes and programs."""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest

import command_process
from command_process import Ran, error_of, run_in
from cuecard import Store
from cuecard.store.records.record import CATEGORIES
from cuecard.store.writes.journal import read_journal
from records import (
    assert_index_is_a_rebuild,
    draft,
    make_store,
    memory_dir_of,
    path_in,
    put,
    read,
    read_files,
    stored,
)
from scratch_home import is_foreign
from small_project import CONTENTS, LONG_AGO

SECRET = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name in filter(is_foreign, list(os.environ)):
        monkeypatch.delenv(name)
    return make_store(tmp_path / "project")


# Statements


@pytest.mark.parametrize("words", [("add", "Always use tabs"), ("init", "--yes"), ("import", "AGENTS.md")])
def test_no_memories_are_begun_in_the_home_folder(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "AGENTS.md").write_text("# Rules\n\n- Never use tabs in Python files.\n")
    ran = command_process.run(tmp_path, tmp_path, *words)
    assert ran.code == 1
    assert "the home folder is not a project" in ran.stderr + ran.stdout
    assert not (tmp_path / ".claude" / "memory").exists()
    # Memories that are there already are not lost.
    if words[0] == "add":
        make_store(tmp_path).add(draft("Deploy on Tuesdays"))
        assert command_process.run(tmp_path, tmp_path, *words).code == 0


def test_add_says_where_it_begins_memories_in_no_repository(tmp_path: Path) -> None:
    home, notes, project = tmp_path / "home", tmp_path / "notes", tmp_path / "project"
    for folder in (home, notes, project / ".git"):
        folder.mkdir(parents=True)
    said = f"note: this began the memories of `{notes}`, which is in no repository of git"
    assert said in command_process.run(home, notes, "add", "Always use tabs").stderr
    assert said not in command_process.run(home, notes, "add", "Never deploy on Fridays").stderr
    assert "this began" not in command_process.run(home, project, "add", "Always use tabs").stderr


def test_a_statement_becomes_a_preference_of_the_user(store: Store) -> None:
    ran = run_in(store, "add", "Always use pnpm. npm breaks the lockfile.")
    assert ran == Ran(0, "created  .claude/memory/preferences/always-use-pnpm.json\n", "")
    record = read(store, "always-use-pnpm", "preference")
    assert record["content"] == {
        "topic": "Always use pnpm",
        "value": "Always use pnpm. npm breaks the lockfile.",
        "strength": "strong",
    }
    assert record["cuecard"] == {"origin": "user"}


@pytest.mark.parametrize(
    ("statement", "severity"),
    [
        ("Never run azd down in production", "high"),
        ("Do not call the gateway twice", "high"),
        ("No business logic in route handlers", "medium"),
        ("Amounts must be integer cents", "medium"),
    ],
)
def test_a_statement_that_forbids_or_demands_becomes_a_constraint(store: Store, statement: str, severity: str) -> None:
    run_in(store, "add", statement)
    [memory] = store.memories()
    assert (memory.category, memory.record["content"]["severity"]) == ("constraint", severity)


@pytest.mark.parametrize(
    "statement",
    ["Prefer short names", "No tests are needed for the docs", "Use the tool if you need to read the database"],
)
def test_a_statement_that_only_advises_stays_a_preference(store: Store, statement: str) -> None:
    run_in(store, "add", statement)
    assert [memory.category for memory in store.memories()] == ["preference"]


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_statement_may_have_any_category(store: Store, category: str) -> None:
    ran = run_in(store, "add", "Reload nginx", "-c", category, "--because", "it keeps the old certificate", "--json")
    assert (ran.code, ran.stderr) == (0, "")
    assert read(store, "reload-nginx", category)["category"] == category


def test_a_statement_takes_reason_tags_and_questions(store: Store) -> None:
    words = ["--because", "it is fast", "-t", "js", "-t", "build", "-q", "which package manager?", "-q", "npm or yarn?"]
    assert run_in(store, "add", "Use pnpm", *words).code == 0
    record = read(store, "use-pnpm", "preference")
    assert (record["content"]["reason"], record["content"]["strength"]) == ("it is fast", "default")
    assert record["tags"] == ["build", "js"]
    assert record["cuecard"]["questions"] == ["which package manager?", "npm or yarn?"]


def test_a_long_statement_gets_the_beginning_of_its_first_sentence_as_title(store: Store) -> None:
    text = "Deploy " + "word " * 60 + "end. More."
    assert run_in(store, "add", text, "-c", "runbook").code == 0
    (memory,) = store.memories()
    assert memory.title.startswith("Deploy word word")
    assert memory.title.endswith("word…")
    assert len(memory.title) <= 120
    assert memory.record["content"]["steps"] == [text]


@pytest.mark.parametrize(
    "arguments",
    [("",), ("a", "--file", "-"), ("--because", "b"), ("-t", "b"), ("a", "-c", "wish")],
    ids=["empty", "and-a-file", "reason-alone", "tag-alone", "category"],
)
def test_a_statement_that_cannot_be_understood_is_an_error_of_usage(store: Store, arguments: tuple[str, ...]) -> None:
    ran = run_in(store, "add", *arguments)
    assert ran.code == 2
    assert "hint: " in ran.stderr
    assert read_files(store) == {}


@pytest.mark.skipif(os.name == "nt", reason="the editor is a shell script")
def test_a_memory_can_be_completed_in_an_editor_and_is_kept_where_it_is_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    editor = tmp_path / "an editor"
    editor.write_text('#!/bin/sh\nsed -i.bak "s/$FROM/$TO/" "$1"\n')
    editor.chmod(0o755)
    run = partial(run_in, store, "add", "Use pnpm", "--edit", EDITOR=f"'{editor}'")
    assert run(FROM="Use pnpm", TO="Use yarn").code == 0
    assert read(store, "use-yarn", "preference")["title"] == "Use yarn"
    refused = run(FROM='"default"', TO="mild")
    assert refused.code == 1
    (kept,) = tmp_path.glob("cuecard-*.json")
    assert str(kept) in refused.stderr
    assert "mild" in kept.read_text()
    failed = run_in(store, "add", "--edit", EDITOR="false")
    assert (failed.code, "status 1" in failed.stderr) == (2, True)


def test_on_a_terminal_the_rest_of_a_statement_is_asked_for(store: Store) -> None:
    root = Path(store.root)
    answers = "wish\nconstraint\nthe device has 8 MB\nram, firmware\nhow much memory is there?\n"
    ran = command_process.run_on_terminal(root.parent, root, "add", "Stay below 4 MB", typed=answers)
    assert ran.code == 0
    record = read(store, "stay-below-4-mb", "constraint")
    assert record["category"] == "constraint"
    assert record["content"]["impact"] == ["the device has 8 MB"]
    assert record["tags"] == ["firmware", "ram"]
    assert record["cuecard"]["questions"] == ["how much memory is there?"]


# For pipes


def test_a_memory_comes_in_by_standard_input(store: Store) -> None:
    ran = run_in(store, "add", send=draft())
    assert ran == Ran(0, "created  .claude/memory/decisions/use-an-mmap-index.json\n", "")
    assert read(store, "use-an-mmap-index")["title"] == "Use an mmap index"
    assert_index_is_a_rebuild(store)


def test_a_memory_comes_in_by_file(store: Store, tmp_path: Path) -> None:
    sent = tmp_path / "sent.json"
    sent.write_bytes(b"\xef\xbb\xbf" + json.dumps(draft("색인"), ensure_ascii=False).encode())
    ran = run_in(store, "add", "--file", sent, "--category", "decision")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.startswith("created  .claude/memory/decisions/decision-")
    assert sent.exists()


def test_each_step_of_a_life_says_what_it_did(store: Store) -> None:
    run_in(store, "add", send=draft("m"))
    said = []
    for arguments in (
        ["update", "m", "--summary", "sure now"],
        ["update", "m"],
        ["retire", "m", "--archive", "--reason", "later"],
        ["retire", "m", "--archive"],
        ["restore", "decision/m"],
        ["retire", ".claude/memory/decisions/m.json", "--reason", "wrong"],
        ["restore", "m.json"],
    ):
        ran = run_in(store, *arguments, send={"confidence": 1} if arguments[0] == "update" else None)
        assert (ran.code, ran.stderr) == (0, ""), arguments
        said.append(ran.stdout)
    words = ["updated", "unchanged", "archived", "already archived", "restored", "retired", "restored"]
    assert said == [f"{word}  .claude/memory/decisions/m.json\n" for word in words]
    assert [entry["summary"] for entry in read(store, "m")["changes"]] == [
        "sure now",
        "confidence changed",
        "archived: later",
        "restored",
        "retired: wrong",
        "restored",
    ]
    assert_index_is_a_rebuild(store)


@pytest.mark.parametrize("sent", ["", "{}"])
def test_a_summary_needs_no_other_change(store: Store, sent: str) -> None:
    put(store, stored("m"))
    ran = run_in(store, "update", "m", "--summary", "checked again", send=sent)
    assert ran == Ran(0, "updated  .claude/memory/decisions/m.json\n", "")
    assert [entry["summary"] for entry in read(store, "m")["changes"]] == ["checked again"]


def test_a_memory_is_shown_with_all_that_is_known_of_it(store: Store) -> None:
    content = CONTENTS["decision"] | {"alternatives": [{"option": "none", "rejected_reason": "slow"}]}
    put(store, stored("m", content=content | {"rationale": ["one", "two"]}, record_status="retired"))
    found = store.show("m")
    assert run_in(store, "show", "m").stdout.splitlines() == [
        "title: m",
        "path: .claude/memory/decisions/m.json",
        "category: decision",
        "status: retired",
        "tags: index",
        f"created: {LONG_AGO}",
        f"updated: {LONG_AGO}",
        f"hash: {found.hash}",
        "status: accepted",
        "context: a context",
        "decision: so",
        "rationale:",
        "  - one",
        "  - two",
        "alternatives: option: none, rejected_reason: slow",
    ]


def test_memories_are_listed_one_a_line(store: Store) -> None:
    put(store, stored("a"))
    put(store, stored("b", "tech_debt", record_status="archived"))
    assert run_in(store, "list") == Ran(0, "decision/a  a\n", "")
    assert run_in(store, "list", "--status", "all").stdout == "decision/a  a\ntech_debt/b  b  (archived)\n"
    assert run_in(store, "list", "-c", "runbook") == Ran(
        0, "", "note: no memory matches\nhint: `--status all` shows the others too\n"
    )


def test_what_was_done_on_the_way_goes_to_standard_error(store: Store) -> None:
    ran = run_in(store, "add", send=draft(" Spaced ", tags=["B"], confidence=2))
    assert ran.stdout == "created  .claude/memory/decisions/spaced.json\n"
    assert [line.split()[:2] for line in ran.stderr.splitlines()] == [
        ["note:", "`title`"],
        ["note:", "`tags`"],
        ["note:", "`confidence`"],
    ]
    ran = run_in(store, "update", "spaced", send={"title": "Quite another one", "content": {"rationale": [SECRET]}})
    assert "note: renamed from `.claude/memory/decisions/spaced.json` to match the new title\n" in ran.stderr
    assert "in `content.rationale[0]` was replaced" in ran.stderr
    assert SECRET not in ran.stdout + ran.stderr


def test_summaries_that_had_to_go_are_named(store: Store) -> None:
    for number in range(5):
        put(store, stored(f"s{number}", "session_summary"))
    ran = run_in(store, "add", send=draft("Today", "session_summary"))
    assert ran.stderr == "note: older session summaries retired: `s0`\n"


# For programs


def test_the_result_of_a_write_is_one_document(store: Store) -> None:
    ran = run_in(store, "add", "--json", send=draft(confidence=2))
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.document == {
        "status": "created",
        "target": ".claude/memory/decisions/use-an-mmap-index.json",
        "category": "decision",
        "id": "use-an-mmap-index",
        "title": "Use an mmap index",
        "hash": store.show("use-an-mmap-index").hash,
        "times_updated": 0,
        "renamed_from": None,
        "fixes": [{"field": "confidence", "what": "limited to 0 to 1"}],
        "redactions": [],
        "warnings": [],
        "retired": [],
        "superseded": [],
        "operation": read_journal(store.memory_dir)[0].id,
        "similar": [],
    }


def test_show_and_list_are_documents_with_hashes(store: Store) -> None:
    put(store, stored("m"))
    found = {
        "category": "decision",
        "id": "m",
        "path": ".claude/memory/decisions/m.json",
        "hash": store.show("m").hash,
        "record": stored("m"),
    }
    assert run_in(store, "show", "m", "--json").document == found
    assert run_in(store, "list", "--json").document == {"root": store.root, "memories": [found]}


def test_read_change_and_write_with_the_hash(store: Store) -> None:
    put(store, stored("m"))
    shown = run_in(store, "show", "m", "--json").document
    shown["record"]["content"]["context"] = "another"
    ran = run_in(store, "update", "m", "--expect-hash", shown["hash"], "--json", send=shown["record"])
    assert ran.document["status"] == "updated"
    before = read_files(store)
    again = run_in(store, "update", "m", "--expect-hash", shown["hash"], "--json", send={"confidence": 0})
    assert again.code == 1
    found = error_of(again)
    assert (found["code"], found["field"]) == ("OCC_CONFLICT", "hash")
    assert (found["expected"], found["found"]) == (f"`{shown['hash']}`", f"`{ran.document['hash']}`")
    assert read_files(store) == before


# For people


def test_on_a_terminal_a_list_fits_and_a_memory_is_a_page(store: Store) -> None:
    put(store, stored("m", title="A long title " * 9))
    put(store, stored("old", "runbook", record_status="retired"))
    root = Path(store.root)
    for columns in (50, 80, 200):
        for arguments in (["list", "--status", "all"], ["show", "m"]):
            ran = command_process.run_on_terminal(root.parent, root, *arguments, columns=columns)
            assert ran.code == 0
            assert all(len(line) <= columns for line in ran.stdout.splitlines())
            assert "A long title" in ran.stdout


def test_on_a_terminal_nobody_waits_for_input_that_was_not_piped(store: Store) -> None:
    root = Path(store.root)
    ran = command_process.run_on_terminal(root.parent, root, "add", columns=200)
    assert ran.code == 2
    assert ran.stdout.startswith("error: there is no JSON to read\nhint: name a file with `--file`")


def test_nothing_stored_can_steer_a_terminal(store: Store) -> None:
    evil = "\x1b[31mred\x07 \u202egnp [bold]x[/] :smile:"
    content = CONTENTS["decision"] | {"context": evil, "rationale": [evil, evil]}
    put(store, stored("m", title=evil, tags=[evil], content=content))
    for arguments in (["show", "m"], ["list"], ["show", "m", "--json"], ["retire", "m"]):
        ran = run_in(store, *arguments)
        assert ran.code == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(ran.stdout + ran.stderr)
    assert "[bold]x[/] :smile:" in run_in(store, "show", "m").stdout


# The store's folder


def test_the_first_memory_of_a_project_makes_its_store_at_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    ran = command_process.run(tmp_path, inner, "add", stdin=json.dumps(draft()))
    assert ran.code == 0
    assert (tmp_path / "repository" / ".claude" / "memory" / "decisions" / "use-an-mmap-index.json").exists()
    assert command_process.run(tmp_path, inner, "list").stdout == "decision/use-an-mmap-index  Use an mmap index\n"


@pytest.mark.parametrize("command", ["list", "show", "update", "retire", "restore"])
def test_without_a_store_there_is_an_error_and_none_is_made(tmp_path: Path, command: str) -> None:
    arguments = [command] if command == "list" else [command, "m"]
    ran = command_process.run(tmp_path, tmp_path, *arguments, "--json", stdin="{}")
    assert (ran.code, error_of(ran)["code"]) == (1, "STORE_ERROR")
    assert not (tmp_path / ".claude").exists()


def test_a_store_is_named_by_option_or_variable(store: Store, tmp_path: Path) -> None:
    put(store, stored("m"))
    for arguments, variables in (
        (["--root", store.root], {}),
        (["--root", store.memory_dir], {}),
        ([], {"CUECARD_ROOT": store.root}),
    ):
        ran = command_process.run(tmp_path, tmp_path, "list", *arguments, **variables)
        assert ran.stdout == "decision/m  m\n"
    wrong = command_process.run(tmp_path, tmp_path, "add", "--root", "nowhere", stdin=json.dumps(draft()))
    assert (wrong.code, wrong.stdout) == (1, "")
    assert "`nowhere` is not a project" in wrong.stderr


def test_a_search_sees_what_a_command_wrote_and_what_was_put_in_by_hand(store: Store) -> None:
    run_in(store, "add", send=draft("A lantern"))
    put(store, stored("by-hand", title="Another lantern"))
    found = run_in(store, "search", "lantern", "--json").document
    assert sorted(hit["title"] for hit in found["hits"]) == ["A lantern", "Another lantern"]
    run_in(store, "retire", "a-lantern")
    found = run_in(store, "search", "lantern", "--json").document
    assert [hit["title"] for hit in found["hits"]] == ["Another lantern"]


# Together


def test_writers_side_by_side_lose_nothing(store: Store) -> None:
    root = Path(store.root)
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "cuecard.cli", "add"],
            cwd=root,
            env=command_process.environment(root.parent),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _number in range(4)
    ]
    for number, process in enumerate(processes):
        process.communicate(json.dumps(draft(f"memory {number}")).encode(), timeout=60)
        assert process.returncode == 0
    assert len(store.memories()) == 4
    assert_index_is_a_rebuild(store)
    assert not list(memory_dir_of(store).rglob("*.tmp"))
    assert path_in(store, "memory-0").exists()
