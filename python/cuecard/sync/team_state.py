"""What this machine knows of a team: the versions that the remote had, and what waits to be pushed.

All of it is one SQLite database in the user's data folder, so that a page of changes and the cursor behind it are
stored together or not at all.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..errors import SyncError
from ..store.records.record_file import content_hash
from .door import Admitted, admit_pulled
from .remote import Change, Cursor, read_cursor

# A database with a greater number was made by a later cuecard.
VERSION = 3
BUSY_SECONDS = 30.0
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS note (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS memory (
    path TEXT PRIMARY KEY, hash TEXT NOT NULL, data BLOB NOT NULL, shown BLOB, problem TEXT NOT NULL,
    round INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS ahead (path TEXT PRIMARY KEY, data BLOB);
CREATE TABLE IF NOT EXISTS seen (path TEXT, hash TEXT, PRIMARY KEY (path, hash)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outbox (path TEXT PRIMARY KEY, data BLOB, base BLOB);
CREATE TABLE IF NOT EXISTS shared (
    project TEXT, source TEXT, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, PRIMARY KEY (project, source)
);
CREATE TABLE IF NOT EXISTS mine (path TEXT PRIMARY KEY, offered BLOB, pushed BLOB);
CREATE TABLE IF NOT EXISTS granted (hash TEXT PRIMARY KEY);
PRAGMA user_version = {VERSION};
"""


@dataclass(frozen=True)
class Waiting:
    """A memory that waits to be pushed."""

    path: str
    data: bytes | None
    """None for a memory that shall be deleted."""
    base: bytes | None
    """The version of the team that it was made from; None if there was none."""

    @property
    def expected(self) -> str:
        """The hash of the version that the push replaces."""
        return content_hash(self.base) if self.base is not None else ""


@dataclass(frozen=True)
class Shared:
    """A memory of a project that the user has shared."""

    project: str
    source: str
    """The path of the memory in the project."""
    path: str
    """Its path in the team's store."""
    hash: str
    """The hash of the version that was put into the outbox last."""


