"""Gemini CLI: hooks in settings.json, comments allowed, timeouts in ms (reference: host protocols, section 3).

Measured in 0.61.0: the block follows the prompt inside `<hook_context>`, its angle brackets as entities.
"""

from pathlib import Path

from .hook_entries import Entry, HookEntries
from .host import SettingsHost
from .shells import join
from .surroundings import Scope, Surroundings

MILLISECONDS = 5000


class Gemini(SettingsHost):
    """Gemini CLI."""

    name, title, injection = "gemini", "Gemini CLI", "yes"
    programs = ("gemini",)
    shape = HookEntries(is_grouped=True)

    def folder(self, scope: Scope, around: Surroundings) -> Path:
        return (around.folder("GEMINI_CLI_HOME") if scope == "user" else around.project) / ".gemini"

    def file(self, scope: Scope, around: Surroundings) -> Path:
        return self.folder(scope, around) / "settings.json"

    def entries(self, hook: list[str], around: Surroundings) -> list[Entry]:
        command = join([*hook, "prompt", "--host", self.name], "powershell" if around.is_windows else "posix")
        handler = {"type": "command", "name": "cuecard", "command": command, "timeout": MILLISECONDS}
        return [Entry("BeforeAgent", handler)]
