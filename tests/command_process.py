"""The `cuecard` command as a process of its own, in an environment that nobody has touched."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cuecard.store.store import Store
from scratch_home import kept_variables

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Ran:
    """What a run of the command left behind."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:  # noqa: ANN401
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.stdout)


def run(home: Path, cwd: Path, *arguments: "str | bytes | Path", stdin: "str | bytes" = "", **variables: str) -> Ran:
    """Run it with pipes."""
    ran = subprocess.run(
        [sys.executable, "-m", "cuecard.cli", *arguments],
        cwd=cwd,
        env=environment(home) | variables,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def run_on_terminal(home: Path, cwd: Path, *arguments: str, columns: int = 80) -> Ran:
    """Run it with a terminal on all three streams; what it shows is standard output, without colours."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    terminal, process_end = pty.openpty()
    fcntl.ioctl(process_end, termios.TIOCSWINSZ, (40).to_bytes(2, sys.byteorder) + columns.to_bytes(2, sys.byteorder))
    process = subprocess.Popen(
        [sys.executable, "-m", "cuecard.cli", *arguments],
        cwd=cwd,
        env=environment(home) | {"TERM": "xterm-256color"},
        stdin=process_end,
        stdout=process_end,
        stderr=process_end,
        close_fds=True,
    )
    os.close(process_end)
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    os.close(terminal)
    code = process.wait(timeout=60)
    return Ran(code, _ESCAPES.sub("", shown.decode()).replace("\r\n", "\n"), "")


def environment(home: Path) -> dict[str, str]:
    return kept_variables() | {"HOME": str(home), "PYTHONIOENCODING": "utf-8"}


def run_in(store: Store, *arguments: "str | bytes | Path", send: object = None, **variables: str) -> Ran:
    """Run it with pipes in a store's project, with a document, or a text as it is, on its standard input."""
    root = Path(store.root)
    sent = send if isinstance(send, (str, bytes)) else json.dumps(send) if send is not None else ""
    return run(root.parent, root, *arguments, stdin=sent, **variables)


def error_of(ran: Ran) -> dict[str, str]:
    """The error of a run with `--json`, which must also stand on standard error."""
    found: dict[str, str] = ran.document["error"]
    assert set(found) >= {"code", "what", "field", "expected", "found", "fix"}
    assert ran.stderr.startswith(f"error: {found['what']}\n"[:70])
    return found