class TeamState:
    """The database of one team. Close it after use."""

    def __init__(self, file: str) -> None:
        """Open the database, which is created if it is missing. Raises SyncError."""
        try:
            self._database = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise SyncError("the notes about the team were made by a later cuecard", "update cuecard")
            if version < VERSION:
                self._database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        except sqlite3.Error as error:
            raise _unusable(file, error) from error
        self._file = file

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def copy(self) -> "TeamState":
        """The same notes in memory: what is changed there is forgotten. Raises SyncError."""
        copied = TeamState(":memory:")
        try:
            self._database.backup(copied._database)
        except sqlite3.Error as error:
            copied.close()
            raise _unusable(self._file, error) from error
        return copied

    @contextmanager
    def change(self) -> Iterator[None]:
        """All that is done in a `with` statement is stored together, or not at all. Raises SyncError."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise _unusable(self._file, error) from error

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise _unusable(self._file, error) from error

    # Notes

    def note(self, name: str) -> str:
        """The value of a note; "" if there is none."""
        found = self._execute("SELECT value FROM note WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else ""

    def set_note(self, name: str, value: str) -> None:
        """Set a note."""
        self._execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, value))

    @property
    def cursor(self) -> Cursor | None:
        """How far the remote was read; None if nothing was."""
        return read_cursor(self.note("cursor"))

    # What the remote has

    def begin_again(self) -> None:
        """Read the remote from the beginning; what it no longer has is forgotten at the end of that."""
        with self.change():
            self.set_note("cursor", "")
            self.set_note("round", str(self._round() + 1))
            self.set_note("is_resync", "1")

    def store_page(
        self, changes: Sequence[tuple[Change, Admitted | None]], cursor: Cursor, *, is_last: bool
    ) -> list[str]:
        """Store a page of changes with what may be shown of each. Returns the paths that went back to an old one."""
        reverted = []
        with self.change():
            for change, admitted in changes:
                self._execute("DELETE FROM ahead WHERE path = ?", (change.path,))
                if self._store(change.path, change.data, admitted):
                    reverted.append(change.path)
            if is_last:
                is_resync = self.note("is_resync")
                reverted += self._go_back(is_resync=bool(is_resync))
                if is_resync:
                    self._execute("DELETE FROM memory WHERE round < ?", (self._round(),))
                    self.set_note("is_resync", "")
            self.set_note("cursor", str(cursor))
        return reverted

    def remember(self, path: str, data: bytes | None) -> None:
        """Note the version that the remote has after a push; the next pull says what came after it."""
        before = self.data_of(path)
        if before != data:
            self._execute("INSERT OR IGNORE INTO ahead VALUES (?, ?)", (path, before))
            self._store_own(path, data)

    def _store_own(self, path: str, data: bytes | None) -> bool:
        return self._store(path, data, admit_pulled(path, data) if data is not None else None)

    def _go_back(self, *, is_resync: bool) -> list[str]:
        """Take back the pushed versions of which a pull says nothing: the remote has what it had at the cursor.

        Somebody has undone the push since, or the remote was restored. Returns the paths that went back.
        """
        rows = self._execute("SELECT path, data FROM ahead ORDER BY path").fetchall()
        self._execute("DELETE FROM ahead")
        return [path for path, data in rows if self._store_own(path, None if is_resync else data)]

    def _store(self, path: str, data: bytes | None, admitted: Admitted | None) -> bool:
        """Note a version of the remote. Returns whether it is one that the remote had before its last one."""
        if data is None or admitted is None:
            self._execute("DELETE FROM memory WHERE path = ?", (path,))
            return False
        name = content_hash(data)
        is_old = name != self.hash_of(path) and self._was_seen(path, name)
        self._execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (path, name))
        row = (path, name, data, admitted.shown, admitted.problem, self._round())
        self._execute("INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?, ?, ?)", row)
        return is_old

    def hash_of(self, path: str) -> str:
        """The hash of the version that the remote had; "" if it had none."""
        found = self._execute("SELECT hash FROM memory WHERE path = ?", (path,)).fetchone()
        return str(found[0]) if found else ""

    def data_of(self, path: str) -> bytes | None:
        """The version that the remote had; None if it had none."""
        found = self._execute("SELECT data FROM memory WHERE path = ?", (path,)).fetchone()
        return bytes(found[0]) if found else None

    def list_shown(self) -> list[tuple[str, bytes]]:
        """The memories for the pack, by path."""
        rows = self._execute(
            "SELECT path, coalesce(shown, data) FROM memory WHERE problem = '' ORDER BY path"
        ).fetchall()
        return [(str(path), bytes(data)) for path, data in rows]

    def list_left_out(self) -> list[tuple[str, str]]:
        """The paths that are not in the pack, each with the reason."""
        found = self._execute("SELECT path, problem FROM memory WHERE problem != '' ORDER BY path")
        return [(str(path), str(problem)) for path, problem in found]

    def list_redacted(self) -> list[str]:
        """The paths of which the pack has a redacted version."""
        found = self._execute("SELECT path FROM memory WHERE shown IS NOT NULL ORDER BY path")
        return [str(path) for (path,) in found]

    def list_hashes(self) -> dict[str, str]:
        """The hash of each version that the remote had, by path."""
        return {str(path): str(name) for path, name in self._execute("SELECT path, hash FROM memory")}

    def _round(self) -> int:
        return int(self.note("round") or 0)

    def _was_seen(self, path: str, name: str) -> bool:
        found = self._execute("SELECT 1 FROM seen WHERE path = ? AND hash = ?", (path, name)).fetchone()
        return found is not None

    # What waits to be pushed

    def list_waiting(self) -> list[Waiting]:
        """What waits to be pushed, by path."""
        rows = self._execute("SELECT path, data, base FROM outbox ORDER BY path")
        return [Waiting(str(path), data, base) for path, data, base in rows]

    def put(self, waiting: Waiting) -> None:
        """Put a memory into the outbox, in the place of an earlier version."""
        row = (waiting.path, waiting.data, waiting.base)
        self._execute("INSERT OR REPLACE INTO outbox VALUES (?, ?, ?)", row)

    def take(self, waiting: Waiting) -> None:
        """Remove a memory from the outbox, unless a later version is in it by now."""
        self._execute("DELETE FROM outbox WHERE path = ? AND data IS ?", (waiting.path, waiting.data))

    def list_shared(self, project: str = "") -> list[Shared]:
        """What the user has shared, of one project or of all."""
        rows = self._execute(
            "SELECT project, source, path, hash FROM shared WHERE ? IN ('', project) ORDER BY path", (project,)
        )
        return [Shared(*map(str, row)) for row in rows]

    def set_shared(self, shared: Shared) -> None:
        """Note that a memory is shared."""
        row = (shared.project, shared.source, shared.path, shared.hash)
        self._execute("INSERT OR REPLACE INTO shared VALUES (?, ?, ?, ?)", row)

    def forget_shared(self, shared: Shared) -> None:
        """Note that a memory is no longer shared."""
        self._execute("DELETE FROM shared WHERE project = ? AND source = ?", (shared.project, shared.source))

    def forget_pushed(self, path: str) -> None:
        """Forget which version of the project was pushed."""
        self._execute("DELETE FROM mine WHERE path = ?", (path,))

    def pushed_of(self, path: str) -> bytes | None:
        """The version of the project that was pushed last; None if it is not known."""
        found = self._execute("SELECT pushed FROM mine WHERE path = ?", (path,)).fetchone()
        return bytes(found[0]) if found and found[0] is not None else None

    def note_offered(self, path: str, data: bytes) -> None:
        """Note the version of the project that is in the outbox; a merge changes only the outbox."""
        row = (path, data, self.pushed_of(path))
        self._execute("INSERT OR REPLACE INTO mine VALUES (?, ?, ?)", row)

    def note_pushed(self, path: str) -> None:
        """Note that the team has got what was offered last."""
        self._execute("UPDATE mine SET pushed = offered WHERE path = ?", (path,))

    # Trust

    def list_granted(self) -> set[str]:
        """The trust hashes that were vouched for because the team is trusted."""
        return {str(name) for (name,) in self._execute("SELECT hash FROM granted")}

    def set_granted(self, hashes: set[str]) -> None:
        """Replace the trust hashes that were vouched for because the team is trusted."""
        with self.change():
            self._execute("DELETE FROM granted")
            for name in sorted(hashes):
                self._execute("INSERT INTO granted VALUES (?)", (name,))


def _unusable(file: str, error: sqlite3.Error) -> SyncError:
    return SyncError(f"`{file}` cannot be used: {error}", "make room; or leave the team and join it again")
