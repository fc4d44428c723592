"""The recorded answers of the index tools of claude-memory, and where ours differ."""

import json
from pathlib import Path
from typing import Any

import pytest

from cuecard.cli.run import run
from index_oracle import (
    gc_facts,
    health_facts,
    our_gc_facts,
    our_health_facts,
    paths_marked,
    translate,
)
from memory_files_put import Capture
from oracle_cases import lay_out, read_cases, read_projects

pytestmark = pytest.mark.usefixtures("untouched_environment")
PROJECTS = read_projects()
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
