"""Programs whose settings.json has hooks in the form of Claude Code, with tools of other names."""

from pathlib import Path

from .hook_entries import HookEntries, HookEntry
from .host_environment import HostEnvironment, Scope
from .host_file import SettingsHost
from .shells import Shell


class ClaudeFormHost(SettingsHost):
    """A program whose settings.json has hooks in the form of Claude Code."""

    shape = HookEntries(is_grouped=True)
    folder_name: str
    # The time limit in the unit of the program, and a name that it shows; "" if it shows none.
    timeout: int
    label = ""
    windows_shell: Shell

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return (environment.home if scope == "user" else environment.project) / self.folder_name

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "settings.json"

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        label = {"name": self.label} if self.label else {}
        return [
            HookEntry(
                wired.event,
                {"type": "command", **label, "command": wired.command, "timeout": self.timeout * wired.times},
                {"matcher": wired.matcher} if wired.matcher else {},
            )
            for wired in self.wired(hook, self.windows_shell if environment.is_windows else "posix")
        ]
