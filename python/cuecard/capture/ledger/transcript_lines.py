"""Reads the new lines of a transcript (docs/reference/ledger.md)."""

import os
import stat
from dataclasses import dataclass
from io import FileIO

from ...basics.chars import is_path, scrub
from .ledger_lines import Ledger

# Several prompts with pictures may be new at once.
MAX_NEW_BYTES = 32 << 20


@dataclass(frozen=True)
class NewLines:
    """The new lines of a transcript, and their positions."""

    lines: list[tuple[int, bytes]]
    """Each line with its position."""
    base: int
    """The number that is added to a byte offset in the transcript to get a position."""
    start: int
    """The position up to which earlier events have read the transcript."""
    end: int
    """The position behind the last line."""
    is_restart: bool
    """Whether the transcript is read from its start because it is another file or has become shorter."""

    @property
    def place(self) -> dict[str, int]:
        """The fields `base`, `from` and `to` of a ledger line, which say where the lines are in the transcript."""
        return {"base": self.base, "from": self.start, "to": self.end}


def read_new_lines(path: str, name: str, ledger: Ledger) -> NewLines:
    """Read the lines of a transcript behind the position of `ledger`. `name` is its file name. Raises OSError."""
    is_other = ledger.transcript not in ("", name)
    before = 0 if is_other else max(0, ledger.position - ledger.base)
    begin, data = _read_whole_lines(path, before)
    return _place(data, begin, ledger, is_restart=is_other or begin < before)


def take_new_lines(text: str, start: int, name: str, ledger: Ledger) -> NewLines:
    """Take the lines that an event carries, without lines that the ledger already has. `start` is the byte of the
    transcript at which `text` begins."""
    is_other = ledger.transcript not in ("", name)
    before = 0 if is_other else max(0, ledger.position - ledger.base)
    data = text[: text.rfind("\n") + 1].encode("utf-8", "replace")
    known = min(max(0, before - start), len(data))
    return _place(data[known:], start + known, ledger, is_restart=is_other)


def _place(data: bytes, begin: int, ledger: Ledger, *, is_restart: bool) -> NewLines:
    """The lines of `data`, each with its position. `data` has only complete lines and begins at the byte `begin`.

    With `is_restart` the transcript is read from its start, and its positions continue after the position of `ledger`.
    """
    base = ledger.position if is_restart else ledger.base
    at = begin + base
    end = ledger.position if not data and at < ledger.position else at + len(data)
    lines = []
    for line in data.split(b"\n"):
        if line:
            lines.append((at, line))
        at += len(line) + 1
    return NewLines(lines, base, ledger.position, end, is_restart)


def open_transcript(path: str) -> FileIO:
    """Open a transcript, without waiting for a pipe. Raises OSError, also if it is not a regular file."""
    if not is_path(path):
        raise OSError(22, "is no path", scrub(path))
    file = FileIO(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(22, "is not a regular file", path)
    return file


def _read_whole_lines(path: str, before: int) -> tuple[int, bytes]:
    """Return the byte where the new lines begin, and the complete new lines.

    If the file has fewer than `before` bytes, it is read from its start.
    """
    with open_transcript(path) as file:
        size = os.fstat(file.fileno()).st_size
        begin = 0 if size < before else before
        start = max(begin, size - MAX_NEW_BYTES)
        file.seek(start)
        data = b""
        while len(data) < MAX_NEW_BYTES and (chunk := file.read(MAX_NEW_BYTES - len(data))):
            data += chunk
    if start > begin:
        _, _, rest = data.partition(b"\n")
        start += len(data) - len(rest)
        data = rest
    return start, data[: data.rfind(b"\n") + 1]
