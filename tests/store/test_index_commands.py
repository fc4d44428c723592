"""`cuecard index`, `health` and `gc`; their reports are compared with recorded reports of the claude-memory plugin."""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from cuecard._backend import snapshot_files
from cuecard.basics.light_dataclass import replace
from cuecard.cli.run import run
from cuecard.errors import LockError, WriteError
from cuecard.files import freshness
from cuecard.files.lock import locked
from cuecard.files.open_folder import open_folder
from cuecard.files.quarantine import set_aside
from cuecard.store.derived.health import BEGIN, inspect
from cuecard.store.derived.index_query import query
from cuecard.store.derived.reindex import reindex
from cuecard.store.settings.writer_settings import read_writer_settings
from cuecard.store.writes.collect import Collection, collect
from index_oracle import (
    gc_facts,
    health_facts,
    our_gc_facts,
    our_health_facts,
    paths_marked,
    translate,
)
from oracle_cases import lay_out, read_cases, read_projects
from records import make_store, stored
from records import put as put_record
from scratch_home import is_foreign, seal_derived, write_user_settings
from small_project import MEMORIES, SampleMemory, write_project

PROJECTS = read_projects()

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def untouched_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in filter(is_foreign, list(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


# Recorded cases

# The cases in which v5-0219 differs from v5-0220, and how v5-0219 behaves; we follow v5-0220.
OLDER_WAYS = {
    "idxp28-rebuild": "titles went into the index as they were, tabs and all",
    "idxi01-gc-grace02": "a grace period of 3.9 days was not made a whole number",
}
# The cases in which we differ from v5-0220, and how v5-0220 behaves.
EXCEPTIONS = {
    "idxp16-validate": "its validation did not read lines as its retriever did",
    "idxp16-health": "its validation did not read lines as its retriever did",
    "idxp40-query": "it showed the lines of memories that are not active",
    "idxp42-query": "it did not search without an index.md; we make the index in memory",
}
NEWER_CASES = {case["id"]: case for case in read_cases("index.v5-0220")}


def test_the_older_version_differs_where_we_know_of_it() -> None:
    older = [case for case in read_cases("index.v5-0219") if NEWER_CASES[case["id"]] != case]
    assert {case["id"] for case in older} == set(OLDER_WAYS)


def amend(case: dict[str, Any], theirs: dict[str, Any], project: Path) -> None:
    """In a case that we handle differently, replace the recorded values with our values."""
    if case["id"].startswith("idxp16-"):
        folder = ".claude/memory/decisions"
        stale = {*theirs["stale"], f"{folder}/c.json"} - {f"{folder}/b.json", f"b -> {folder}/c.json"}
        theirs["stale"] = sorted(stale)
    elif case["id"] == "idxp40-query":
        paths = {line: line.rpartition(" -> ")[2].split(" #tags:")[0] for line in theirs["lines"]}
        records = {line: json.loads((project / path).read_text(encoding="utf-8")) for line, path in paths.items()}
        theirs["lines"] = [
            line for line, record in records.items() if record.get("record_status", "active") == "active"
        ]
        assert len(theirs["lines"]) == len(paths) - 5
    elif case["id"] == "idxp42-query":
        index = NEWER_CASES["idxp42-rebuild"]["expect"]["index_after"]
        theirs["lines"] = [line for line in index.splitlines() if line.startswith("- ") and "api" in line.lower()]


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in NEWER_CASES.items()])
def test_the_facts_are_the_recorded_ones(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    lay_out(project, PROJECTS[case["project"]], case["config"])
    before = {str(path.relative_to(project)) for path in project.rglob("*.json")}
    monkeypatch.chdir(project)
    arguments = [argument.replace("$CWD", str(project)) for argument in translate(case["args"])]
    expected = case["expect"]
    mode = next((word for word in arguments if word in ("rebuild", "validate", "query", "health", "gc")), "")
    code = run([*arguments, *(["--json"] if mode in ("validate", "health", "gc") and expected["exit"] != 2 else [])])
    printed = capsys.readouterr().out
    ours: dict[str, Any] = {"exit": code}
    theirs: dict[str, Any] = {"exit": expected["exit"]}
    if "argparse" in expected or not printed:
        pass
    elif mode == "validate":
        index = json.loads(printed)["index"]
        ours |= {"unlisted": sorted(index["unlisted"]), "stale": sorted({stale["path"] for stale in index["stale"]})}
        theirs |= {"unlisted": paths_marked(expected["stdout"], "+"), "stale": paths_marked(expected["stdout"], "-")}
    elif mode == "health":
        ours |= our_health_facts(json.loads(printed))
        theirs |= health_facts(expected["stdout"])
    elif mode == "gc":
        ours |= our_gc_facts(json.loads(printed))
        theirs |= gc_facts(expected["stdout"])
    elif mode == "query":
        ours["lines"] = printed.splitlines()
        theirs["lines"] = [line[2:] for line in expected["stdout"].splitlines() if line.startswith("  - ")]
    if case["id"] in EXCEPTIONS:
        amend(case, theirs, project)
    if "index_after" in expected:
        index_file = project / ".claude" / "memory" / "index.md"
        ours["index_after"] = index_file.read_text(encoding="utf-8") if index_file.exists() else None
        # The head names the program that wrote the file.
        theirs["index_after"] = expected["index_after"] and expected["index_after"].replace(
            "memory_index.py", "cuecard"
        )
    if "deleted" in expected:
        ours["gone"] = sorted(before - {str(path.relative_to(project)) for path in project.rglob("*.json")})
        theirs["gone"] = expected["deleted"]
    assert ours == theirs


# What people and programs see


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a few memories; one is retired, but still in the index."""
    project = write_project(tmp_path / "project")
    monkeypatch.chdir(project)
    return project


def store_of(project: Path) -> Path:
    return project / ".claude" / "memory"


def put(project: Path, path: str, record: object) -> Path:
    """Write a file into the store."""
    file = store_of(project) / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(record if isinstance(record, str) else json.dumps(record), encoding="utf-8")
    return file


def retired(retired_at: object, **fields: object) -> dict[str, object]:
    return {"title": "Old", "record_status": "retired", "retired_at": retired_at, **fields}


OLD_HOOK = ".claude/memory/tech-debt/old-hook.json"


def test_validate_says_what_differs_and_rebuild_mends_it(project: Path, capsys: Capture) -> None:
    put(project, "decisions/new.json", {"title": "New"})
    put(project, "decisions/torn.json", "{")
    assert run(["index", "validate"]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"+ .claude/memory/decisions/new.json\n- {OLD_HOOK} (line 8 is retired)\n"
    assert printed.err.startswith("error: index.md does not match the memories\nhint: ")
    assert run(["index", "rebuild"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "index.md has 6 lines, the snapshot 7 memories\n"
    assert printed.err == "warning: `.claude/memory/decisions/torn.json` is not in the index: not JSON\n"
    assert run(["index", "validate"]) == 0
    assert capsys.readouterr().out == "index.md is valid: 6 lines\nsnapshot: in step, 7 memories\n"


def test_validate_reads_lines_as_recall_does(project: Path, capsys: Capture) -> None:
    run(["index", "rebuild"])
    memory = SampleMemory("decision", "arrow", "From a -> to b")
    put(project, "decisions/arrow.json", memory.record)
    with (store_of(project) / "index.md").open("a", encoding="utf-8") as file:
        file.write(f"{memory.line}\n- [DECISION] broken\n- [decision] x -> y.json\n")
    capsys.readouterr()
    assert run(["index", "validate"]) == 0
    assert capsys.readouterr().err.count("warning: ") == 2


def test_the_lines_of_bad_paths_have_their_reasons(project: Path, capsys: Capture) -> None:
    put(project, "notes/n.json", {"title": "Stray"})
    put(project, "decisions/torn.json", "{")
    lines = [
        "../../secret.json",
        "/etc/passwd",
        ".claude/memory/notes/n.json",
        ".claude/memory/decisions/torn.json",
        ".claude/memory/decisions/gone.json",
        ".claude/memory/decisions/../decisions/gone.json",
        "./.claude/memory/decisions/twins.json",
    ]
    with (store_of(project) / "index.md").open("a", encoding="utf-8") as file:
        file.writelines(f"- [DECISION] x -> {path}\n" for path in lines)
    assert run(["index", "validate", "--json"]) == 1
    stale = json.loads(capsys.readouterr().out)["index"]["stale"]
    assert [(entry["line"], entry["path"], entry["reason"]) for entry in stale[1:]] == [
        (9, lines[0], "is outside the store"),
        (10, lines[1], "is outside the store"),
        (11, lines[2], "is in no category's folder"),
        (12, lines[3], "is damaged"),
        (13, lines[4], "is missing"),
        (14, lines[5], "is missing"),
    ]


def test_rebuild_without_active_memories_leaves_no_line(tmp_path: Path, capsys: Capture) -> None:
    project = write_project(tmp_path / "p", MEMORIES[-1])
    assert run(["index", "rebuild", "--root", str(project)]) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (
        "",
        f"note: no memory is active: index.md has nothing to list\nhint: {BEGIN}\n",
    )
    assert (store_of(project) / "index.md").read_bytes() == b""
    assert run(["index", "validate", "--root", str(project)]) == 0


def test_the_root_may_be_the_store_itself(project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)
    for root in ("project", "project/.claude/memory", str(store_of(project))):
        assert run(["index", "query", "twins", "--root", root]) == 0
        assert capsys.readouterr().out == f"{MEMORIES[2].line}\n"
    assert run(["gc", "--root", "project/src"]) == 1
    assert capsys.readouterr().err.startswith("error: `project/src` is not a project")


def test_query_finds_parts_of_lines_in_any_case_but_nothing_retired(project: Path, capsys: Capture) -> None:
    assert run(["index", "query", "HOOK"]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{MEMORIES[0].line}\n{MEMORIES[1].line}\n"
    assert run(["index", "query", "old-hook"]) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "note: nothing found: no line of index.md contains `old-hook`\n")
    assert run(["index", "query", "", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lines"] == []
    assert run(["index", "query", "--json", "--", "-> "]) == 0
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert [line["line"] for line in lines] == [3, 4, 5, 6, 7]
    assert lines[0] == {
        "category": "CONSTRAINT",
        "title": "The hook never opens the network",
        "path": MEMORIES[0].path,
        "tags": ["hook", "latency"],
        "line": 3,
    }


def test_query_makes_a_missing_or_stale_index_in_memory(project: Path) -> None:
    index = store_of(project) / "index.md"
    put(project, "decisions/new.json", {"title": "Brand new"})
    os.utime(index, ns=(1, 1))
    before = index.read_bytes()
    found, _notes = query(str(project), str(store_of(project)), "brand new")
    assert [line.path for line in found] == [".claude/memory/decisions/new.json"]
    assert index.read_bytes() == before
    index.unlink()
    assert query(str(project), str(store_of(project)), "brand new")[0] == found
    assert not index.exists()


def test_health_counts_and_says_what_needs_attention(project: Path, capsys: Capture) -> None:
    put(project, "decisions/busy.json", {"title": "Busy", "times_updated": 9})
    put(project, "runbooks/gone.json", retired(ago(days=1.5), title="Gone", times_updated=6))
    put(project, "runbooks/kept.json", {"title": "Kept", "record_status": "archived"})
    put(project, "runbooks/torn.json", "{")
    assert run(["health"]) == 0
    page = capsys.readouterr().out
    assert (
        page
        == """\
health: NEEDS ATTENTION
  index.md does not match the memories
  1 file damaged
  2 memories updated very often

memories: 6 active, 2 retired, 1 archived
    1  CONSTRAINT
    3  DECISION
    1  PREFERENCE
    1  RUNBOOK

updated very often
    9 times  [DECISION] Busy
    6 times  [RUNBOOK] Gone
  hint: split memories that have two subjects

retired in the last 7 days
  1 day ago  [RUNBOOK] Gone

index.md: 1 missing from it, 1 to be removed from it
  + .claude/memory/decisions/busy.json
  - .claude/memory/tech-debt/old-hook.json (line 8 is retired)
  hint: `cuecard index rebuild` brings index.md up to date

snapshot: not made yet; the next prompt or write makes it

damaged files
  .claude/memory/runbooks/torn.json: not JSON
  hint: fix them, or set them aside with `cuecard health --quarantine`

recalled, but not valid by the schema of their category
  .claude/memory/decisions/busy.json: `schema_version` should be `1.0` and is nothing (and 6 more)
  .claude/memory/runbooks/gone.json: `schema_version` should be `1.0` and is nothing (and 6 more)
  .claude/memory/runbooks/kept.json: `schema_version` should be `1.0` and is nothing (and 6 more)
  hint: fix them, best before the next update
"""
    )
    assert run(["health", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["health"], document["active"], document["retired"]) == ("NEEDS ATTENTION", 6, 2)
    assert document["recently_retired"] == [
        {"category": "RUNBOOK", "title": "Gone", "path": ".claude/memory/runbooks/gone.json", "age_days": 1}
    ]
    assert document["damaged"] == [{"path": ".claude/memory/runbooks/torn.json", "reason": "not JSON"}]


def test_health_names_what_is_no_memory_file_and_what_was_set_aside(project: Path, capsys: Capture) -> None:
    put(project, "decisions/notes.txt", "a note")
    put(project, "decisions/old.json.invalid.1700000000", "{")
    put(project, "decisions/.new.json.99.tmp", "{")
    assert run(["health", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["unknown"] == [".claude/memory/decisions/notes.txt"]
    assert document["aside"] == [".claude/memory/decisions/old.json.invalid.1700000000"]
    assert run(["health"]) == 0
    page = capsys.readouterr().out
    assert "not memory files\n  .claude/memory/decisions/notes.txt\n" in page
    assert "invalid files that were renamed earlier\n  .claude/memory/decisions/old.json.invalid.1700000000\n" in page


@pytest.mark.parametrize("name", [*PROJECTS, "own"])
def test_a_brief_inspection_finds_the_same_but_for_what_it_leaves_out(project: Path, name: str) -> None:
    if name == "own":
        reindex(str(project), str(store_of(project)))
        put(project, "decisions/new.json", {"title": "New", "times_updated": 9})
        put(project, "decisions/torn.json", "{")
        put(project, "decisions/other.json", {"title": "Other", "record_status": "lost"})
        put(project, "decisions/long.json", {"title": "Long", "tags": ["tag" * 4000]})
        put(project, "decisions/lower.json", {"title": "Lower", "category": "my-own"})
        put(project, "decisions/old.json", retired(moment(1)))
        put(project, "runbooks/shelved.json", {"title": "Shelved", "record_status": "archived", "times_updated": 9})
        (store_of(project) / "constraints" / "no-network.json").unlink()
    else:
        project = project / "laid"
        project.mkdir()
        lay_out(project, PROJECTS[name], None)
    whole, brief = (inspect(str(project), str(store_of(project)), is_brief=is_brief) for is_brief in (False, True))
    assert (brief.unfit, brief.heavily_updated, brief.recently_retired) == ([], [], [])
    if name == "own":
        assert whole.unfit
        assert whole.heavily_updated
        assert whole.recently_retired
        assert [whole.damaged, whole.unlisted, whole.stale, whole.snapshot.behind].count([]) == 0
    assert replace(whole, unfit=[], heavily_updated=[], recently_retired=[]) == brief


def test_good_health_is_short(tmp_path: Path, capsys: Capture) -> None:
    project = write_project(tmp_path / "p", *MEMORIES[:2])
    assert run(["health", "--root", str(project)]) == 0
    assert capsys.readouterr().out == (
        "health: GOOD\n\nmemories: 2 active\n    1  CONSTRAINT\n    1  DECISION\n\nindex.md: in step, 2 lines\n"
        "\nsnapshot: not made yet; the next prompt or write makes it\n"
    )


def test_a_store_without_memories_is_well_and_says_how_to_begin(tmp_path: Path, capsys: Capture) -> None:
    project = tmp_path / "empty"
    (project / ".claude" / "memory").mkdir(parents=True)
    root = ["--root", str(project)]
    for _ in range(2):
        assert run(["health", *root]) == 0
        said = capsys.readouterr().out
        assert said.startswith("health: GOOD\n")
        assert f"the project has no memory of its own that a prompt could find\n  hint: {BEGIN}\n" in said
        assert "index rebuild" not in said
        assert run(["index", "validate", *root]) == 1
        assert capsys.readouterr().err.endswith(f"hint: {BEGIN}\n")
        assert run(["index", "rebuild", *root]) == 0
        assert capsys.readouterr().err.endswith(f"hint: {BEGIN}\n")


def test_health_and_validate_without_an_index(project: Path, capsys: Capture) -> None:
    (store_of(project) / "index.md").unlink()
    assert run(["health"]) == 0
    assert "\nindex.md is missing\n  hint: " in capsys.readouterr().out
    assert run(["index", "validate"]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err.splitlines()[0]) == ("", "error: index.md is missing")
    (store_of(project) / "index.md").mkdir()
    assert run(["index", "validate"]) == 1
    assert run(["health"]) == 0
    assert run(["index", "query", "x"]) == 1
    capsys.readouterr()
    assert run(["index", "rebuild"]) == 1
    assert capsys.readouterr().err.startswith("error: index.md cannot be written: ")


EVIL = "Evil \x1b[31m\u202e\u200b [bold]title[/bold]"


def test_nothing_stored_can_steer_a_terminal(project: Path, capsys: Capture) -> None:
    put(project, "decisions/evil.json", {"title": EVIL, "times_updated": 7, "category": "\x1b[2Jx"})
    put(project, "decisions/e\x1b[2J.json", "{")
    put(project, "decisions/old.json", retired(ago(days=0.5), title=EVIL, category="decision"))
    for arguments in (["health"], ["index", "validate"], ["index", "query", "evil"], ["gc"], ["index", "rebuild"]):
        run(arguments)
    printed = capsys.readouterr()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", printed.out + printed.err)


@pytest.mark.parametrize(
    "content",
    ["", "null", "[]", "{", '{"title": 5}', '{"tags": [1]}', '{"record_status": 5}', '{"category": []}', "[" * 9999],
)
def test_damaged_records_stop_nothing(project: Path, capsys: Capture, content: str) -> None:
    file = put(project, "decisions/odd.json", content)
    for arguments in (["index", "rebuild"], ["index", "validate"], ["gc"], ["health"]):
        assert run(arguments) == 0
    assert "decisions/odd.json: " in capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == content
    for fields in ({"times_updated": "many"}, {"times_updated": None}, {"retired_at": 5, "record_status": "retired"}):
        put(project, "decisions/odd.json", {"title": "Odd", **fields})
        assert [run(["health"]), run(["gc"])] == [0, 0]


@pytest.mark.parametrize("columns", [50, 80])
def test_a_person_sees_a_page_that_fits_with_the_first_entries(
    project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr("cuecard.cli.terminal.is_person_watching", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    for number in range(15):
        put(project, f"decisions/many-{number:02}.json", {"title": f"[bold]Many[/bold] {number}", "times_updated": 20})
    assert run(["health"]) == 0
    page = capsys.readouterr().out
    assert all(len(line) <= columns for line in page.splitlines())
    assert "   20 times  [DECISION] [bold]Many[/bold] 9\n  and 5 more\n" in page
    assert "Many[/bold] 10" not in page
    assert page.count("\n  and 6 more") == 1


def test_folders_from_before_the_clock_was_put_back_do_not_keep_the_index_stale(project: Path) -> None:
    memory_dir = str(store_of(project))
    os.utime(store_of(project) / "decisions", ns=(10**19 // 2, 10**19 // 2))
    assert freshness.is_stale(memory_dir, freshness.folder_times(memory_dir))
    reindex(str(project), memory_dir)
    assert not freshness.is_stale(memory_dir, freshness.folder_times(memory_dir))


def test_the_snapshot_is_checked_with_the_index(project: Path, capsys: Capture) -> None:
    run(["index", "rebuild"])
    capsys.readouterr()
    path = store_of(project) / ".cuecard" / snapshot_files[0]

    def snapshot() -> dict[str, Any]:
        capsys.readouterr()
        run(["health", "--json"])
        found: dict[str, Any] = json.loads(capsys.readouterr().out)["snapshot"]
        return found

    assert snapshot() == {
        "state": "in step",
        "problem": None,
        "memories": len(MEMORIES),
        "bytes": path.stat().st_size,
        "delta_bytes": 0,
        "behind": [],
    }
    new = put(project, "decisions/new.json", {"title": "New"})
    (store_of(project) / "decisions" / "twins.json").unlink()
    assert (snapshot()["state"], snapshot()["behind"]) == (
        "stale",
        [".claude/memory/decisions/new.json", ".claude/memory/decisions/twins.json"],
    )
    new.unlink()
    (store_of(project) / "memory-config.json").write_text('{"retrieval": {"lexical": {"k1": 1}}}')
    assert snapshot()["state"] == "other settings"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    for damaged in (bytes(data), data[:100], b"", b"of another program"):
        path.write_bytes(damaged)
        assert snapshot()["state"] == "missing", "what somebody else has written is no snapshot of ours"
        seal_derived(store_of(project))
        assert snapshot()["state"] == "damaged"
    assert run(["health"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("health: NEEDS ATTENTION\n")
    assert "the snapshot is damaged\n" in page
    assert "\nsnapshot: it cannot be used: " in page
    assert run(["index", "validate"]) == 1
    assert "error: snapshot: it cannot be used: " in capsys.readouterr().err
    assert run(["index", "rebuild", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "root": str(project),
        "lines": 4,
        "memories": 5,
        "left_out": [],
        "notes": [],
    }
    assert snapshot()["state"] == "in step"
    path.unlink()
    assert snapshot()["state"] == "missing"
    assert run(["index", "validate"]) == 0


# Quarantine


def test_quarantine_sets_damaged_files_aside(project: Path, capsys: Capture) -> None:
    torn = put(project, "decisions/torn.json", "{")
    blank = put(project, "decisions/two words.json", {"title": "x"})
    with (store_of(project) / "index.md").open("a", encoding="utf-8") as file:
        file.write("- [DECISION] Torn -> .claude/memory/decisions/torn.json\n")
    assert run(["health"]) == 0
    assert torn.exists()
    capsys.readouterr()
    assert run(["health", "--quarantine", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    [(old, new)] = document["set_aside"].items()
    assert old == ".claude/memory/decisions/torn.json"
    assert re.fullmatch(r"\.claude/memory/decisions/torn\.json\.invalid\.\d+", new)
    assert (torn.exists(), (project / new).read_text(encoding="utf-8"), blank.exists()) == (False, "{", True)
    assert document["notes"] == ["`.claude/memory/decisions/two words.json` stays: rename it; its content is correct"]
    assert document["index"]["is_valid"]
    assert run(["health", "--quarantine"]) == 0


def test_what_is_set_aside_never_replaces_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuecard.files.quarantine.time.time", lambda: 1000.5)
    names = []
    for content in ("a", "b", "c"):
        (tmp_path / "x.json").write_text(content)
        names.append(set_aside(open_folder(str(tmp_path)), "x.json"))
    assert names == ["x.json.invalid.1000", "x.json.invalid.1001", "x.json.invalid.1002"]
    assert [(tmp_path / name).read_text() for name in names] == ["a", "b", "c"]
    with pytest.raises(FileNotFoundError):
        set_aside(open_folder(str(tmp_path)), "none.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_quarantine_follows_no_link_out_of_the_store(project: Path, tmp_path: Path, capsys: Capture) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "torn.json").write_text("{")
    (store_of(project) / "sessions").symlink_to(away)
    link = store_of(project) / "decisions" / "link.json"
    link.symlink_to(away / "torn.json")
    assert run(["health", "--quarantine"]) == 0
    assert [path.name for path in away.iterdir()] == ["torn.json"]
    assert not link.is_symlink()
    assert "`.claude/memory/sessions` stays: put a folder in the place of the link" in capsys.readouterr().err


# Garbage collection

DAY = 86_400_000_000
NOW = 1_800_000_000_000_000


def moment(days_ago: float, suffix: str = "Z") -> str:
    """The time `days_ago` days before `NOW`, as text with this suffix."""
    seconds = (NOW - days_ago * DAY) / 1_000_000
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + suffix


def ago(days: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * 86_400))


def gather(project: Path, grace_days: int = 30, is_dry_run: bool = False, now: int = NOW) -> Collection:
    return collect(str(project), str(store_of(project)), grace_days=grace_days, is_dry_run=is_dry_run, now=now)


def names_of(collection: Collection) -> list[str]:
    return [expired.path.rpartition("/")[2] for expired in collection.expired]


def test_grace_is_counted_in_whole_days_and_naive_times_are_utc(project: Path) -> None:
    put(project, "decisions/a.json", retired(moment(30.001)))
    put(project, "decisions/b.json", retired(moment(29.999)))
    put(project, "decisions/c.json", retired(moment(30.001, suffix="")))
    put(project, "decisions/d.json", retired(moment(29.999, suffix="")))
    # This is the same time as that of `a`, but in another time zone.
    put(project, "decisions/e.json", retired(moment(30.001 - 9 / 24, suffix="+09:00")))
    put(project, "decisions/f.json", retired(moment(-5)))
    put(project, "decisions/g.json", {"title": "Archived", "record_status": "archived", "archived_at": moment(900)})
    put(project, "decisions/h.json", {"title": "Active", "retired_at": moment(900)})
    assert names_of(gather(project)) == ["a.json", "c.json", "e.json"]
    assert names_of(gather(project, grace_days=0)) == ["b.json", "d.json"]
    # If the clock was set back, no memory counts as older.
    assert names_of(gather(project, grace_days=0, now=NOW - 900 * DAY)) == []
    assert sorted(path.name for path in (store_of(project) / "decisions").iterdir()) == [
        "f.json",
        "g.json",
        "h.json",
        "native-hook.json",
        "twins.json",
    ]


def test_a_dry_run_deletes_nothing(project: Path, capsys: Capture) -> None:
    put(project, "decisions/a.json", retired("2020-01-01T00:00:00Z"))
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    assert run(["gc", "--dry-run"]) == 0
    printed = capsys.readouterr()
    assert re.fullmatch(r"would delete \.claude/memory/decisions/a\.json \(retired [\d,]+ days ago\)\n", printed.out)
    assert "note: nothing was deleted" in printed.err
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    assert run(["gc", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [memory["path"] for memory in document["deleted"]] == [".claude/memory/decisions/a.json"]
    assert run(["gc"]) == 0
    assert "note: no memory has been retired for 30 days or more" in capsys.readouterr().err


def test_a_collection_retires_summaries_beyond_those_to_be_kept(tmp_path: Path, capsys: Capture) -> None:
    store = make_store(tmp_path / "project")
    for number in range(25):
        put_record(store, stored(f"s{number:02}", "session_summary", created_at=f"2024-01-{number + 1:02}T00:00:00Z"))
    (store_of(tmp_path / "project") / "memory-config.json").write_text(
        json.dumps({"categories": {"session_summary": {"max_retained": 2}}})
    )
    root = ["--root", store.root]
    assert run(["gc", "--dry-run", "--json", *root]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert [one["path"][-8:-5] for one in planned["would_retire"]] == [f"s{number:02}" for number in range(23)]
    assert len(store.memories("session_summary")) == 25
    assert run(["gc", *root]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("retired .claude/memory/sessions/") == 23
    assert [memory.id for memory in store.memories("session_summary")] == ["s23", "s24"]
    assert run(["gc", "--json", *root]) == 0
    assert json.loads(capsys.readouterr().out)["retired"] == []


def test_times_that_cannot_be_read_are_reported(project: Path, capsys: Capture) -> None:
    put(project, "decisions/a.json", retired("soon"))
    put(project, "decisions/b.json", retired(None))
    put(project, "decisions/c.json", retired(1_500_000_000))
    put(project, "decisions/torn.json", "{")
    assert run(["gc"]) == 0
    assert capsys.readouterr().err.splitlines()[:5] == [
        "warning: `.claude/memory/decisions/a.json` stays: a `retired_at` that is not a timestamp",
        "warning: `.claude/memory/decisions/b.json` stays: no `retired_at` timestamp",
        "warning: `.claude/memory/decisions/c.json` stays: no `retired_at` timestamp",
        "warning: `.claude/memory/tech-debt/old-hook.json` stays: no `retired_at` timestamp",
        "warning: `.claude/memory/decisions/torn.json` is damaged and left alone: not JSON",
    ]


def test_collection_brings_the_index_up_to_date(project: Path) -> None:
    put(project, "tech-debt/old-hook.json", retired(moment(99)))
    assert names_of(gather(project)) == ["old-hook.json"]
    health = inspect(str(project), str(store_of(project)))
    assert (health.is_in_step, health.lines) == (True, 5)


def test_what_is_restored_meanwhile_stays(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, "decisions/a.json", retired(moment(99)))
    put(project, "decisions/b.json", retired(moment(99)))
    put(project, "decisions/c.json", retired(moment(99)))
    real = locked

    def restore_first(memory_dir: str) -> AbstractContextManager[None]:
        put(project, "decisions/a.json", {"title": "Restored"})
        put(project, "decisions/b.json", "{")
        (store_of(project) / "decisions" / "c.json").unlink()
        return real(memory_dir)

    monkeypatch.setattr("cuecard.store.writes.collect.locked", restore_first)
    collection = gather(project)
    assert (collection.expired, [reason for _path, reason in collection.skipped[1:]]) == (
        [],
        ["it has just been changed", "it has just been changed", "it is missing"],
    )
    assert (store_of(project) / "decisions" / "a.json").exists()


def test_collection_follows_no_link(project: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "old.json").write_text(json.dumps(retired(moment(99))))
    (store_of(project) / "sessions").symlink_to(away)
    (store_of(project) / "decisions" / "link.json").symlink_to(away / "old.json")
    inside = put(project, "runbooks/old.json", retired(moment(1)))
    (store_of(project) / "runbooks" / "link.json").symlink_to(inside)
    collection = gather(project, grace_days=0)
    assert names_of(collection) == ["old.json"]
    assert (away / "old.json").exists()
    assert (store_of(project) / "runbooks" / "link.json").is_symlink()


def test_collection_waits_for_the_lock(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(project, "decisions/a.json", retired(moment(99)))
    monkeypatch.setattr("cuecard.files.lock.LOCK_SECONDS", 0.05)
    monkeypatch.setattr("cuecard.store.writes.collect.locked", lambda memory_dir: locked(memory_dir, 0.05))
    monkeypatch.setattr("cuecard.store.derived.reindex.locked", lambda memory_dir: locked(memory_dir, 0.05))
    with locked(str(store_of(project))):
        with pytest.raises(LockError):
            gather(project)
        with pytest.raises(LockError):
            reindex(str(project), str(store_of(project)))
    assert file.exists()


def test_a_store_that_cannot_be_written_is_a_clear_error(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cuecard.store.derived.reindex.write", fail)
    before = (store_of(project) / "index.md").read_bytes()
    with pytest.raises(WriteError, match="No space left on device"):
        reindex(str(project), str(store_of(project)))
    assert (store_of(project) / "index.md").read_bytes() == before


# Settings


@pytest.mark.parametrize(
    ("value", "grace_days"),
    [
        (7, 7),
        (0, 0),
        (-4, 0),
        (3.9, 3),
        (True, 1),
        (" 1_0 ", 10),
        ("5.7", 30),
        ("soon", 30),
        (None, 30),
        ([], 30),
        ({}, 30),
    ],
)
def test_a_grace_period_that_is_no_number_is_thirty_days(project: Path, value: object, grace_days: int) -> None:
    write_user_settings({"delete": {"grace_period_days": value}})
    settings = read_writer_settings(str(store_of(project)))
    assert settings.grace_days == grace_days
    assert len(settings.notes) == (grace_days == 30 or value == -4)


@pytest.mark.parametrize("text", ['{"delete": {"grace_period_days": NaN}}', '{"delete": {"grace_period_days": 1e999}}'])
def test_a_grace_period_beyond_numbers_is_thirty_days(project: Path, text: str) -> None:
    put(project, "memory-config.json", text)
    assert read_writer_settings(str(store_of(project))).grace_days == 30


@pytest.mark.parametrize(
    ("value", "expected"), [(3, 3), (1, 1), (0, None), (-1, None), (True, None), ("3", None), (2.0, None), (None, None)]
)
def test_counts_are_integers_from_one_upwards(project: Path, value: object, expected: int | None) -> None:
    sessions = {"session_summary": {"max_retained": value}}
    write_user_settings({"categories": sessions, "max_memories_per_category": value})
    settings = read_writer_settings(str(store_of(project)))
    assert (settings.max_retained, settings.max_memories_per_category) == (expected or 5, expected)
    assert len(settings.notes) == (0 if expected else 2)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"delete": 5}', '{"categories": []}', '{"categories": {"session_summary": 1}}']
)
def test_malformed_settings_fall_back_and_say_so(project: Path, capsys: Capture, text: str) -> None:
    put(project, "memory-config.json", text)
    settings = read_writer_settings(str(store_of(project)))
    assert (settings.grace_days, settings.max_retained, settings.max_memories_per_category) == (30, 5, None)
    assert len(settings.notes) == 1
    assert run(["gc"]) == 0
    assert settings.notes[0] in capsys.readouterr().err


def test_settings_of_other_commands_are_not_told(project: Path, capsys: Capture) -> None:
    put(project, "memory-config.json", '{"network": {"proxy": "http://p:1"}}')
    assert run(["gc"]) == 0
    assert "network.proxy" not in capsys.readouterr().err


def test_a_malformed_group_of_the_user_leaves_the_other_group_to_the_repository(project: Path) -> None:
    write_user_settings({"delete": 3})
    put(project, "memory-config.json", '{"categories": {"session_summary": {"max_retained": 2}}}')
    assert read_writer_settings(str(store_of(project))).max_retained == 2
    write_user_settings({"delete": {}})
    put(project, "memory-config.json", '{"delete": {"grace_period_days": 5}}')
    assert read_writer_settings(str(store_of(project))).grace_days == 30


def test_missing_settings_are_nothing_to_speak_of(project: Path) -> None:
    assert read_writer_settings(str(store_of(project))).notes == []


# Real processes


def test_the_commands_work_as_processes(project: Path) -> None:
    def ran(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "cuecard.cli", *arguments]
        done = subprocess.run(command, cwd=project, capture_output=True, encoding="utf-8", timeout=60, check=False)
        return done.returncode, done.stdout

    assert ran("index", "validate")[0] == 1
    assert ran("index", "rebuild") == (0, "index.md has 5 lines, the snapshot 6 memories\n")
    assert ran("index", "validate") == (0, "index.md is valid: 5 lines\nsnapshot: in step, 6 memories\n")
    assert ran("health")[1].startswith("health: GOOD\n")
    assert ran("gc") == (0, "")
