"""Runs the `cuecard` command in a clean environment: inside the test's process, or as a separate process.

Both ways give the same output and files, and the first way takes a tenth of the time. Only tests of Python's start, of
the other backend, of a terminal or of signals need a separate process.
"""

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cuecard import Store, cli
from scratch_home import kept_variables

READ_AT_START = ("CUECARD_BACKEND", "PYTHON", "LC_", "LANG")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Ran:
    """The exit status and output of a run of the command."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:  # noqa: ANN401
        """The JSON document on stdout."""
        return json.loads(self.stdout)


def run(home: Path, cwd: Path, *arguments: "str | bytes | Path", stdin: "str | bytes" = "", **variables: str) -> Ran:
    """Run the command without a terminal.

    It runs in this process, unless `environment` has a variable that is read when Python or cuecard starts.
    """
    if any(name.startswith(READ_AT_START) for name in variables):
        return run_process(home, cwd, *arguments, stdin=stdin, **variables)
    sent = stdin.encode() if isinstance(stdin, str) else stdin
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (sent, b"", b"")]
    given = environment(home) | variables
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - given:
            patch.delenv(name)
        for name, value in given.items():
            patch.setenv(name, value)
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["cuecard", *map(os.fsdecode, arguments)])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            code = cli.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
    stdout, stderr = (stream.buffer.getvalue().decode() for stream in streams[1:])
    return Ran(code, stdout, stderr)


def run_process(
    home: Path, cwd: Path, *arguments: "str | bytes | Path", stdin: "str | bytes" = "", **variables: str
) -> Ran:
    """Run the command as a separate process, with pipes."""
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


def run_on_terminal(home: Path, cwd: Path, *arguments: str, columns: int = 80, typed: str = "") -> Ran:
    """Run the command with a terminal as stdin, stdout and stderr.

    `stdout` of the result is what the terminal shows, without colours. The text `typed` is already waiting as input
    when the command starts.
    """
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
    os.write(terminal, typed.encode())
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
    """Run the command in a store's project. `send` is the input on stdin: a text, or a document to be sent as JSON."""
    root = Path(store.root)
    sent = send if isinstance(send, (str, bytes)) else json.dumps(send) if send is not None else ""
    return run(root.parent, root, *arguments, stdin=sent, **variables)


def error_of(ran: Ran) -> dict[str, str]:
    """The error document of a run with `--json`; asserts that its message is also on stderr."""
    found: dict[str, str] = ran.document["error"]
    assert set(found) >= {"code", "what", "field", "expected", "found", "fix"}
    assert ran.stderr.startswith(f"error: {found['what']}\n"[:70])
    return found
