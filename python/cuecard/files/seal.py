"""The seal: the list of derived files that this user's cuecard has written (SPEC 43.4).

A repository can contain other derived files, which must not be read. The seal is a file in the user's data folder. Each
line identifies one written file: `NAME INODE SIZE MODIFIED CHANGED`, both times in nanoseconds. A file with another
identity is ignored and made again. Several lines of a name are kept, because two processes may write at the same time,
and a process may be killed before it has finished.
"""

import os

from .folder import PRIVATE_FILE
from .user_folder import keeps_data, open_store_folder, read_kept

FILE = "seal"
MAX_BYTES = 1 << 16
# The most lines of a seal, which is more than a store has derived files. Older lines are removed.
MAX_LINES = 64
# The number of older lines of a name that are kept next to a new line.
LINES_BEFORE = 3
# The change time in the line of a file that was about to be renamed.
UNKNOWN = 0
# In nanoseconds: files that were written further apart are not from processes at the same work.
APART = 2_000_000_000

Identity = tuple[int, int, int, int]
SealLine = tuple[str, Identity]


def read_seal(memory_dir: str) -> "Seal":
    """The seal of a store. If the user has no data folder to write to, the seal accepts every file."""
    data = read_kept(memory_dir, FILE, limit=MAX_BYTES)
    if data is None and not keeps_data():
        return Seal(None)
    return Seal(_lines_of(data or b""))


def update_seal(memory_dir: str, written: "dict[str, os.stat_result | None]") -> None:
    """Add files that were just written. `written` maps their names to their status; None means a removed file.

    An error while writing the seal is ignored: then the files are made again at the next use.
    """
    _write(memory_dir, {name: status and identity_of(status) for name, status in written.items()})


def announce(memory_dir: str, name: str, status: os.stat_result) -> None:
    """Add a file to the seal before the file is renamed to its final name.

    So the file is accepted even if this process is killed after the rename. The rename sets a new change time, which is
    not known yet and is written as `UNKNOWN`.
    """
    inode, size, modified, _changed = identity_of(status)
    _write(memory_dir, {name: (inode, size, modified, UNKNOWN)})


class Seal:
    """The identities of the derived files that this user's cuecard has written to a store."""

    def __init__(self, lines: "list[SealLine] | None") -> None:
        """`lines` are the lines of the seal. With None the seal accepts every file."""
        self._lines = lines

    def is_of_others(self, name: str, status: os.stat_result) -> bool:
        """Whether somebody else has replaced a file that this user's cuecard had written.

        Processes of this user that write at the same time can leave a file out of the seal, so a file from about the
        time of a line is not somebody else's.
        """
        written = [identity[2] for known, identity in self._lines or () if known == name]
        is_apart = all(abs(status.st_mtime_ns - modified) > APART for modified in written)
        return bool(written) and is_apart and not self.holds(name, status)

    def holds(self, name: str, status: os.stat_result) -> bool:
        """Whether the file with this name and status was written by this user's cuecard."""
        if self._lines is None:
            return True
        identity = identity_of(status)
        return any(
            known == name and (other == identity or other == (*identity[:3], UNKNOWN)) for known, other in self._lines
        )


def _write(memory_dir: str, written: "dict[str, Identity | None]") -> None:
    folder = open_store_folder(memory_dir, make=True)
    if folder is None:
        return
    with folder:
        lines = _lines_of(folder.read_if_any(FILE, MAX_BYTES) or b"")
        for name, identity in written.items():
            lines = _note(lines, name, identity)
        text = "".join([f"{name} {' '.join(map(str, identity))}\n" for name, identity in lines[-MAX_LINES:]])
        try:
            folder.replace(FILE, text.encode(), mode=PRIVATE_FILE, durable=False)
        except OSError:
            return


def _note(lines: "list[SealLine]", name: str, identity: "Identity | None") -> "list[SealLine]":
    """The lines with a new line for a file at the end, after the last `LINES_BEFORE` lines of the same name.

    The older lines are needed if another process replaces this file, or if this process is killed before the rename.
    An identity of None removes all lines of the name.
    """
    others = [line for line in lines if line[0] != name]
    if identity is None:
        return others
    own = [line for line in lines if line[0] == name and line[1][0] != identity[0]]
    return [*others, *own[-LINES_BEFORE:], (name, identity)]


def identity_of(status: os.stat_result) -> Identity:
    """Inode, size, modification time and change time. A file that replaces this file has another identity."""
    # On Windows `st_ctime_ns` is the time of creation.
    changed = 0 if os.name == "nt" else status.st_ctime_ns
    return status.st_ino, status.st_size, status.st_mtime_ns, changed


def _lines_of(data: bytes) -> "list[SealLine]":
    lines: list[SealLine] = []
    for line in data.decode("utf-8", "replace").split("\n"):
        name, *numbers = line.split(" ")
        # A file with a date before 1970 has a negative time.
        if len(numbers) == 4 and all(number.removeprefix("-").isdecimal() and number.isascii() for number in numbers):
            inode, size, modified, changed = [int(number[:20]) for number in numbers]
            lines.append((name, (inode, size, modified, changed)))
    return lines
