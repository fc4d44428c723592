"""Command lines as shells read them: words to a line, and back."""

import re
import shlex
import subprocess
from typing import Literal

Shell = Literal["posix", "powershell", "cmd"]

_POWERSHELL_WORD = re.compile(r"'((?:[^']|'')*)'|\"([^\"]*)\"|(\S+)")


def join(words: list[str], shell: Shell) -> str:
    """The line that runs a program with those arguments."""
    if shell == "posix":
        return shlex.join(words)
    if shell == "cmd":
        return subprocess.list2cmdline(words)
    # In front of a quoted name `&` says that it is to be run.
    return "& " + " ".join([f"'{word.replace(chr(39), chr(39) * 2)}'" for word in words])


def split(line: str) -> list[str]:
    """The words of a line in any of the shells; none where its quotes do not close."""
    if line.startswith("& ") or "\\" in line:
        found = _POWERSHELL_WORD.findall(line.removeprefix("& "))
        return [single.replace("''", "'") or double or bare for single, double, bare in found]
    try:
        return shlex.split(line)
    except ValueError:
        return []
