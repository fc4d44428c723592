"""Kimi Code: hooks in config.toml, a command line, timeouts in seconds (measured in 2.1.0).

The prompt in the event is a list of parts. What the hook of a prompt prints follows the prompt in `<hook_result>`. What
a hook prints after a tool does not reach the model. A stop is held up by a refusal, once in a turn. No event names the
transcript, which lies in a folder with the id of the session (`hosts.txt`).
"""

from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from ..shells import join
from ..toml_hooks import TomlHost

SECONDS = 5
# The stop hook reads a transcript and writes files; no prompt waits for it, so it gets more time.
STOP_SECONDS = 10
WRITING_TOOLS = "^(Write|Edit|Bash)$"


class KimiCode(TomlHost):
    """Kimi Code."""

    name, title = "kimi", "Kimi Code"
    programs = ("kimi",)
    scopes: tuple[Scope, ...] = ("user",)

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.home / ".kimi-code"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "config.toml"

    def tables(self, hook: list[str], environment: HostEnvironment) -> list[dict[str, object]]:
        def table(event: str, verb: str, **more: object) -> dict[str, object]:
            command = join([*hook, verb, "--host", self.name], "cmd" if environment.is_windows else "posix")
            return {"event": event, "command": command, "timeout": STOP_SECONDS if verb == "stop" else SECONDS, **more}

        return [
            table("UserPromptSubmit", "prompt"),
            table("PreCompact", "session"),
            table("PreToolUse", "guard", matcher=WRITING_TOOLS),
            table("PostToolUse", "validate", matcher=WRITING_TOOLS),
            table("Stop", "stop"),
            table("SessionEnd", "session"),
        ]
