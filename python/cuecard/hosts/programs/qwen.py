"""Qwen Code: hooks in settings.json in the form of Claude Code (measured in 0.24.4).

The event of a prompt is sent without a prompt too; `submitted_prompt` is in those that the user typed (SPEC 12.1). The
tools have the names of Gemini CLI.
"""

from pathlib import Path

from ..hook_entries import HookEntries, HookEntry
from ..host_environment import HostEnvironment, Scope
from ..host_file import SettingsHost
from ..shells import join

MILLISECONDS = 5000
WRITING_TOOLS = "^(write_file|edit|replace|run_shell_command|mcp__.*)$"
ACTING_TOOLS = "^(read_file|write_file|edit|replace|run_shell_command)$"


class QwenCode(SettingsHost):
    """Qwen Code."""

    name, title = "qwen", "Qwen Code"
    programs = ("qwen",)
    shape = HookEntries(is_grouped=True)

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return (environment.home if scope == "user" else environment.project) / ".qwen"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "settings.json"

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        def handler(event: str) -> dict[str, object]:
            command = join([*hook, event, "--host", self.name], "powershell" if environment.is_windows else "posix")
            return {"type": "command", "name": "cuecard", "command": command, "timeout": MILLISECONDS}

        return [
            HookEntry("UserPromptSubmit", handler("prompt")),
            HookEntry("PreCompact", handler("session")),
            HookEntry("PreToolUse", handler("guard"), {"matcher": WRITING_TOOLS}),
            HookEntry("PostToolUse", handler("tool-context"), {"matcher": ACTING_TOOLS}),
            HookEntry("PostToolUse", handler("validate"), {"matcher": WRITING_TOOLS}),
            HookEntry("PostToolUseFailure", handler("tool-context"), {"matcher": "^run_shell_command$"}),
        ]
