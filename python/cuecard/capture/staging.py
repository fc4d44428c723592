"""What triage leaves for a session: its own folder, the marks of what was dealt with, the texts to draft from
(SPEC 41.7).

    .claude/memory/.cuecard/staging/SESSION/
        handled-BYTES          empty: the transcript is dealt with up to there
        context-CATEGORY.txt   what to draft from
        triage.json            the same for a program
"""

import errno
import os
import shutil
import stat
import time
import zlib
from contextlib import suppress
from pathlib import Path

from .._backend import twin
from ..store.derived import ensure_derived_folder

LIFE_SECONDS = 7 * 24 * 60 * 60
MARK = "handled-"
MANIFEST = "triage.json"


class Staging:
    """The folder of a session; made at the first write."""

    def __init__(self, memory_dir: str, session: str) -> None:
        """Of a session of the store at `memory_dir`."""
        self._memory_dir = memory_dir
        self.path = Path(memory_dir, ".cuecard", "staging", folder_name(session))

    def last_mark(self) -> tuple[int, float] | None:
        """Up to which byte the transcript is dealt with, and how many seconds ago that was; None: never."""
        marks = self._marks()
        if not marks:
            return None
        position = max(marks)
        try:
            return position, time.time() - self._marked(position)
        except OSError:
            return None

    def claim(self, position: int) -> bool:
        """Mark the transcript as dealt with up to `position`; False if another process just did. Raises OSError."""
        self._ensure()
        earlier = self._marks()
        try:
            self._create(f"{MARK}{position}", b"")
        except FileExistsError:
            return False
        for other in earlier:
            if other != position:
                self._remove(f"{MARK}{other}")
        return True

    def put(self, name: str, data: bytes) -> Path:
        """Write a file of mode 0600 whole, in the place of an older one, and return its path. Raises OSError."""
        temporary = f"{name}.{os.getpid()}.tmp"
        self._remove(temporary)
        self._create(temporary, data)
        return self.path.joinpath(temporary).replace(self.path / name)

    def clear(self) -> None:
        """Remove all but the marks: what a former run left is none of this one's."""
        for name in self._names():
            if name == MANIFEST or (name.startswith("context-") and name.endswith(".txt")):
                self._remove(name)

    def _names(self) -> list[str]:
        try:
            return [entry.name for entry in self.path.iterdir()]
        except OSError:
            return []

    def _marks(self) -> list[int]:
        behind = [name[len(MARK) :] for name in self._names() if name.startswith(MARK)]
        return [int(digits) for digits in behind if digits.isascii() and digits.isdigit() and len(digits) < 16]

    def _marked(self, position: int) -> float:
        return self.path.joinpath(f"{MARK}{position}").lstat().st_mtime

    def _create(self, name: str, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(self.path / name, flags, 0o600)
        try:
            while data:
                data = data[os.write(handle, data) :]
        finally:
            os.close(handle)

    def _remove(self, name: str) -> None:
        # Not there, or another one was faster.
        with suppress(OSError):
            self.path.joinpath(name).unlink()

    def _ensure(self) -> None:
        """Make the folder; the texts of others must not lead elsewhere, so no link may stand in for one."""
        derived = Path(ensure_derived_folder(self._memory_dir))
        if not self.path.exists():
            _sweep(self.path.parent)
        for folder in (derived, self.path.parent, self.path):
            # Another one may have been faster.
            with suppress(FileExistsError):
                folder.mkdir(0o700)
            if not stat.S_ISDIR(folder.lstat().st_mode):
                raise NotADirectoryError(errno.ENOTDIR, f"`{folder.name}` is no folder")


def folder_name(session: str) -> str:
    """The name of a session's folder: its id, or where that is none a file can be named after, a number for it."""
    return twin.session_file_name(session) or f"session-{zlib.crc32(session.encode('utf-8', 'replace')):08x}"


def _sweep(parent: Path) -> None:
    """Remove the folders that nobody has used for a week."""
    least = time.time() - LIFE_SECONDS
    # Not there yet, not ours to remove, or another one was faster.
    with suppress(OSError):
        for folder in list(parent.iterdir()):
            status = folder.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_mtime < least:
                shutil.rmtree(folder, ignore_errors=True)
