"""The answer to a prompt that Cursor may have dropped comes with the next event that reaches the model, once.

The payloads have the fields of Cursor's reference of hooks (SPEC 12.7, 30.7); the client itself cannot run offline.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from hook_process import Hook
from host_machine import BLOCK, PROMPT, Machine

COMMON = {
    "conversation_id": "5b0d6c1e-8a4f",
    "generation_id": "f2a9c0d4",
    "model": "m",
    "user_email": None,
    "transcript_path": None,
}
OLD, NEW = "3.15.6", "3.20.17"
TOLD = {"additional_context": BLOCK}


class Cursor:
    """The hooks of Cursor in one conversation."""

    def __init__(self, hook: Hook, project: Path, version: str | None) -> None:
        self.hook, self.project = hook, project
        self.version = {} if version is None else {"cursor_version": version}

    def send(self, verb: str, event: str, **more: object) -> object:
        """What the hook prints for an event, as Cursor reads it; None if it prints nothing."""
        payload = {**COMMON, **self.version, "hook_event_name": event, "workspace_roots": [str(self.project)], **more}
        ran = self.hook.run(verb, "--host", "cursor", stdin=json.dumps(payload).encode(), cwd=self.project)
        assert (ran.code, ran.stderr, ran.log) == (0, b"", [])
        return json.loads(ran.stdout) if ran.stdout else None

    def ask(self, prompt: str = PROMPT) -> object:
        return self.send("prompt", "beforeSubmitPrompt", prompt=prompt, attachments=[])

    def use_tool(self, **more: object) -> object:
        used = {"tool_name": "Shell", "tool_input": {"command": "ls", "working_directory": ""}, "tool_use_id": "c\n1"}
        output = {"tool_output": '{"output":"","exitCode":0}', "duration": 12}
        return self.send("tool-context", "postToolUse", **used, **output, cwd=str(self.project), **more)

    def start(self) -> object:
        return self.send("tool-context", "sessionStart", is_background_agent=False, composer_mode="agent")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Machine(tmp_path).project


@pytest.mark.parametrize("version", [OLD, None, "2026.07.17-3e2a980", "dev"])
def test_the_result_of_the_next_tool_brings_the_answer_once(hook: Hook, project: Path, version: str | None) -> None:
    cursor = Cursor(hook, project, version)
    assert cursor.use_tool() is None
    assert cursor.ask() == {"continue": True, **TOLD}
    assert cursor.use_tool() == TOLD
    assert [cursor.use_tool(), cursor.start()] == [None, None]
    # The next prompt owes its own.
    assert cursor.ask() == {"continue": True, **TOLD}
    assert cursor.use_tool() == TOLD


def test_an_answer_of_long_ago_is_not_owed_any_more(hook: Hook, project: Path) -> None:
    data = Path(os.environ["CUECARD_HOME"])
    cursor = Cursor(hook, project, OLD)
    before = set(data.rglob("*.owed"))
    cursor.ask()
    [owed] = {*data.rglob("*.owed")} - before
    os.utime(owed, (time.time() - 660,) * 2)
    assert cursor.use_tool() is None
    assert not owed.exists()


def test_a_start_of_the_session_behind_the_prompt_brings_it_too(hook: Hook, project: Path) -> None:
    cursor = Cursor(hook, project, OLD)
    assert cursor.start() is None
    cursor.ask()
    assert cursor.start() == TOLD
    assert cursor.use_tool() is None


@pytest.mark.parametrize("version", [NEW, "3.21", "10.0.1", "2026.09.18-9a7762b", "2027.1.2"])
def test_a_version_that_takes_the_answer_gets_it_once(hook: Hook, project: Path, version: str) -> None:
    cursor = Cursor(hook, project, version)
    assert cursor.ask() == {"continue": True, **TOLD}
    assert [cursor.use_tool(), cursor.start()] == [None, None]


def test_a_prompt_about_something_else_takes_the_debt_back(hook: Hook, project: Path) -> None:
    cursor = Cursor(hook, project, OLD)
    cursor.ask()
    assert cursor.ask("please paint the whole shed in blue") is None
    assert cursor.use_tool() is None


def test_another_conversation_gets_nothing_of_it(hook: Hook, project: Path) -> None:
    cursor = Cursor(hook, project, OLD)
    cursor.ask()
    assert cursor.use_tool(conversation_id="another") is None
    assert cursor.use_tool(session_id="another") is None
    assert cursor.use_tool() == TOLD


def test_a_warning_stands_before_it_in_the_same_answer(hook: Hook, project: Path) -> None:
    cursor = Cursor(hook, project, OLD)
    rule = {
        "title": "Nobody lists",
        "category": "constraint",
        "content": {"rule": "Never run `ls`.", "kind": "policy", "severity": "high", "active": True},
        "cuecard": {"forbids": ["command: ls"]},
    }
    file = project / ".claude/memory/constraints/nobody-lists.json"
    file.parent.mkdir()
    file.write_text(json.dumps(rule))
    cursor.ask()
    told = cursor.use_tool()
    assert isinstance(told, dict)
    before, _, behind = told["additional_context"].partition(BLOCK)
    assert "Nobody lists" in before
    assert behind == ""
    assert cursor.use_tool() is None


def test_an_event_that_reaches_nobody_leaves_it_to_the_next(hook: Hook, project: Path) -> None:
    cursor = Cursor(hook, project, OLD)
    cursor.ask()
    failed: dict[str, object] = {
        "tool_name": "Shell",
        "tool_input": {"command": "ls"},
        "error_message": "no",
        "failure_type": "error",
    }
    assert cursor.send("tool-context", "postToolUseFailure", **failed) is None
    assert cursor.use_tool() == TOLD


def test_another_host_owes_nothing(hook: Hook, project: Path) -> None:
    def send(verb: str, payload: dict[str, object]) -> bytes:
        event = {"session_id": "s", "cwd": str(project), **payload}
        return hook.run(verb, "--host", "gemini", stdin=json.dumps(event).encode(), cwd=project).stdout

    assert send("prompt", {"hook_event_name": "BeforeAgent", "prompt": PROMPT})
    used: dict[str, object] = {
        "hook_event_name": "postToolUse",
        "tool_name": "run_shell_command",
        "tool_input": {"command": "ls"},
    }
    assert send("tool-context", used) == b""


def test_the_guard_refuses_in_the_form_of_cursor(hook: Hook, project: Path) -> None:
    cursor = Cursor(hook, project, NEW)

    def use(tool: str, **given: str) -> object:
        return cursor.send("guard", "preToolUse", tool_name=tool, tool_input=given, cwd=str(project))

    file = str(project / ".claude/memory/decisions/x.json")
    for refused in (use("Write", file_path=file, content="{}"), use("Shell", command=f"echo x > '{file}'")):
        assert isinstance(refused, dict)
        assert (refused["permission"], sorted(refused)) == ("deny", ["agent_message", "permission"])
    assert use("Shell", command="ls") is None
