"""GitHub Copilot CLI: our own hooks file with a command for each shell (reference: host protocols, section 3).

Copilot ignores the output of `userPromptSubmitted`. The output of `userPromptTransformed` may replace the text that
the model gets (measured in 1.0.102). Events whose names begin with a capital have the fields of Claude Code's events,
which the other hooks read. `SessionEnd` names no transcript. A hook that fails before a tool denies the tool, so such a
hook succeeds even where its program is gone.
"""

from pathlib import Path

from ..foreign_settings import read_json_file
from ..hook_entries import HookEntries, HookEntry
from ..host_environment import HostEnvironment, Scope
from ..host_file import SettingsHost
from ..shells import join

SECONDS = 5
# The stop hook reads a transcript and writes files; no prompt waits for it, so it gets more time.
STOP_SECONDS = 10


class Copilot(SettingsHost):
    """GitHub Copilot CLI."""

    name, title = "copilot", "GitHub Copilot CLI"
    programs = ("copilot",)
    promises = ("a message sent while the agent is at work gets no memories",)
    least_version = (1, 0, 80)
    shape = HookEntries(is_grouped=False, head={"version": 1}, command_fields=("bash", "powershell"))

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.folder("COPILOT_HOME", ".copilot") if scope == "user" else environment.project / ".github"

    def waits_for(self, scope: Scope, environment: HostEnvironment) -> str:
        if scope != "project":
            return ""
        settings = read_json_file(self.folder("user", environment) / "config.json")
        trusted: list[object] = []
        for key in ("trustedFolders", "trusted_folders"):
            listed = settings.get(key)
            trusted += listed if isinstance(listed, list) else []
        real = environment.project.resolve()
        if any(isinstance(name, str) and real.is_relative_to(Path(name).resolve()) for name in trusted):
            return ""
        return "Copilot CLI ignores it until you trust this folder there"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "hooks" / "cuecard.json"

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        def handler(event: str, seconds: int) -> dict[str, object]:
            words = [*hook, event, "--host", self.name]
            lines = {"bash": f"{join(words, 'posix')} || true", "powershell": f"{join(words, 'powershell')}; exit 0"}
            return {"type": "command", **lines, "timeoutSec": seconds}

        return [
            HookEntry("userPromptTransformed", handler("prompt", SECONDS)),
            HookEntry("PreCompact", handler("session", SECONDS)),
            HookEntry("PreToolUse", handler("guard", SECONDS)),
            HookEntry("PreToolUse", handler("tool-context", SECONDS)),
            HookEntry("PostToolUse", handler("tool-context", SECONDS)),
            HookEntry("PostToolUse", handler("validate", SECONDS)),
            HookEntry("Stop", handler("stop", STOP_SECONDS)),
            HookEntry("SessionEnd", handler("session", SECONDS)),
        ]
