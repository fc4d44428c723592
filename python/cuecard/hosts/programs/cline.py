"""Cline: our hook is a program whose file is named after the event (reference: host protocols, section 3).

Cline needs an answer to every prompt. If the hook prints nothing, the program prints `{"cancel":false}`.
"""

from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from ..host_file import OwnFileHost
from ..shells import join

_CALL = "answer=$("


class Cline(OwnFileHost):
    """Cline."""

    name, title = "cline", "Cline"
    programs = ("cline",)
    promises = (
        "switch hooks on in Cline's settings; Cline in VS Code gives the memories to the model, its command line does "
        "not",
    )
    scopes: tuple[Scope, ...] = ("project", "user")
    is_program = True
    mark = "# Written by `cuecard install cline`, taken away by `cuecard uninstall cline`."

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.home / "Documents" / "Cline" if scope == "user" else environment.project / ".clinerules"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        folder = self.folder(scope, environment)
        return folder / "Hooks" / "UserPromptSubmit" if scope == "user" else folder / "hooks" / "UserPromptSubmit"

    def is_there(self, environment: HostEnvironment) -> bool:
        extensions = environment.home / ".vscode" / "extensions"
        return super().is_there(environment) or any(extensions.glob("saoudrizwan.claude-dev-*"))

    def content(self, hook: list[str], environment: HostEnvironment) -> str:
        call = join([*hook, "prompt", "--host", self.name], "posix")
        lines = [
            "#!/bin/sh",
            self.mark,
            f"{_CALL}{call})",
            """[ -n "$answer" ] || answer='{"cancel":false}'""",
            """printf '%s\\n' "$answer\"""",
        ]
        return "\n".join(lines) + "\n"

    def words(self, text: str) -> list[str]:
        import shlex

        for line in text.splitlines():
            if line.startswith(_CALL):
                try:
                    return shlex.split(line[len(_CALL) :].removesuffix(")"))
                except ValueError:
                    break
        return []
