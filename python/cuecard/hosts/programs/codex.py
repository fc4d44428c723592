"""Codex CLI: hooks in hooks.json, a command line, timeouts in seconds (reference: host protocols, section 3).

Measured in 0.169.0: the hook's output becomes a developer message behind the prompt. Codex cuts it at 10,000 bytes.
"""

import re
from pathlib import Path

from ..hook_entries import HookEntries, HookEntry
from ..host_environment import HostEnvironment, Scope
from ..host_file import SettingsHost
from ..shells import join

SECONDS = 5
# The stop hook reads a transcript and writes files; no prompt waits for it, so it gets more time.
STOP_SECONDS = 10
# Codex 0.171.0 lowers a longer limit of `SessionEnd` to this one, and warns about it at every start.
END_SECONDS = 3
# The tools that change files or run commands. Codex takes a refusal and a context before them, and a context after them
# (measured in 0.171.0). It has no event for failures, and only its transcript has the exit code of a command.
ACTING_TOOLS = "^(Bash|apply_patch|Edit|Write)$"
WRITING_TOOLS = "^(Bash|apply_patch|Edit|Write|mcp__.*)$"
SHELL = "^Bash$"
# The header of the TOML table of a trusted hook. The hook's name is in double quotes with escapes, or in single
# quotes without escapes.
_TRUSTED_HOOK = re.compile(
    r"""^\s*\[\s*hooks\s*\.\s*state\s*\.\s*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')\s*\]""", re.MULTILINE
)
# The table of an installed plugin of ours, and the lines in it.
_PLUGIN = re.compile(
    r"""^\s*\[\s*plugins\s*\.\s*["']cuecard@[^"'\n]+["']\s*\][^\n]*((?:\n(?![ \t]*\[)[^\n]*)*)""", re.MULTILINE
)
_IS_OFF = re.compile(r"^\s*enabled\s*=\s*false\b", re.MULTILINE)
# Matches tables with hooks, but not `hooks.state`, where Codex remembers which hooks are trusted.
_HOOKS_TABLE = re.compile(r"^\s*\[+\s*hooks\b(?!\s*\.\s*state\b)", re.MULTILINE)


class Codex(SettingsHost):
    """Codex CLI."""

    name, title = "codex", "Codex CLI"
    programs = ("codex",)
    promises = ("Codex runs a new or changed hook only once you have trusted it: type `/hooks` in Codex",)
    shape = HookEntries(is_grouped=True)

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.folder("CODEX_HOME", ".codex") if scope == "user" else environment.project / ".codex"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "hooks.json"

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        def handler(*arguments: str) -> dict[str, object]:
            return run(hook, SECONDS, *arguments)

        def run(words: list[str], seconds: int, *arguments: str) -> dict[str, object]:
            command = join([*words, *arguments], "cmd" if environment.is_windows else "posix")
            return {"type": "command", "command": command, "timeout": seconds}

        return [
            HookEntry("UserPromptSubmit", handler("prompt", "--host", self.name)),
            HookEntry("SessionStart", handler("session")),
            HookEntry("PreCompact", handler("session", "--host", self.name)),
            HookEntry("PostCompact", handler("session")),
            HookEntry("SessionEnd", run(hook, END_SECONDS, "session", "--host", self.name)),
            HookEntry("PreToolUse", handler("guard", "--host", self.name), {"matcher": WRITING_TOOLS}),
            HookEntry("PreToolUse", handler("tool-context", "--host", self.name), {"matcher": ACTING_TOOLS}),
            HookEntry("PostToolUse", handler("tool-context", "--host", self.name), {"matcher": SHELL}),
            HookEntry("PostToolUse", handler("validate", "--host", self.name), {"matcher": WRITING_TOOLS}),
            HookEntry("Stop", run(hook, STOP_SECONDS, "stop", "--host", self.name)),
        ]

    def find_other(self, environment: HostEnvironment) -> str:
        file = self.folder("user", environment) / "config.toml"
        try:
            plugins = _PLUGIN.findall(file.read_text("utf-8"))
        except (OSError, ValueError):
            return ""
        if all(_IS_OFF.search(lines) for lines in plugins):
            return ""
        return f"the plugin `cuecard` is enabled in {file}; with both, every hook would run twice"

    def deciding_files(self, environment: HostEnvironment) -> list[Path]:
        return [self.folder(scope, environment) / "config.toml" for scope in self.scopes]

    def waits_for(self, scope: Scope, environment: HostEnvironment) -> str:
        file = str(self.file(scope, environment))
        try:
            settings = (self.folder("user", environment) / "config.toml").read_text("utf-8")
        except (OSError, ValueError):
            settings = ""
        # Codex stores a hash of a trusted hook under its file's name. Only Codex can tell whether the hook has changed.
        names = [found[2] or found[1].replace("\\\\", "\\") for found in _TRUSTED_HOOK.finditer(settings)]
        is_trusted = any(name.startswith(f"{file}:") for name in names)
        return "" if is_trusted else "Codex ignores it until you trust it: type `/hooks` in Codex"

    def notes(self, scope: Scope, environment: HostEnvironment) -> list[str]:
        # That a new hook must be trusted is among the promises.
        notes = [note for note in super().notes(scope, environment) if note != self.waits_for(scope, environment)]
        settings = self.folder(scope, environment) / "config.toml"
        try:
            has_hooks = bool(_HOOKS_TABLE.search(settings.read_text("utf-8")))
        except (OSError, ValueError):
            has_hooks = False
        if has_hooks:
            notes.append(f"{settings} has hooks too: Codex runs the hooks of both files, and warns about it")
        if scope == "project":
            notes.append("Codex reads a project's hooks only where you trust the project")
        return notes
