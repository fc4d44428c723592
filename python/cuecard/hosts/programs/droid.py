"""Droid: hooks in settings.json in the form of Claude Code (Factory's reference of hooks, read in November 2026).

Droid reads the hooks of `settings.json` where `hooks.json` beside it is missing. The event of a prompt does not fire in
`droid exec` (0.215.0), and its terminal needs a login, so nothing of this was seen in the real client.
"""

from pathlib import Path

from ..hook_entries import HookEntries, HookEntry
from ..host_environment import HostEnvironment, Scope
from ..host_file import SettingsHost
from ..shells import join

SECONDS = 5
WRITING_TOOLS = "^(Create|Edit|ApplyPatch|Execute|mcp__.*)$"
ACTING_TOOLS = "^(Read|Create|Edit|ApplyPatch|Execute)$"


class Droid(SettingsHost):
    """Droid."""

    name, title = "droid", "Droid"
    programs = ("droid",)
    shape = HookEntries(is_grouped=True)

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return (environment.home if scope == "user" else environment.project) / ".factory"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "settings.json"

    def notes(self, scope: Scope, environment: HostEnvironment) -> list[str]:
        other = self.folder(scope, environment) / "hooks.json"
        ignored = f"Droid ignores these hooks, because {other} exists: move its hooks into settings.json"
        return [*super().notes(scope, environment), *([ignored] if other.exists() else [])]

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        def handler(event: str) -> dict[str, object]:
            command = join([*hook, event, "--host", self.name], "cmd" if environment.is_windows else "posix")
            return {"type": "command", "command": command, "timeout": SECONDS}

        return [
            HookEntry("UserPromptSubmit", handler("prompt")),
            HookEntry("PreCompact", handler("session")),
            HookEntry("PreToolUse", handler("guard"), {"matcher": WRITING_TOOLS}),
            HookEntry("PostToolUse", handler("tool-context"), {"matcher": ACTING_TOOLS}),
            HookEntry("PostToolUse", handler("validate"), {"matcher": WRITING_TOOLS}),
        ]
