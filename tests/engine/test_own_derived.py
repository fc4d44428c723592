"""Tests of derived files that are kept in the user's data folder (SPEC 43.7)."""

import json
import shutil
from pathlib import Path

import pytest

from checkouts import PROMPT, remember
from hook_process import Hook
from unprivileged import heeding_permissions


def ask(hook: Hook, project: Path, data: Path) -> bytes:
    payload = {"cwd": str(project), "prompt": PROMPT}
    return hook.run("prompt", stdin=json.dumps(payload).encode(), cwd=project, CUECARD_HOME=str(data)).stdout


def kept(data: Path) -> list[str]:
    """The names of the derived files in a data folder."""
    return sorted(path.name for path in data.glob("stores/*/derived/*"))


def date_back(data: Path) -> None:
    """Let what a data folder says of its files be from ten seconds before."""
    for seal in data.glob("stores/*/seal"):
        lines = [line.split(" ") for line in seal.read_text().splitlines()]
        seal.write_text("".join([f"{a} {b} {c} {int(modified) - 10**10} {e}\n" for a, b, c, modified, e in lines]))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one memory."""
    root = tmp_path / "project"
    remember(root, "project")
    return root


def test_two_data_folders_that_use_a_store_in_turn_do_not_build_it_each_time(
    hook: Hook, tmp_path: Path, project: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for data in (first, second):
        assert b"Deployments of project" in ask(hook, project, data)
    date_back(first)
    for data in (first, second, first):
        assert b"Deployments of project" in ask(hook, project, data)
    assert kept(first)
    assert kept(second) == []
    derived = project / ".claude" / "memory" / ".cuecard"
    before = {path: path.stat().st_mtime_ns for path in [*derived.iterdir(), *first.glob("stores/*/derived/*")]}
    for data in (first, second, first):
        ask(hook, project, data)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_store_that_cannot_be_written_is_built_once(hook: Hook, tmp_path: Path, project: Path) -> None:
    hook = heeding_permissions(hook)
    data = tmp_path / "data"
    memory = project / ".claude" / "memory"
    locked = [memory, memory / "constraints"]
    for folder in locked:
        folder.chmod(0o500)
    try:
        for _ in range(2):
            assert b"Deployments of project" in ask(hook, project, data)
        assert kept(data)
        assert not (memory / ".cuecard").exists()
    finally:
        for folder in locked:
            folder.chmod(0o700)


def test_what_changes_later_is_in_the_users_own_files(hook: Hook, tmp_path: Path, project: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for data in (first, second):
        ask(hook, project, data)
    date_back(first)
    ask(hook, project, first)
    shutil.rmtree(project / ".claude" / "memory" / ".cuecard")
    remember(project, "later")
    assert b"Deployments of later" in ask(hook, project, first)


def test_processes_at_the_same_work_are_no_two_users(hook: Hook, tmp_path: Path, project: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for data in (first, second, first):
        assert b"Deployments of project" in ask(hook, project, data)
    assert kept(first) == []
