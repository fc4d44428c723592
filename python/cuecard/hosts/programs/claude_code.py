"""Claude Code: hooks in settings.json, a command line, timeouts in seconds (host protocols, section 1).

Other programs read hooks in this form too, and some of them ignore `args`. A program such as `sh` or `python` then
reads the payload on its standard input as its script. The arguments are therefore part of the command.

A project's hooks go into settings.local.json: the command is a path of this machine, and Claude Code keeps that file
out of git. The hooks are the same as in `hooks/hooks.json` of cuecard's plugin.
"""

from pathlib import Path

from ..foreign_settings import says_off
from ..hook_command import python_hook
from ..hook_entries import HookEntries, HookEntry
from ..host_environment import HostEnvironment, Scope
from ..host_file import SettingsHost
from ..shells import join

SECONDS = 5
# The stop hook reads a transcript and writes files; no prompt waits for it, so it gets more time.
STOP_SECONDS = 10
# A matcher with special characters is a regular expression, anchored here so that it fits whole tool names only.
WRITING_TOOLS = "^(Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|mcp__.*)$"
# The tools that touch a file or run a command: memories are anchored to the file, or forbid what is added or run. The
# last two start a subagent, which gets the memories for its prompt.
ACTING_TOOLS = "Read|Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell|Agent|Task"
# The command that triage asks the agent to run, with the program's name or path. Claude Code compares the program
# without its quotes. These rules only say when the hook runs; the hook itself decides which program it approves.
OUR_COMMANDS = ("Bash(cuecard capture commit:*)", "Bash(*/cuecard* capture commit *)")
# The files with the text that the agent drafts memories from. They are outside of the project.
OUR_TEXTS = "Read(//**/staging/*/context-*.txt)"
PLUGIN = "cuecard"
MAX_SETTINGS_BYTES = 1 << 20


class ClaudeCode(SettingsHost):
    """Claude Code."""

    name, title = "claude-code", "Claude Code"
    programs = ("claude",)
    shape = HookEntries(is_grouped=True)

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return (
            environment.folder("CLAUDE_CONFIG_DIR", ".claude") if scope == "user" else environment.project / ".claude"
        )

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / ("settings.json" if scope == "user" else "settings.local.json")

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        def handler(*arguments: str) -> dict[str, object]:
            return run(hook, SECONDS, *arguments)

        def run(words: list[str], seconds: int, *arguments: str) -> dict[str, object]:
            # Claude Code on Windows runs a line in one of three shells, which quote a path in different ways.
            if environment.is_windows:
                return {"type": "command", "command": words[0], "args": [*words[1:], *arguments], "timeout": seconds}
            return {"type": "command", "command": join([*words, *arguments], "posix"), "timeout": seconds}

        def permit(tool: str, rule: str) -> HookEntry:
            return HookEntry("PreToolUse", {**run(python_hook(), SECONDS, "permit"), "if": rule}, {"matcher": tool})

        return [
            HookEntry("UserPromptSubmit", handler("prompt", "--host", self.name)),
            HookEntry("SessionStart", handler("session"), {"matcher": "startup|resume|clear|compact"}),
            HookEntry("PreToolUse", handler("guard"), {"matcher": WRITING_TOOLS}),
            HookEntry("PreToolUse", handler("need"), {"matcher": ACTING_TOOLS}),
            *[permit("Bash", rule) for rule in OUR_COMMANDS],
            permit("Read", OUR_TEXTS),
            HookEntry("PostToolUseFailure", handler("need"), {"matcher": "Bash"}),
            HookEntry("PostToolUse", handler("validate"), {"matcher": WRITING_TOOLS}),
            HookEntry("Stop", run(hook, STOP_SECONDS, "stop")),
            HookEntry("PreCompact", handler("session")),
            HookEntry("SessionEnd", handler("session")),
            HookEntry("SessionEnd", run(python_hook(), SECONDS, "background")),
        ]

    def find_other(self, environment: HostEnvironment) -> str:
        file = self.find_plugin(environment)
        if file is None:
            return ""
        return f"the plugin `{PLUGIN}` is enabled in {file}; with both, every memory would be shown twice"

    def find_plugin(self, environment: HostEnvironment) -> Path | None:
        """The file of settings that enables our plugin; None if there is none."""
        return next((file for file in self.deciding_files(environment) if _enables_plugin(file)), None)

    def waits_for(self, scope: Scope, environment: HostEnvironment) -> str:
        return says_off(self.title, self.deciding_files(environment), "disableAllHooks", off=True)

    def deciding_files(self, environment: HostEnvironment) -> list[Path]:
        user, project = self.folder("user", environment), self.folder("project", environment)
        return [user / "settings.json", project / "settings.json", project / "settings.local.json"]


def _enables_plugin(file: Path) -> bool:
    try:
        text = file.read_bytes()[:MAX_SETTINGS_BYTES].decode("utf-8-sig")
    except (OSError, ValueError):
        return False
    import json

    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        return False
    plugins = settings.get("enabledPlugins") if isinstance(settings, dict) else None
    return isinstance(plugins, dict) and any(
        name.partition("@")[0] == PLUGIN and enabled is True for name, enabled in plugins.items()
    )
