"""`cuecard index`, `health` and `gc`; their reports are compared with recorded reports of the claude-memory plugin."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cuecard._backend import snapshot_files
from cuecard.basics.light_dataclass import replace
from cuecard.cli.run import run
from cuecard.files import freshness
from cuecard.files.open_folder import open_folder
from cuecard.files.quarantine import set_aside
from cuecard.store.derived.health import BEGIN, inspect
from cuecard.store.derived.index_query import query
from cuecard.store.derived.reindex import reindex
from memory_files_put import Capture, moment, put, retired, store_of
from oracle_cases import lay_out, read_projects
from scratch_home import seal_derived
from small_project import MEMORIES, SampleMemory, write_project

pytestmark = pytest.mark.usefixtures("untouched_environment")
PROJECTS = read_projects()


# What people and programs see


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a few memories; one is retired, but still in the index."""
    project = write_project(tmp_path / "project")
    monkeypatch.chdir(project)
    return project


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


def ago(days: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * 86_400))


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
