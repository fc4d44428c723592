"""What triage leaves for a session: its own folder, the marks of what was dealt with, the texts to draft from
(docs/reference/triage.md, "Staging").

    DATA/stores/KEY/staging/SESSION/
        handled-BYTES          empty: the transcript is dealt with up to there
        context-CATEGORY.txt   what to draft from
        triage.json            the same for a program

It lies in the user's data folder: what a repository brings along is never taken for what triage has left.
"""

import stat
import time
import zlib
from contextlib import suppress
from pathlib import Path

from ..files.folder import PRIVATE_FILE, Folder, Unread
from ..files.user_folder import open_store_folder, store_path
from ..protocol.session import session_file_name
from ..situation.user_notice import STAGING

LIFE_SECONDS = 7 * 24 * 60 * 60
MARK = "handled-"
MANIFEST = "triage.json"


class Staging:
    """The folder of a session; made at the first write."""

    def __init__(self, memory_dir: str, session: str) -> None:
        """The staging folder of a session of the store at `memory_dir`."""
        self._memory_dir = memory_dir
        self.name = folder_name(session)
        self.path = Path(store_path(memory_dir), STAGING, self.name)

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
        """Write a file of mode 0600 whole, in the place of an older one, and return its path. Raises OSError."""
        with self._make() as folder:
            folder.replace(name, data, mode=PRIVATE_FILE, durable=False)
        return self.path / name

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a file. Raises Unread."""
        folder = self._open()
        if folder is None:
            raise Unread(Unread.MISSING)
        with folder:
            return folder.read(name, limit)[0]

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        folder = self._open()
        if folder:
            # Another one may have been faster.
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
        """Remove all but the marks: what a former run left is none of this one's."""
        for name in self.names():
            if name == MANIFEST or (name.startswith("context-") and name.endswith(".txt")):
                self.remove(name)

    def names(self) -> list[str]:
        """The names of its files."""
        folder = self._open()
        if folder is None:
            return []
        with folder:
            return [entry.name for entry in folder.scan()]

    def _marks(self) -> list[int]:
        behind = [name[len(MARK) :] for name in self.names() if name.startswith(MARK)]
        return [int(digits) for digits in behind if digits.isascii() and digits.isdigit() and len(digits) < 16]

    def _marked(self, position: int) -> float:
        with self._make() as folder:
            return folder.status(f"{MARK}{position}").st_mtime

    def _open(self) -> Folder | None:
        return open_store_folder(self._memory_dir, STAGING, self.name)

    def _make(self) -> Folder:
        """The folder, which is made where it is missing. Raises OSError."""
        folder = self._open()
        if folder is None:
            _sweep(self._memory_dir)
            folder = open_store_folder(self._memory_dir, STAGING, self.name, make=True)
        if folder is None:
            raise FileNotFoundError(2, "there is no folder for the user's data")
        return folder


def folder_name(session: str) -> str:
    """The name of a session's folder: its id, or where that is none a file can be named after, a number for it."""
    return session_file_name(session) or f"session-{zlib.crc32(session.encode('utf-8', 'replace')):08x}"


def _sweep(memory_dir: str) -> None:
    """Remove the folders that nobody has used for a week."""
    least = time.time() - LIFE_SECONDS
    parent = open_store_folder(memory_dir, STAGING)
    if parent is None:
        return
    with parent:
        for entry in list(parent.scan()):
            # Another one may have been faster.
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode) and status.st_mtime < least:
                    parent.remove_tree(entry.name)
