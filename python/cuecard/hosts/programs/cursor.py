"""Cursor: a hooks.json with a flat list for each event, timeouts in seconds (Cursor's reference of hooks).

Some versions drop the answer to a prompt. The next event that reaches the model then carries it: `postToolUse`, or
`sessionStart` where that comes after the prompt (SPEC 30.7). An answer before a tool that is no valid JSON would block
the tool; the guard prints nothing, or a refusal.
"""

from pathlib import Path

from ..hook_entries import HookEntries, HookEntry
from ..host_environment import HostEnvironment, Scope
from ..host_file import SettingsHost

SECONDS = 5


class Cursor(SettingsHost):
    """Cursor."""

    name, title = "cursor", "Cursor"
    programs = ("cursor", "cursor-agent")
    writing_tools = "^(Shell|Write)$"
    promises = (
        "Cursor's documentation does not say that a prompt hook may add context; others have seen it work in 3.20.17. "
        "In an older version the memories come with the result of the agent's next tool",
        "restart Cursor, which reads its hooks at the start",
    )
    shape = HookEntries(is_grouped=False, head={"version": 1})

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return (environment.home if scope == "user" else environment.project) / ".cursor"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "hooks.json"

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        return [
            HookEntry(wired.event, {"command": wired.command, "timeout": SECONDS, **_matched(wired.matcher)})
            for wired in self.wired(hook, "powershell" if environment.is_windows else "posix")
        ]


def _matched(tools: str) -> dict[str, str]:
    return {"matcher": tools} if tools else {}
