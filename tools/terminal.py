"""Runs a command on a terminal of a given size, as a user without any settings."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def environment(home: Path) -> dict[str, str]:
    """The environment variables of a user without settings, with the programs of this environment first on PATH."""
    beside = str(Path(sys.executable).parent)
    return {
        "PATH": os.pathsep.join([beside, os.environ.get("PATH", "")]),
        "HOME": str(home),
        "CUECARD_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        **{name: os.environ[name] for name in ("CUECARD_BACKEND", "PYTHONPATH") if name in os.environ},
    }


def run_in_terminal(line: str, folder: Path, home: Path, size: tuple[int, int]) -> tuple[str, int]:
    """The output of a command on a terminal of `size` (rows, columns), and its exit status.

    The command's stdin is empty, so it gets no answer to questions.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    with subprocess.Popen(
        ["/bin/sh", "-c", line],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=environment(home),
    ) as process:
        os.close(theirs)
        printed = bytearray()
        # Linux reports the end of the output as an error, other systems as empty data.
        with contextlib.suppress(OSError):
            while data := os.read(ours, 65536):
                printed += data
    os.close(ours)
    return without_home(printed.decode().replace("\r\n", "\n"), home), process.returncode


def without_home(text: str, home: Path) -> str:
    """The text with `~` in place of the path of the home folder `home`.

    `/tmp` may be a link, so both paths of the folder are replaced: with the link, and with the link resolved.
    """
    return text.replace(str(home.resolve()), "~").replace(str(home), "~")
