"""A clone of this repository without an installation, a project with memories, and a folder for PATH."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from scratch_home import kept_variables

REPOSITORY = Path(__file__).resolve().parents[2]
PROMPT = "how do we renew the TLS certificate?"
LINE = "- [RUNBOOK] Renew the TLS certificate -> .claude/memory/runbooks/tls.json #tags:certificate,tls\n"
HEADER = '<memory-context source=".claude/memory/" more="cuecard show ID|SLUG">'
BLOCK = f"{HEADER}\n- [RUNBOOK] Renew the TLS certificate -> tls\n</memory-context>"
BLOCK_OF_FILE = f"{HEADER}\n- [CONSTRAINT] Nothing is written twice -> once\n</memory-context>"
SHELL = shutil.which("sh") or "/bin/sh"


class Launcher:
    """A clone without an installation, a project with memories, and a folder for PATH."""

    def __init__(self, folder: Path) -> None:
        """Create the clone, the project and the PATH folder below `folder`; their paths contain blanks."""
        self.clone = folder / "a clone"
        shutil.copytree(REPOSITORY / "hooks", self.clone / "hooks")
        ignored = shutil.ignore_patterns("__pycache__", "_native*")
        shutil.copytree(REPOSITORY / "python", self.clone / "python", ignore=ignored)
        self.script = self.clone / "hooks" / "cuecard-hook.sh"
        self.project = folder / "a project"
        memory = self.project / ".claude" / "memory"
        (memory / "runbooks").mkdir(parents=True)
        record = {
            "category": "runbook",
            "id": "tls",
            "title": "Renew the TLS certificate",
            "record_status": "active",
            "tags": ["certificate", "tls"],
        }
        (memory / "runbooks" / "tls.json").write_text(json.dumps(record), encoding="utf-8")
        (memory / "index.md").write_text(LINE, encoding="utf-8")
        self.home = folder / "a home"
        self.home.mkdir()
        self.bin = folder / "a bin"
        self.bin.mkdir()
        for tool in ("dirname", "readlink", "sh"):
            self.put(tool, Path(shutil.which(tool) or f"/usr/bin/{tool}"))

    def put(self, name: str, target: Path) -> None:
        """Link a program into the PATH folder under a name."""
        (self.bin / name).symlink_to(target)

    def write(self, name: str, text: str) -> None:
        """Write an executable script into the PATH folder."""
        (self.bin / name).write_text(text, encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def payload(self, **fields: str) -> bytes:
        """The event that the client sends for a prompt, as bytes."""
        return json.dumps({"prompt": PROMPT, "cwd": str(self.project), **fields}).encode()

    def run(
        self, payload: bytes | None = None, *, script: Path | None = None, before: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the launcher in the way in which `hooks.json` runs it; `before` is a command that starts the launcher."""
        return subprocess.run(
            [*before, SHELL, str(script or self.script), "prompt", "--host", "claude-code"],
            input=self.payload() if payload is None else payload,
            env=kept_variables() | {"PATH": str(self.bin), "HOME": str(self.home)},
            cwd=self.project,
            capture_output=True,
            timeout=60,
            check=False,
        )

    def anchor(self, path: str) -> None:
        """Write a constraint that is anchored to a file of the project."""
        folder = self.project / ".claude" / "memory" / "constraints"
        folder.mkdir()
        record = {"category": "constraint", "title": "Nothing is written twice", "tags": [], "related_files": [path]}
        (folder / "once.json").write_text(json.dumps(record), encoding="utf-8")

    def handle(self, event: str, verb: str, payload: object) -> Any:  # noqa: ANN401 - JSON
        """The answer of the handler `verb` that `hooks.json` has for an event; None if the handler prints nothing."""
        [handler] = [handler for handler in handlers(event) if verb_of(handler) == verb]
        ran = subprocess.run(
            [SHELL, "-c", handler["command"]],
            input=json.dumps(payload).encode(),
            env=kept_variables()
            | {"PATH": str(self.bin), "HOME": str(self.home), "CLAUDE_PLUGIN_ROOT": str(self.clone)},
            cwd=self.project,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
        return json.loads(ran.stdout) if ran.stdout else None


def read_manifest(path: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads((REPOSITORY / path).read_text("utf-8"))


def handlers(event: str = "") -> list[Any]:
    """The handlers of `hooks.json`: those of an event, or all."""
    events = read_manifest("hooks/hooks.json")["hooks"]
    return [handler for name in events for group in events[name] for handler in group["hooks"] if event in ("", name)]


def verb_of(handler: Any) -> str:  # noqa: ANN401 - JSON
    """What a handler asks the hook to do: the word behind the launcher."""
    launcher, verb = shlex.split(handler["command"])[1:3]
    assert launcher == "${CLAUDE_PLUGIN_ROOT}/hooks/cuecard-hook.sh"
    return str(verb)


def interpreter() -> Path:
    """The path of this Python outside of its virtual environment."""
    return Path(os.path.realpath(sys.executable))
