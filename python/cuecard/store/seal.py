"""Which derived files this user's cuecard has written: a repository can bring others along (SPEC 50.4).

The seal is kept in the user's data folder. It has one line for each file, with what identifies the very file that was
written: `NAME INODE SIZE MODIFIED CHANGED`, both times in nanoseconds. A file with another identity is ignored and
made again.
"""

from ..system import os
from .folder import PRIVATE_FILE, Folder, Unread
from .user_folder import keeps_data, open_store_folder

FILE = "seal"
MAX_BYTES = 1 << 16
# More files than a store ever has; the oldest lines leave.
MAX_LINES = 64

Identity = tuple[int, int, int, int]


def read_seal(memory_dir: str) -> "Seal":
    """The seal of a store; where nothing can be kept for the user, one that holds for every file."""
    folder = open_store_folder(memory_dir)
    lines = None
    if folder:
        with folder:
            lines = _read_lines(folder)
    if lines is None and not keeps_data():
        return Seal(None)
    return Seal(lines or {})


def update_seal(memory_dir: str, written: "dict[str, os.stat_result | None]") -> None:
    """Note the files that were just written by their names and statuses; None for one that was removed.

    A seal that cannot be written is given up: the files are made again then.
    """
    folder = open_store_folder(memory_dir, make=True)
    if folder is None:
        return
    with folder:
        lines = _read_lines(folder) or {}
        for name, status in written.items():
            lines.pop(name, None)
            if status is not None:
                lines[name] = identity_of(status)
        kept = list(lines.items())[-MAX_LINES:]
        text = "".join([f"{name} {' '.join(map(str, identity))}\n" for name, identity in kept])
        try:
            folder.replace(FILE, text.encode(), mode=PRIVATE_FILE, durable=False)
        except OSError:
            return


class Seal:
    """The identities of the files that this user's cuecard has written to a store."""

    __slots__ = ("_lines",)

    def __init__(self, lines: dict[str, Identity] | None) -> None:
        """By name; None for a seal that holds for every file."""
        self._lines = lines

    def holds(self, name: str, status: os.stat_result) -> bool:
        """Whether a file of that name and status is the one that was written."""
        return self._lines is None or self._lines.get(name) == identity_of(status)


def identity_of(status: os.stat_result) -> Identity:
    """What tells a file from every other one that could be put in its place."""
    # There it is the time when the file was made.
    changed = 0 if os.name == "nt" else status.st_ctime_ns
    return status.st_ino, status.st_size, status.st_mtime_ns, changed


def _read_lines(folder: Folder) -> dict[str, Identity] | None:
    """The lines of a seal; None where there is none."""
    try:
        data = folder.read(FILE, MAX_BYTES)[0]
    except Unread:
        return None
    lines: dict[str, Identity] = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        name, *numbers = line.split(" ")
        # A file from before 1970 has a negative time.
        if len(numbers) == 4 and all(number.removeprefix("-").isdecimal() and number.isascii() for number in numbers):
            inode, size, modified, changed = [int(number[:20]) for number in numbers]
            lines[name] = (inode, size, modified, changed)
    return lines
