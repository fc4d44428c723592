"""The staging folder of a session, into which triage writes (docs/reference/triage.md, "Staging").

    DATA/stores/KEY/staging/SESSION/
        handled-BYTES          empty; the transcript was processed up to this byte
        context-CATEGORY.txt   the text to draft from
        triage.json            the same data for a program

The folder is in the user's data folder, so that a repository cannot add files to it.
"""

import stat
import time
import zlib
from contextlib import suppress
from pathlib import Path

from .._backend import STAGING, session_file_name
from ..files.folder import PRIVATE_FILE, Folder, Unread
from ..files.user_folder import open_store_folder, store_path

LIFE_SECONDS = 7 * 24 * 60 * 60
MARK = "handled-"
MANIFEST = "triage.json"


class Staging:
    """The staging folder of a session; it is created at the first write."""

    def __init__(self, memory_dir: str, session: str) -> None:
        """The staging folder of a session for the store at `memory_dir`. Nothing is created yet."""
        self._memory_dir = memory_dir
        self.name = folder_name(session)
        self.path = Path(store_path(memory_dir, STAGING), STAGING, self.name)

    def last_mark(self) -> tuple[int, float] | None:
        """The byte up to which the transcript was processed, and how many seconds ago; None if it never was."""
        marks = self._marks()
        if not marks:
            return None
        position = max(marks)
        try:
            return position, time.time() - self._marked(position)
        except OSError:
            return None

    def claim(self, position: int) -> bool:
        """Mark the transcript as processed up to `position`.

        Returns False if another process did so first. Raises OSError.
        """
        with self._make() as folder:
            earlier = self._marks()
            try:
                folder.create(f"{MARK}{position}", b"")
            except FileExistsError:
                return False
            for other in earlier:
                if other != position:
                    with suppress(OSError):
                        folder.remove(f"{MARK}{other}")
        return True

    def put(self, name: str, data: bytes) -> Path:
        """Write a file with mode 0600, replacing an older one, and return its path. Raises OSError."""
        with self._make() as folder:
            folder.replace(name, data, mode=PRIVATE_FILE, durable=False)
        return self.path / name

    def read(self, name: str, limit: int) -> bytes:
        """The content of a file. Raises Unread."""
        folder = self._open()
        if folder is None:
            raise Unread(Unread.MISSING)
        with folder:
            return folder.read(name, limit)[0]

    def remove(self, name: str) -> None:
        """Remove a file if it exists."""
        folder = self._open()
        if folder:
            # Another process may have removed it already.
            with folder, suppress(OSError):
                folder.remove(name)

    @property
    def is_there(self) -> bool:
        """Whether the session has a folder."""
        folder = self._open()
        if folder:
            folder.close()
        return folder is not None

    def clear(self) -> None:
        """Remove the files of an earlier request, but keep the `handled-BYTES` files and failed drafts."""
        for name in self.names():
            if name == MANIFEST or (name.startswith("context-") and name.endswith(".txt")):
                self.remove(name)

    def names(self) -> list[str]:
        """The names of the files in the folder."""
        folder = self._open()
        if folder is None:
            return []
        with folder:
            return [entry.name for entry in folder.scan()]

    def _marks(self) -> list[int]:
        behind = [name[len(MARK) :] for name in self.names() if name.startswith(MARK)]
        return [int(digits) for digits in behind if digits.isascii() and digits.isdigit() and len(digits) < 16]

    def _marked(self, position: int) -> float:
        folder = self._open()
        if folder is None:
            raise FileNotFoundError(2, "the staging folder is missing")
        with folder:
            return folder.status(f"{MARK}{position}").st_mtime

    def _open(self) -> Folder | None:
        return open_store_folder(self._memory_dir, STAGING, self.name)

    def _make(self) -> Folder:
        """Open the folder, creating it if it is missing. Raises OSError."""
        folder = self._open()
        if folder is None:
            _sweep(self._memory_dir)
            folder = open_store_folder(self._memory_dir, STAGING, self.name, make=True)
        if folder is None:
            raise FileNotFoundError(2, "the user's data folder cannot be opened or created")
        return folder


def folder_name(session: str) -> str:
    """The name of a session's folder: its id, or a number made from the id if it is not usable as a file name."""
    return session_file_name(session) or f"session-{zlib.crc32(session.encode('utf-8', 'replace')):08x}"


def _sweep(memory_dir: str) -> None:
    """Remove folders that were not used for a week."""
    least = time.time() - LIFE_SECONDS
    parent = open_store_folder(memory_dir, STAGING)
    if parent is None:
        return
    with parent:
        for entry in list(parent.scan()):
            # Another process may have removed it already.
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode) and status.st_mtime < least:
                    parent.remove_tree(entry.name)
