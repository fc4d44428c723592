"""Mistral Vibe: hooks in hooks.toml, a command line, timeouts in seconds (the text about hooks in Vibe 3.0.2 itself).

Vibe has hooks before a tool, after it and at the end of a turn, and none for a prompt. It warns about an answer in
another form than its own.
"""

from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from ..shells import join
from ..toml_hooks import TomlHost

SECONDS = 5.0
WRITING_TOOLS = "re:(bash|write_file|edit)"
ACTING_TOOLS = "re:(bash|read_file|write_file|edit)"


class Vibe(TomlHost):
    """Mistral Vibe."""

    name, title = "vibe", "Mistral Vibe"
    programs = ("vibe",)

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.folder("VIBE_HOME", ".vibe") if scope == "user" else environment.project / ".vibe"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "hooks.toml"

    def tables(self, hook: list[str], environment: HostEnvironment) -> list[dict[str, object]]:
        def table(kind: str, verb: str, match: str) -> dict[str, object]:
            command = join([*hook, verb, "--host", self.name], "cmd" if environment.is_windows else "posix")
            return {"name": f"cuecard-{verb}", "type": kind, "match": match, "command": command, "timeout": SECONDS}

        return [
            table("pre_tool", "guard", WRITING_TOOLS),
            table("post_tool", "tool-context", ACTING_TOOLS),
        ]
