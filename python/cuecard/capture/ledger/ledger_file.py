"""Reads, appends to and gives back the file of a ledger (docs/reference/ledger.md)."""

import stat
import time
from contextlib import suppress

from ...files.folder import PRIVATE_FILE, Folder, Unread
from ...files.user_folder import open_store_folder, read_kept
from .ledger_lines import MAX_BYTES, Ledger, read_ledger, shorten

FOLDER = "ledger"
# The ending of a ledger's file, and its ending while another session has claimed it.
OPEN, CLAIMED = ".jsonl", ".claimed"
# At most this many bytes of a ledger are read. A ledger can be a little longer than the limit for writing.
MAX_READ_BYTES = 4 << 20
LIFE_SECONDS = 14 * 24 * 60 * 60


class LedgerFile:
    """The ledger file of a session."""

    def __init__(self, memory_dir: str, session: str) -> None:
        """Read the ledger of a session. If another session has claimed it, take it back first."""
        self._memory_dir = memory_dir
        self.name = f"{session}{OPEN}"
        self.ledger = Ledger()
        self._data = b""
        folder = open_store_folder(memory_dir, FOLDER)
        if folder:
            with folder:
                give_back(folder, session)
        self.read_again()

    @property
    def is_new(self) -> bool:
        """Whether the file is missing or empty."""
        return not self._data

    def read_again(self) -> None:
        """Update `ledger` from the file."""
        self._data = read_kept(self._memory_dir, FOLDER, self.name, limit=MAX_READ_BYTES) or b""
        self.ledger = read_ledger(self._data)

    def append(self, line: bytes) -> None:
        """Append a line to the file and to `ledger`. If the file is new, remove expired ledgers too. Raises OSError."""
        folder = open_store_folder(self._memory_dir, FOLDER, make=True)
        if folder is None:
            raise FileNotFoundError(2, "the user's data folder cannot be opened or created")
        with folder:
            if self.is_new:
                _prune(folder)
            # A crash may have left the last line incomplete. The new line must not be joined to it.
            added = b"\n" + line if self._data and not self._data.endswith(b"\n") else line
            if len(self._data) + len(added) > MAX_BYTES:
                self._data = shorten(self._data) + line
                folder.replace(self.name, self._data, mode=PRIVATE_FILE, durable=False)
            else:
                folder.append(self.name, added)
                self._data += added
        self.ledger = read_ledger(self._data)


def give_back(folder: Folder, session: str) -> None:
    """If another session has claimed the ledger of `session`, rename the ledger back.

    If `session` has begun a new ledger meanwhile, the claimed lines are put in front of the new lines.
    """
    is_open, claimed = f"{session}{OPEN}", f"{session}{CLAIMED}"
    with suppress(OSError, Unread):
        if not folder.kind(claimed):
            return
        if not folder.kind(is_open):
            folder.rename(claimed, is_open)
            return
        data = folder.read(claimed, MAX_READ_BYTES)[0]
        if data and not data.endswith(b"\n"):
            data += b"\n"
        data += folder.read(is_open, MAX_READ_BYTES)[0]
        folder.replace(is_open, data, mode=PRIVATE_FILE, durable=False)
        folder.remove(claimed)


def read_in(folder: Folder, name: str) -> Ledger | None:
    """The ledger in the file with this name; None if it cannot be read."""
    data = folder.read_if_any(name, MAX_READ_BYTES)
    return None if data is None else read_ledger(data)


def ledger_names(folder: Folder) -> list[str]:
    """The file names of all ledgers, including claimed ledgers."""
    return [entry.name for entry in folder.scan() if entry.name.endswith((OPEN, CLAIMED))]


def _prune(folder: Folder) -> None:
    """Remove files that were not written for two weeks."""
    least = time.time() - LIFE_SECONDS
    for entry in list(folder.scan()):
        # Another process may have removed the file already.
        with suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode) and status.st_mtime < least:
                folder.remove(entry.name)
