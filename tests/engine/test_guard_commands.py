"""The guard on 300 tool calls, most of them from transcripts of agents: which calls it refuses, and its error rates."""

from pathlib import Path
from types import ModuleType

import pytest

from guard_commands import COMMANDS, PEOPLE_COMMANDS, refused
from small_project import write_project


def test_the_guard_refuses_what_the_list_says(engine: ModuleType, tmp_path: Path) -> None:
    now = list(refused(write_project(tmp_path / "project"), engine))
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
def test_a_person_is_asked_for_commands_that_widen_trust_and_for_no_others(engine: ModuleType, is_asked: bool) -> None:
    wrong = []
    for row in PEOPLE_COMMANDS:
        tool = "powershell" if row.get("tool") == "PowerShell" else "shell"
        writes = engine.find_writes(tool, row["command"], "/p", "/home/u", "/p")
        if row["asks"] == is_asked and any(action == "confirm" for action, _name in writes) != is_asked:
            wrong.append(row["command"])
    assert not wrong


def test_the_list_has_enough_commands_of_both_kinds() -> None:
    asks = [row["asks"] for row in PEOPLE_COMMANDS]
    assert asks.count(True) >= 60
    assert asks.count(False) >= 40
