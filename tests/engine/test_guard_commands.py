"""The guard on 300 tool calls, most of them from transcripts of agents: which calls it refuses, and its error rates."""

import json
from pathlib import Path

import pytest

from backends import executable
from cuecard._pure.guard.shell_commands import find_writes
from guard_commands import COMMANDS, PEOPLE_COMMANDS, payload_of, refused, refused_by
from hook_process import Hook
from small_project import write_project


def test_the_guard_refuses_what_the_list_says(backend: str, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    now = refused(project) if backend == "pure" else refused_by(Hook((executable(),), {}, tmp_path), project)
    wrong = [row for row, is_now in zip(COMMANDS, now, strict=True) if row["refused"] != is_now]
    assert not wrong


def test_no_harmless_call_is_refused() -> None:
    assert not [row for row in COMMANDS if row["label"] == "harmless" and row["refused"]]


def test_nine_of_ten_dangerous_calls_that_were_refused_are_refused() -> None:
    before = [row for row in COMMANDS if row["label"] == "dangerous" and row["refused_before"]]
    kept = [row for row in before if row["refused"]]
    assert len(kept) >= 0.9 * len(before)


def test_the_list_has_as_many_dangerous_calls_as_harmless_ones() -> None:
    labels = [row["label"] for row in COMMANDS]
    assert (labels.count("dangerous"), labels.count("harmless")) == (150, 150)


@pytest.mark.parametrize("is_asked", [True, False])
def test_a_person_is_asked_for_commands_that_widen_trust_and_for_no_others(is_asked: bool, tmp_path: Path) -> None:
    project, hook = write_project(tmp_path / "project"), Hook((executable(),), {}, tmp_path)
    wrong = []
    for row in PEOPLE_COMMANDS:
        tool = "powershell" if row.get("tool") == "PowerShell" else "shell"
        writes = find_writes(tool, row["command"], "/p", "/home/u", "/p")
        call = {"tool": row.get("tool", "Bash"), "input": {"command": row["command"]}}
        stated = {**json.loads(payload_of(call, project)), "permission_mode": "default", "tool_use_id": "toolu_1"}
        ran = hook.run("guard", stdin=json.dumps(stated).encode(), cwd=project)
        answers = any(action == "confirm" for action, _name in writes), b'"ask"' in ran.stdout
        if row["asks"] == is_asked and answers != (is_asked, is_asked):
            wrong.append((row["command"], answers))
    assert not wrong


def test_the_list_has_enough_commands_of_both_kinds() -> None:
    asks = [row["asks"] for row in PEOPLE_COMMANDS]
    assert asks.count(True) >= 60
    assert asks.count(False) >= 40
