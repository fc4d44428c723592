"""Gemini CLI: hooks in settings.json with comments, timeouts in ms (reference: host protocols, section 3).

Measured in 0.61.0: the hook's output follows the prompt in `<hook_context>`, with angle brackets as entities. Gemini
sends `PreCompress` at every turn and no event after a compression. So no hook is registered for compressions: the
transcript shows what was compressed (SPEC 30.4), also to a stop (SPEC 30.5).
"""

from pathlib import Path

from ..foreign_settings import read_json_file, says_off
from ..hook_entries import HookEntries, HookEntry
from ..host_environment import HostEnvironment, Scope
from ..host_file import SettingsHost
from ..shells import join

MILLISECONDS = 5000
# The tools that change files or run commands, and those that touch a file too. Gemini CLI takes a refusal before a
# tool, and a context only after it, with its result (measured in 0.61.0).
WRITING_TOOLS = "^(write_file|replace|run_shell_command)$"
ACTING_TOOLS = "^(read_file|write_file|replace|run_shell_command)$"
# The stop hook reads a transcript and writes files; no prompt waits for it, so it gets more time.
STOP_MILLISECONDS = 10_000


def _is_trusted(rules: dict[str, object], folder: Path) -> bool:
    """Whether a folder is trusted. The longest of the rules for it and its parents decides (Gemini CLI 0.61.0)."""
    real, best, longest = folder.resolve(), "", -1
    for name, level in rules.items():
        place = (Path(name).parent if level == "TRUST_PARENT" else Path(name)).resolve()
        if real.is_relative_to(place) and len(name) > longest:
            best, longest = str(level), len(name)
    return best in ("TRUST_FOLDER", "TRUST_PARENT")


class Gemini(SettingsHost):
    """Gemini CLI."""

    name, title = "gemini", "Gemini CLI"
    programs = ("gemini",)
    shape = HookEntries(is_grouped=True)

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return (environment.folder("GEMINI_CLI_HOME") if scope == "user" else environment.project) / ".gemini"

    def waits_for(self, scope: Scope, environment: HostEnvironment) -> str:
        files = [self.file(each, environment) for each in ("user", "project")]
        return says_off(self.title, files, "hooksConfig.enabled", off=False) or self._wants_trust(scope, environment)

    def _wants_trust(self, scope: Scope, environment: HostEnvironment) -> str:
        if scope != "project" or environment.variables.get("GEMINI_CLI_TRUST_WORKSPACE", "").lower() == "true":
            return ""
        security = read_json_file(self.file("user", environment)).get("security")
        trust = security.get("folderTrust") if isinstance(security, dict) else None
        if isinstance(trust, dict) and trust.get("enabled") is False:
            return ""
        rules = read_json_file(self._trust_file(environment))
        return (
            "" if _is_trusted(rules, environment.project) else "Gemini CLI ignores it until you trust this folder there"
        )

    def deciding_files(self, environment: HostEnvironment) -> list[Path]:
        return [self.file("user", environment), self._trust_file(environment)]

    def _trust_file(self, environment: HostEnvironment) -> Path:
        named = environment.variables.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH", "").strip()
        return Path(named) if named else self.folder("user", environment) / "trustedFolders.json"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "settings.json"

    def entries(self, hook: list[str], environment: HostEnvironment) -> list[HookEntry]:
        def handler(event: str, milliseconds: int) -> dict[str, object]:
            command = join([*hook, event, "--host", self.name], "powershell" if environment.is_windows else "posix")
            return {"type": "command", "name": "cuecard", "command": command, "timeout": milliseconds}

        return [
            HookEntry("BeforeAgent", handler("prompt", MILLISECONDS)),
            HookEntry("BeforeTool", handler("guard", MILLISECONDS), {"matcher": WRITING_TOOLS}),
            HookEntry("AfterTool", handler("tool-context", MILLISECONDS), {"matcher": ACTING_TOOLS}),
            HookEntry("AfterTool", handler("validate", MILLISECONDS), {"matcher": WRITING_TOOLS}),
            HookEntry("AfterAgent", handler("stop", STOP_MILLISECONDS)),
            HookEntry("SessionEnd", handler("session", MILLISECONDS)),
        ]
