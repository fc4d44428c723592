"""Converts between lists of words and the command lines of shells."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Shell = Literal["posix", "powershell", "cmd"]
else:
    # `typing` takes 2 ms to load.
    Shell = str

_POWERSHELL_WORD = r"'((?:[^']|'')*)'|\"([^\"]*)\"|(\S+)"


def join(words: list[str], shell: Shell) -> str:
    """The command line that runs a program with its arguments."""
    if shell == "posix":
        import shlex

        return shlex.join(words)
    if shell == "cmd":
        # `subprocess` takes 4 ms to load, and only Windows needs it here.
        import subprocess

        return subprocess.list2cmdline(words)
    # `&` in front of a quoted name tells PowerShell to run it.
    return "& " + " ".join([f"'{word.replace(chr(39), chr(39) * 2)}'" for word in words])


def split(line: str) -> list[str]:
    """The words of a command line of any of the shells; empty if its quotes are not closed."""
    if line.startswith("& ") or "\\" in line:
        import re

        found = re.findall(_POWERSHELL_WORD, line.removeprefix("& "))
        return [single.replace("''", "'") or double or bare for single, double, bare in found]
    import shlex

    try:
        return shlex.split(line)
    except ValueError:
        return []
