"""Programs whose settings.json has hooks in the form of Claude Code, with tools of other names."""

from pathlib import Path

from .hook_entries import HookEntries, HookEntry
from .host_environment import HostEnvironment, Scope
from .host_file import SettingsHost
from .shells import Shell, join


class ClaudeFormHost(SettingsHost):
    """A program whose settings.json has hooks in the form of Claude Code."""

    shape = HookEntries(is_grouped=True)
    folder_name: str
    # The event that says that a conversation was made shorter.
    compaction = "PreCompact"
    # The tools that write files or run commands, and those that touch a file or run a command.
    writing_tools: str
    acting_tools: str
    # The time limit in the unit of the program, and a name that it shows; "" if it shows none.
    timeout: int
    label = ""
    windows_shell: Shell
    # Whether its transcripts can be read, so that it asks its agent for memories.
    captures = False

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return (environment.home if scope == "user" else environment.project) / self.folder_name

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "settings.json"

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        shell = self.windows_shell if environment.is_windows else "posix"

        def entry(event: str, verb: str, matcher: str = "", times: int = 1) -> HookEntry:
            label = {"name": self.label} if self.label else {}
            command = join([*hook, verb, "--host", self.name], shell)
            handler = {"type": "command", **label, "command": command, "timeout": self.timeout * times}
            return HookEntry(event, handler, {"matcher": matcher} if matcher else {})

        return [
            entry("UserPromptSubmit", "prompt"),
            entry(self.compaction, "session"),
            entry("PreToolUse", "guard", self.writing_tools),
            entry("PostToolUse", "tool-context", self.acting_tools),
            entry("PostToolUse", "validate", self.writing_tools),
            *[entry(event, "tool-context", tools) for event, tools in self.failures()],
            # The stop hook reads a transcript and writes files; no prompt waits for it, so it gets more time.
            *([entry("Stop", "stop", times=2), entry("SessionEnd", "session")] if self.captures else []),
        ]

    def failures(self) -> list[tuple[str, str]]:
        """The events of failed tools, and which tools matter there."""
        return []
