"""A test machine for the installation of hooks into hosts: a home folder, and a project with one memory."""

import json
import subprocess
from pathlib import Path
from typing import Any

import command_process
from command_process import Ran
from scratch_home import kept_variables, make_config

PROMPT = "why is the auth token expired on login?"
LINE = "- [DECISION] Use JWT auth token -> .claude/memory/decisions/jwt.json #tags:auth"
HEADER = '<memory-context source=".claude/memory/" more="cuecard show ID|SLUG">'
BLOCK = f"{HEADER}\n- [DECISION] Use JWT auth token (2020-01-01) -> jwt\n</memory-context>"
RECORD = {"title": "Use JWT auth token", "category": "decision", "tags": ["auth"], "updated_at": "2020-01-01"}


class Machine:
    """A home folder and a project with one memory; both have blanks and quotes in their paths."""

    def __init__(self, folder: Path) -> None:
        """Create the home folder and the project below `folder`."""
        self.home = folder / "the user's home"
        self.project = folder / "a project"
        decisions = self.project / ".claude" / "memory" / "decisions"
        decisions.mkdir(parents=True)
        self.home.mkdir()
        make_config(self.home / ".config")
        (decisions / "jwt.json").write_text(json.dumps(RECORD))
        (decisions.parent / "index.md").write_text(f"# Memory Index\n\n{LINE}\n")

    def run(self, *arguments: str) -> Ran:
        return command_process.run(self.home, self.project, *arguments, **self.variables)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of a process on this machine, besides the variables that all tests keep."""
        return {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config")}

    def document(self, *arguments: str) -> Any:  # noqa: ANN401
        ran = self.run(*arguments, "--json")
        assert (ran.code, ran.stderr) == (0, "")
        return ran.document

    def ask(self, command: list[str], payload: dict[str, object]) -> str:
        """Run an installed command in the way in which its host runs it, and return its output."""
        ran = subprocess.run(
            command,
            input=json.dumps(payload).encode(),
            cwd=self.home,
            env=kept_variables() | self.variables | {"CUECARD_LOG": "off"},
            capture_output=True,
            timeout=60,
            check=True,
        )
        assert ran.stderr == b""
        return ran.stdout.decode()
