"""Droid: hooks in settings.json in the form of Claude Code (Factory's reference of hooks, read in November 2026).

Droid reads the hooks of `settings.json` where `hooks.json` beside it is missing. The event of a prompt does not fire in
`droid exec` (0.215.0), and its terminal needs a login, so nothing of this was seen in the real client.
"""

from ..claude_form import ClaudeFormHost
from ..host_environment import HostEnvironment, Scope
from ..shells import Shell


class Droid(ClaudeFormHost):
    """Droid."""

    name, title = "droid", "Droid"
    programs = ("droid",)
    folder_name = ".factory"
    writing_tools = "^(Create|Edit|ApplyPatch|Execute|mcp__.*)$"
    acting_tools = "^(Read|Create|Edit|ApplyPatch|Execute)$"
    # In seconds.
    timeout = 5
    windows_shell: Shell = "cmd"

    def waits_for(self, scope: Scope, environment: HostEnvironment) -> str:
        other = self.folder(scope, environment) / "hooks.json"
        ignored = f"Droid ignores these hooks, because {other} exists: move its hooks into settings.json"
        return ignored if other.exists() else ""
