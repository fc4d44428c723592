"""What an earlier session left: a later one claims it, gives it back, and asks about it again."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger_project import PROMPTS, SORRY, Project

if TYPE_CHECKING:
    from hook_process import Hook


@pytest.fixture
def project(hook: Hook, tmp_path: Path) -> Project:
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "cuecard"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return Project(hook, tmp_path / "project", f"{programs}{os.pathsep}{os.environ['PATH']}")


def test_a_later_session_is_asked_about_what_an_earlier_one_left(project: Project) -> None:
    earlier = project.session("earlier")
    for prompt in PROMPTS[:3]:
        assert earlier.turn(prompt, SORRY) == ""
    earlier.end()
    later = project.session("later")
    reason = later.turn("what does the build script do here")
    assert all(prompt in reason for prompt in PROMPTS[:3])
    assert project.names() == ["earlier.claimed", "later.jsonl"]
    other = project.session("other")
    assert other.turn("what does the build script do here") == ""
    assert later.stop(stop_hook_active=True, last_assistant_message="Nothing worth keeping.").stdout == b""
    assert earlier.lines(".claimed")[-1]["how"] == "nothing"
    assert later.turn("and now the tests of the parser") == ""


def test_a_session_that_goes_on_is_not_asked_about_by_another_one(project: Project) -> None:
    earlier = project.session("earlier")
    for prompt in PROMPTS[:3]:
        earlier.turn(prompt, SORRY)
    assert project.session("later").turn("what does the build script do here") == ""
    long_ago = time.time() - 3 * 3600
    os.utime(project.ledgers / "earlier.jsonl", (long_ago, long_ago))
    assert project.session("third").turn("what does the build script do here")


def test_a_claim_that_is_not_completed_is_given_back(project: Project) -> None:
    earlier = project.session("earlier")
    for prompt in PROMPTS[:3]:
        earlier.turn(prompt, SORRY)
    earlier.end()
    later = project.session("later")
    assert later.turn("what does the build script do here")
    later.stop(stop_hook_active=True, last_assistant_message="I was stopped.")
    assert project.names() == ["earlier.jsonl", "later.jsonl"]
    assert later.turn("and now the tests of the parser") == ""
    assert project.session("third").turn("what does the build script do here")


def test_a_claim_of_a_session_that_died_is_given_back_after_two_hours(project: Project) -> None:
    earlier = project.session("earlier")
    for prompt in PROMPTS[:3]:
        earlier.turn(prompt, SORRY)
    earlier.end()
    assert project.session("later").turn("what does the build script do here")
    long_ago = time.time() - 3 * 3600
    os.utime(project.ledgers / "earlier.claimed", (long_ago, long_ago))
    assert project.session("third").turn("what does the build script do here")


def test_a_session_that_goes_on_takes_its_ledger_back(project: Project) -> None:
    earlier = project.session("earlier")
    for prompt in PROMPTS[:3]:
        earlier.turn(prompt, SORRY)
    earlier.end()
    assert project.session("later").turn("what does the build script do here")
    earlier.turn(PROMPTS[3])
    assert project.names() == ["earlier.jsonl", "later.jsonl"]
    assert [entry["text"] for entry in earlier.entries() if entry["k"] == "prompt"] == PROMPTS[:4]


def test_nothing_is_asked_about_more_than_three_times(project: Project) -> None:
    earlier = project.session("earlier")
    for prompt in PROMPTS[:3]:
        earlier.turn(prompt, SORRY)
    earlier.end()
    asked = []
    for number in range(5):
        later = project.session(f"later-{number}")
        asked.append(bool(later.turn("hm")))
        later.stop(stop_hook_active=True, last_assistant_message="Stopped.")
    assert asked == [True, True, True, False, False]
