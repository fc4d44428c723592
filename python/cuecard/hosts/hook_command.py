"""The command that a host runs: finds the best hook of this installation, and recognises our commands in files."""

import os
import sys
from pathlib import Path

from ..basics.version import __version__
from ..errors import HostFileError

NAME = "cuecard-hook"
MODULE = "cuecard.hook"
VERBS = ("prompt", "guard", "validate", "session", "tool-context", "need", "stop", "approve", "permit", "background")
SECONDS = 20


def find_hook() -> list[str]:
    """The command that starts the hook, as words: the native executable, else this Python, else the Python script.

    Raises HostFileError if no hook reports this package's version.
    """
    programs = [[program] for program in _programs()]
    for program in programs:
        if _tell_version(program) == "native":
            return program
    # `-I` prevents imports from the folder in which the host runs.
    candidates = [python_hook(), *programs]
    for candidate in candidates:
        if _tell_version(candidate):
            return candidate
    raise HostFileError(
        "there is no hook to install: neither `cuecard-hook` nor this Python runs this version", "run `cuecard doctor`"
    )


def python_hook() -> list[str]:
    """The command that starts the hook in this Python, as words. It also has the verbs that the executable lacks."""
    return [sys.executable, "-I", "-m", MODULE]


def _programs() -> list[str]:
    """The files of the executable in this installation."""
    import sysconfig

    suffix = ".exe" if os.name == "nt" else ""
    folders = dict.fromkeys([sysconfig.get_path("scripts"), str(Path(sys.executable).parent)])
    return [str(file) for folder in folders if (file := Path(folder, NAME + suffix)).is_file()]


def _tell_version(command: list[str]) -> str:
    """Run `command`, a hook, and return the backend that it reports; "" if it fails or is of another version."""
    import subprocess

    try:
        ran = subprocess.run(
            [*command, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    words = ran.stdout.decode("utf-8", "replace").split()
    return words[2].strip("()") if words[:2] == [NAME, __version__] and len(words) == 3 else ""


def is_ours(words: list[str]) -> bool:
    """Whether a command was written by `cuecard install`, in this installation or another."""
    if words and words[0].replace("\\", "/").rpartition("/")[2] in (NAME, f"{NAME}.exe"):
        return words[1:2] != [] and words[1] in VERBS
    return len(words) > 4 and words[1:4] == ["-I", "-m", MODULE] and words[4] in VERBS


def is_of_this_installation(words: list[str]) -> bool:
    """Whether a command starts the executable or the Python of this installation, and nothing that a file chose."""
    if not words or not Path(words[0]).is_absolute():
        return False
    if words[:4] == python_hook():
        return True
    return any(Path(words[0]).resolve() == Path(program).resolve() for program in _programs())


def problem_of(words: list[str]) -> str:
    """Why a command of ours cannot run; "" if its program exists and is executable."""
    program = Path(words[0])
    if not program.is_file():
        return f"`{program}` is gone"
    return "" if os.access(program, os.X_OK) else f"`{program}` cannot be run"
