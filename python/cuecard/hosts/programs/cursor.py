"""Cursor: a hooks.json with a flat list for each event, timeouts in seconds (reference: host protocols, section 3)."""

from pathlib import Path

from ..hook_entries import HookEntries, HookEntry
from ..host_environment import HostEnvironment, Scope
from ..host_file import SettingsHost
from ..shells import join

SECONDS = 5


class Cursor(SettingsHost):
    """Cursor."""

    name, title = "cursor", "Cursor"
    programs = ("cursor", "cursor-agent")
    promises = (
        "Cursor's documentation does not say that a prompt hook may add context; others have seen it work in 3.20.17, "
        "and a version that does not support it shows no memories",
        "restart Cursor, which reads its hooks at the start",
    )
    shape = HookEntries(is_grouped=False, head={"version": 1})

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return (environment.home if scope == "user" else environment.project) / ".cursor"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "hooks.json"

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        command = join([*hook, "prompt", "--host", self.name], "powershell" if environment.is_windows else "posix")
        return [HookEntry("beforeSubmitPrompt", {"command": command, "timeout": SECONDS})]
