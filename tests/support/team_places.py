"""Places where the clients of a random test meet: each can be backed up, restored, and read without a client."""

import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

from cuecard.errors import SyncError
from cuecard.sync.git_remote import GitRemote
from cuecard.sync.postgres_remote import PostgresRemote
from cuecard.sync.remote import PAGE, Change, Cursor, Pulled, Pushed, Remote, RemoteScope, Resync
from memory_remote import MemoryRemote, MemoryServer
from team_remotes import make_repository, run_git
from team_server import Server

PLACES = ("memory", "git", "postgres")
STORE = ".claude/memory/"


class FailingRemote:
    """A remote whose connection is lost in a share of the calls, before the call or before its answer."""

    def __init__(self, remote: Remote, chance: random.Random) -> None:
        self._remote, self._chance = remote, chance
        self.share = 0.0

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        self._remote.close()

    def scopes(self) -> list[RemoteScope]:
        """The scopes of the remote."""
        return self._remote.scopes()

    def pull(self, scope: str, cursor: Cursor | None, limit: int = PAGE) -> Pulled | Resync:
        """Pull, or fail."""
        self._fail()
        found = self._remote.pull(scope, cursor, limit)
        self._fail()
        return found

    def push(self, scope: str, changes: Sequence[Change]) -> Pushed:
        """Push, or fail; a push whose answer is lost has been stored."""
        self._fail()
        pushed = self._remote.push(scope, changes)
        self._fail()
        return pushed

    def _fail(self) -> None:
        if self._chance.random() < self.share:
            self._remote.close()
            raise SyncError("the connection is lost")


class Place(Protocol):
    """One scope of a remote."""

    scope: str

    def connect(self, folder: Path) -> Remote:
        """A client of the remote that may keep files in a folder."""

    def back_up(self) -> str:
        """Keep the state; returns the name of the backup."""

    def restore(self, name: str) -> None:
        """Have the state of a backup again."""

    def data(self) -> dict[str, bytes]:
        """The memories that are there, by path."""

    def paths(self) -> set[str]:
        """The paths of the memories that are or were there."""


class MemoryPlace:
    """A scope in the memory of the test."""

    scope = ""

    def __init__(self) -> None:
        self._server = MemoryServer()
        self._backups: list[MemoryServer] = []

    def connect(self, folder: Path) -> Remote:
        """A client."""
        return MemoryRemote(self._server)

    def back_up(self) -> str:
        """Keep a copy."""
        self._backups.append(self._server.back_up())
        return str(len(self._backups) - 1)

    def restore(self, name: str) -> None:
        """Have a copy again."""
        self._server.restore(self._backups[int(name)])

    def data(self) -> dict[str, bytes]:
        """What is there."""
        return self._server.data()

    def paths(self) -> set[str]:
        """What is or was there."""
        return set(self._server.versions)


class GitPlace:
    """A repository."""

    scope = ""

    def __init__(self, folder: Path) -> None:
        self._repository = make_repository(folder)

    def connect(self, folder: Path) -> Remote:
        """A client with a repository of its own."""
        return GitRemote(self._repository.as_uri(), str(folder / "repository"), "main")

    def back_up(self) -> str:
        """The name of the last commit; "" before the first."""
        return run_git(self._repository, "for-each-ref", "--format=%(objectname)", "refs/heads/main")

    def restore(self, name: str) -> None:
        """Make a commit the last one again."""
        run_git(self._repository, "update-ref", *(["refs/heads/main", name] if name else ["-d", "refs/heads/main"]))

    def data(self) -> dict[str, bytes]:
        """The files of the last commit."""
        names = run_git(self._repository, "ls-tree", "-r", "--name-only", "main").splitlines()
        show = ["git", "-C", str(self._repository), "show"]
        return {
            name.removeprefix(STORE): subprocess.run([*show, f"main:{name}"], check=True, capture_output=True).stdout
            for name in names
        }

    def paths(self) -> set[str]:
        """The files of all commits."""
        names = run_git(self._repository, "log", "--format=", "--name-only", "main").splitlines()
        return {name.removeprefix(STORE) for name in names}


class PostgresPlace:
    """A scope of a server."""

    def __init__(self, server: Server, scope: str) -> None:
        self.scope = scope
        self._server = server
        self._backups = 0
        server.add_scope(scope, ada="write")

    def connect(self, folder: Path) -> Remote:
        """A client."""
        return PostgresRemote(self._server.url("ada"))

    def back_up(self) -> str:
        """Copy the rows of the scope."""
        self._backups += 1
        name = f"{re.sub('[^a-z0-9]', '_', self.scope)}_{self._backups}"
        for table, key in (("memory", "scope_id"), ("audit", "scope_id"), ("scope", "id")):
            rows = f"SELECT * FROM cuecard.{table} WHERE {key} = {self._id()}"
            self._server.sql(f"CREATE TABLE public.{table}_{name} AS {rows}")
        return name

    def restore(self, name: str) -> None:
        """Put the copies in the place of the rows."""
        statements = [
            f"DELETE FROM cuecard.{table} WHERE scope_id = {self._id()};"
            f" INSERT INTO cuecard.{table} SELECT * FROM public.{table}_{name}"
            for table in ("memory", "audit")
        ]
        kept = f"SELECT counter, head, floor FROM public.scope_{name}"
        statements.append(f"UPDATE cuecard.scope SET (counter, head, floor) = ({kept}) WHERE id = {self._id()}")
        self._server.sql("; ".join(statements))

    def data(self) -> dict[str, bytes]:
        """The memories that are there."""
        rows = self._server.sql(
            f"SELECT path, data FROM cuecard.memory WHERE scope_id = {self._id()} AND data IS NOT NULL"
        )
        return {str(path): bytes(data) for path, data in rows if isinstance(data, bytes)}

    def paths(self) -> set[str]:
        """The memories that are or were there."""
        rows = self._server.sql(f"SELECT path FROM cuecard.memory WHERE scope_id = {self._id()}")
        return {str(path) for (path,) in rows}

    def _id(self) -> str:
        return f"(SELECT id FROM cuecard.scope WHERE name = '{self.scope}')"


@contextmanager
def open_places(kind: str) -> Iterator[Callable[[], Place]]:
    """Yield a function that makes an empty place; all places of a server are scopes of one server."""
    folder = Path(tempfile.mkdtemp(prefix="cuecard-places-"))
    numbers = count()
    server = Server(is_synced=False) if kind == "postgres" else None

    def make() -> Place:
        if server:
            return PostgresPlace(server, f"traffic-{next(numbers)}")
        return GitPlace(folder / f"{next(numbers)}.git") if kind == "git" else MemoryPlace()

    try:
        yield make
    finally:
        if server:
            server.remove()
        shutil.rmtree(folder, ignore_errors=True)
