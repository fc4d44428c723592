"""Reads texts from a file or from standard input instead of the command line.

A program that passes on another person's text must not put it into a shell command, because the shell would run
backticks and `$(...)` in the text.
"""

import sys

from ..errors import InputError, UsageError
from . import terminal

MAX_BYTES = 1 << 20


def read_argument(given: str | None, file: str | None, name: str) -> str:
    """The text of an argument or of a file; `-` for either is standard input. Raises UsageError if both are given.

    `name` is the text's name with its article, for messages.
    """
    if given is not None and file is not None:
        raise UsageError(f"there is {name} on the command line and in `--file`", "give one of the two")
    if given == "-" or file == "-":
        if terminal.is_person_typing():
            raise UsageError("there is nothing to read on standard input", f"pipe {name} in")
        return _decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    if file is not None:
        return _read_file(file)
    if given is None:
        raise UsageError(f"there is no {name.split()[-1]}", f"give {name}, `--file FILE`, or `-` for standard input")
    return given


def read_reason(given: str, file: str | None) -> str:
    """The reason, from the value of an option or from a file. Raises UsageError if both are given."""
    if file is None:
        return given
    if given:
        raise UsageError("there is a reason in `--reason` and in `--reason-file`", "give one of the two")
    return read_argument(None, file, "a reason").strip()


def read_json_input(file: str, limit: int, what: str, hint: str, option: str = "--file") -> bytes:
    """The bytes of a file, or of standard input for `-`: at most `limit` + 1, so that too long input is noticed.

    `what` completes the message "there ... to read", for example `is no JSON`. Raises UsageError with this message if
    standard input is a terminal, and InputError with `hint` if the file cannot be read.
    """
    if file == "-":
        if terminal.is_person_typing():
            raise UsageError(f"there {what} to read", f"name a file with `{option}`, or pipe the JSON in")
        return sys.stdin.buffer.read(limit + 1)
    try:
        # Without `pathlib`, which takes time to load.
        with open(file, "rb") as stream:  # noqa: PTH123
            return stream.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"`{file}` cannot be read: {reason}", hint, field="file", expected="a file", found=reason
        ) from None


def _read_file(file: str) -> str:
    try:
        # Without `pathlib`, which every command that reads a prompt would load.
        with open(file, "rb") as stream:  # noqa: PTH123
            return _decode(stream.read(MAX_BYTES + 1), f"`{file}`")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"`{file}` cannot be read: {reason}", "name a file with the text") from None


def _decode(data: bytes, source: str) -> str:
    if len(data) > MAX_BYTES:
        raise UsageError(f"{source} has more than 1 MiB", "give a shorter text")
    return data.decode("utf-8", "replace").removesuffix("\n")
