"""The user is told once of files that a merge has left in conflict (SPEC 13.4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from small_project import write_project

if TYPE_CHECKING:
    from hook_process import Hook

CONFLICT = '{\n<<<<<<< HEAD\n "title": "One"\n=======\n "title": "Two"\n>>>>>>> topic\n}\n'
ONE = "cuecard: 1 file of the memories has the conflict markers of a merge; `cuecard merge` repairs them"


def ask(hook: Hook, project: Path, *more: str, host: str = "claude-code") -> str:
    """What the user is told beside the answer to a prompt."""
    payload = {"prompt": "why is the hook not a python script?", "session_id": "s"}
    ran = hook.run("prompt", "--host", host, *more, stdin=json.dumps(payload).encode(), cwd=project)
    assert (ran.code, ran.stderr) == (0, b"")
    told: str = (
        json.loads(ran.stdout or b"{}").get("systemMessage", "") if host == "claude-code" else ran.stdout.decode()
    )
    return told


def test_the_next_prompt_tells_of_a_file_in_conflict_and_only_once(hook: Hook, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    file = project / ".claude/memory/decisions/both.json"
    assert "conflict" not in ask(hook, project)
    file.write_text(CONFLICT)
    assert ONE in ask(hook, project)
    assert "conflict" not in ask(hook, project)
    # Another conflict is told again.
    file.write_text(CONFLICT.replace("One", "Three"))
    assert ONE in ask(hook, project)
    file.write_text('{"title": "<<<<<<< HEAD"')
    assert "conflict" not in ask(hook, project)


def test_an_index_in_conflict_is_told(hook: Hook, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    ask(hook, project)
    index = project / ".claude/memory/index.md"
    index.write_text(index.read_text("utf-8") + "<<<<<<< HEAD\n=======\n>>>>>>> topic\n", encoding="utf-8")
    assert ONE in ask(hook, project)
    assert "conflict" not in ask(hook, project)


def test_a_host_without_notices_gets_none(hook: Hook, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    (project / ".claude/memory/decisions/both.json").write_text(CONFLICT)
    assert "conflict" not in ask(hook, project, host="plain")
    assert ONE in ask(hook, project)


def test_a_link_is_not_read(hook: Hook, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    (tmp_path / "elsewhere.json").write_text(CONFLICT)
    (project / ".claude/memory/decisions/both.json").symlink_to(tmp_path / "elsewhere.json")
    assert "conflict" not in ask(hook, project)
