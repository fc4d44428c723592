"""Asks the guard about a tool call, in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hook_process import Hook, Outcome

MEMORY = ".claude/memory/decisions/twins.json"


def ask(hook: Hook, event: str, project: Path, tool: str, subject: str, **environment: str) -> Outcome:
    """Run the hook for an event before or after a tool call; `subject` is the command or the file of the call."""
    field = {"Bash": "command", "PowerShell": "command", "NotebookEdit": "notebook_path"}.get(tool, "file_path")
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "cwd": str(project),
        "tool_input": {field: subject, "content": "x"},
    }
    return hook.run(event, stdin=json.dumps(payload).encode(), cwd=hook.scratch, **environment)


def reason_of(ran: Outcome) -> str:
    """The reason why a tool call is refused; "" if it is allowed."""
    assert (ran.code, ran.stderr, ran.log) == (0, b"", [])
    if not ran.stdout:
        return ""
    assert ran.stdout.endswith(b"}\n")
    assert ran.stdout.count(b"\n") == 1
    answer = json.loads(ran.stdout)
    assert list(answer) == ["hookSpecificOutput"]
    decision = answer["hookSpecificOutput"]
    assert (decision.pop("hookEventName"), decision.pop("permissionDecision")) == ("PreToolUse", "deny")
    reason: str = decision.pop("permissionDecisionReason")
    assert not decision
    assert "\n" not in reason
    return reason


def assert_silent(ran: Outcome, *notes: str) -> None:
    assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")
    assert ran.log == list(notes)
