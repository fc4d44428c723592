"""Which derived files this user's cuecard has written: a repository can bring others along (SPEC 50.4).

The seal is kept in the user's data folder. It has one line for each file, with what identifies the very file that was
written: `NAME INODE SIZE MODIFIED CHANGED`, both times in nanoseconds. A file with another identity is ignored and
made again. The last lines of a name stay: two processes may write at once, and one may be killed on the way.
"""

import os

from .folder import PRIVATE_FILE, Folder, Unread
from .user_folder import keeps_data, open_store_folder

FILE = "seal"
MAX_BYTES = 1 << 16
# More files than a store ever has; the oldest lines leave.
MAX_LINES = 64
# So many older lines of a name stay beside a new one.
LINES_BEFORE = 3
# In the place of the last time: the file was about to be renamed.
UNKNOWN = 0

Identity = tuple[int, int, int, int]
SealLine = tuple[str, Identity]


def read_seal(memory_dir: str) -> "Seal":
    """The seal of a store; where nothing can be kept for the user, one that holds for every file."""
    folder = open_store_folder(memory_dir)
    lines = None
    if folder:
        with folder:
            lines = _read_lines(folder)
    if lines is None and not keeps_data():
        return Seal(None)
    return Seal(lines or [])


def update_seal(memory_dir: str, written: "dict[str, os.stat_result | None]") -> None:
    """Note the files that were just written by their names and statuses; None for one that was removed.

    A seal that cannot be written is given up: the files are made again then.
    """
    _write(memory_dir, {name: status and identity_of(status) for name, status in written.items()})


def announce(memory_dir: str, name: str, status: os.stat_result) -> None:
    """Note a file that is about to be renamed to its name.

    It counts from then on even if this process is killed in between. Renaming changes the last of its times, which is
    unknown before.
    """
    inode, size, modified, _changed = identity_of(status)
    _write(memory_dir, {name: (inode, size, modified, UNKNOWN)})


class Seal:
    """The identities of the files that this user's cuecard has written to a store."""

    __slots__ = ("_lines",)

    def __init__(self, lines: "list[SealLine] | None") -> None:
        """Hold these lines; None for a seal that holds for every file."""
        self._lines = lines

    def holds(self, name: str, status: os.stat_result) -> bool:
        """Whether a file of that name and status is one that was written."""
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
        lines = _read_lines(folder) or []
        for name, identity in written.items():
            lines = _note(lines, name, identity)
        text = "".join([f"{name} {' '.join(map(str, identity))}\n" for name, identity in lines[-MAX_LINES:]])
        try:
            folder.replace(FILE, text.encode(), mode=PRIVATE_FILE, durable=False)
        except OSError:
            return


def _note(lines: "list[SealLine]", name: str, identity: "Identity | None") -> "list[SealLine]":
    """The lines with one for a file, behind the last ones of the same name.

    Another process may have put its file in the place of this one, or this process may be killed before the new file is
    in its place.
    """
    others = [line for line in lines if line[0] != name]
    if identity is None:
        return others
    own = [line for line in lines if line[0] == name and line[1][0] != identity[0]]
    return [*others, *own[-LINES_BEFORE:], (name, identity)]


def identity_of(status: os.stat_result) -> Identity:
    """What tells a file from every other one that could be put in its place."""
    # There it is the time when the file was made.
    changed = 0 if os.name == "nt" else status.st_ctime_ns
    return status.st_ino, status.st_size, status.st_mtime_ns, changed


def _read_lines(folder: Folder) -> "list[SealLine] | None":
    """The lines of a seal; None where there is none."""
    try:
        data = folder.read(FILE, MAX_BYTES)[0]
    except Unread:
        return None
    lines: list[SealLine] = []
    for line in data.decode("utf-8", "replace").split("\n"):
        name, *numbers = line.split(" ")
        # A file from before 1970 has a negative time.
        if len(numbers) == 4 and all(number.removeprefix("-").isdecimal() and number.isascii() for number in numbers):
            inode, size, modified, changed = [int(number[:20]) for number in numbers]
            lines.append((name, (inode, size, modified, changed)))
    return lines
