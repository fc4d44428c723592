"""An organisation's memories on a PostgreSQL server (the extra `team`).

Each call is one transaction, which sets what it needs with `SET LOCAL`: so it also works through a proxy that hands out
connections by the transaction. The server's rules are in `assets/team_server`.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import CuecardError, SyncError
from ..files.user_folder import home_path
from ..store.records.record_file import content_hash
from .remote import PAGE, Change, Cursor, Pulled, Pushed, RemoteScope, Resync
from .urls import hide_password

if TYPE_CHECKING:
    from psycopg import Connection

    from ..models.embedders.embedder import Embedder

# The version of the tables that this module can work with.
SCHEMA = 3
CONNECT_SECONDS = 10
STATEMENT_MS, LOCK_MS = 60_000, 30_000
HINT = "check the URL, the network and your rights"
# Ranks of two searches are fused as 1 / (this + rank).
FUSION = 60
_NEAREST = "SELECT scope, path, data FROM cuecard.nearest(%s, %s, %s, %s)"


@dataclass(frozen=True)
class Proposal:
    """A version that waits until somebody who may write accepts it."""

    number: int
    scope: str
    path: str
    login: str
    data: bytes | None


@dataclass(frozen=True)
class RemoteHit:
    """A memory that a search on the server has found."""

    scope: str
    path: str
    data: bytes
    score: float


class PostgresRemote:
    """The scopes of a server that the user is a member of."""

    def __init__(self, url: str, role: str = "", embedder: "Embedder | None" = None) -> None:
        """`url` is a connection string; `role` is the role that each transaction takes, "" for that of the login.

        Where the server has pgvector, `embedder` makes vectors of what is pushed and searched for.
        """
        self._url = url
        self._role = role
        self._embedder = embedder
        self._opened: Connection[Any] | None = None

    def close(self) -> None:
        """Close the connection."""
        if self._opened is not None:
            with suppress(Exception):
                self._opened.close()
            self._opened = None

    def scopes(self) -> list[RemoteScope]:
        """The scopes that the user is a member of."""
        with self._transaction(is_read_only=True) as ask:
            rows = ask(
                "SELECT s.name, m.may FROM cuecard.scope s JOIN cuecard.membership m ON m.scope_id = s.id"
                " ORDER BY s.name"
            )
        return [RemoteScope(*row) for row in rows]

    def pull(self, scope: str, cursor: Cursor | None, limit: int = PAGE) -> Pulled | Resync:
        """The changes behind a cursor in the order of their numbers."""
        with self._transaction(is_read_only=True) as ask:
            found = ask(
                "SELECT id, epoch::text, counter, head, floor FROM cuecard.scope WHERE name = %s", scope, is_one=True
            )
            if not found:
                raise _no_scope(scope)
            number, epoch, counter, head, floor = found[0]
            begin = cursor.counter if cursor else 0
            if cursor and (reason := _foreign(cursor, epoch, counter, floor)):
                return Resync(reason)
            if cursor and begin:
                known = head if begin == counter else ask("SELECT cuecard.head_at(%s, %s)", number, begin)[0][0]
                if known != cursor.head:
                    return Resync("the server was restored from a backup")
            rows = ask(
                "SELECT path, counter, head, data FROM cuecard.memory WHERE scope_id = %s AND counter > %s"
                " ORDER BY counter LIMIT %s",
                number,
                begin,
                limit,
            )
        is_last = len(rows) < limit
        changes = [Change(path, bytes(data) if data is not None else None) for path, _number, _head, data in rows]
        now = (counter, head) if is_last else (rows[-1][1], rows[-1][2])
        return Pulled(changes, Cursor(epoch, *now), is_last=is_last)

    def push(self, scope: str, changes: Sequence[Change]) -> Pushed:
        """Push all changes in one transaction."""
        pushed = Pushed()
        with self._transaction() as ask:
            rows = ask(
                "SELECT path, outcome, current FROM cuecard.push(%s, %s::text[], %s::text[], %s::bytea[])",
                scope,
                [change.path for change in changes],
                [change.expected for change in changes],
                [change.data for change in changes],
            )
        for path, outcome, current in rows:
            if outcome == "conflict":
                pushed.conflicts[path] = bytes(current) if current is not None else None
            else:
                (pushed.accepted if outcome == "accepted" else pushed.proposed).append(path)
        self._embed(scope, [change for change in changes if change.path in pushed.accepted])
        return pushed

    def _embed(self, scope: str, changes: Sequence[Change]) -> None:
        """Give the server vectors of what was pushed. A failure undoes no push: these memories are found by words."""
        if self._embedder is None or not changes:
            return
        from .meaning import rows_of  # noqa: PLC0415 - loads a model

        with suppress(CuecardError):
            if not self._has_vectors():
                return
            rows = rows_of(self._embedder, changes)
            known = [change for change in changes if change.path in rows]
            with self._transaction() as ask:
                ask(
                    "SELECT cuecard.embed(%s, %s, %s::text[], %s::text[], %s::text[])",
                    scope,
                    self._embedder.fingerprint,
                    [change.path for change in known],
                    [content_hash(change.data or b"") for change in known],
                    [rows[change.path] for change in known],
                )

    def _has_vectors(self) -> bool:
        with self._transaction(is_read_only=True) as ask:
            return bool(ask("SELECT to_regclass('cuecard.embedding') IS NOT NULL")[0][0])

    def proposals(self, scope: str) -> list[Proposal]:
        """What waits to be accepted, the oldest first; for who may only propose, their own proposals."""
        with self._transaction(is_read_only=True) as ask:
            rows = ask(
                "SELECT p.id, s.name, p.path, p.login, p.data FROM cuecard.proposal p"
                " JOIN cuecard.scope s ON s.id = p.scope_id WHERE s.name = %s ORDER BY p.id",
                scope,
            )
        return [
            Proposal(number, name, path, login, bytes(data) if data is not None else None)
            for number, name, path, login, data in rows
        ]

    def decide(self, number: int, *, is_accepted: bool) -> bool:
        """Accept or reject a proposal; False if the memory has changed since the proposal was made."""
        with self._transaction() as ask:
            made = ask(
                "SELECT s.name, p.path, p.data FROM cuecard.proposal p JOIN cuecard.scope s ON s.id = p.scope_id"
                " WHERE p.id = %s",
                number,
            )
            is_done = bool(ask("SELECT cuecard.decide(%s, %s)", number, is_accepted)[0][0])
        if is_done and is_accepted:
            for scope, path, data in made:
                self._embed(scope, [Change(path, bytes(data) if data is not None else None)])
        return is_done

    def search(self, words: str, scope: str = "", limit: int = 10) -> list[RemoteHit]:
        """The memories that fit words best, by the server's full-text index, and by meaning where both sides can."""
        with self._transaction(is_read_only=True) as ask:
            rows = ask(
                "SELECT s.name, m.path, m.data FROM cuecard.memory m"
                " JOIN cuecard.scope s ON s.id = m.scope_id, websearch_to_tsquery('english', %s) q"
                " WHERE m.words @@ q AND %s IN ('', s.name) AND m.data IS NOT NULL"
                " ORDER BY ts_rank_cd(m.words, q) DESC, m.path LIMIT %s",
                words,
                scope,
                limit,
            )
        return _fuse(rows, self._search_by_meaning(words, scope, limit))[:limit]

    def _search_by_meaning(self, words: str, scope: str, limit: int) -> list[Any]:
        """Rows as those of the words; none where the model or the server cannot do it, so that the words count."""
        if self._embedder is None:
            return []
        from .meaning import row_of_query  # noqa: PLC0415 - loads a model

        with suppress(CuecardError):
            if self._has_vectors():
                row = row_of_query(self._embedder, words)
                with self._transaction(is_read_only=True) as ask:
                    return ask(_NEAREST, row, self._embedder.fingerprint, scope, limit)
        return []

    @contextmanager
    def _transaction(self, *, is_read_only: bool = False) -> "Iterator[Ask]":
        """One transaction, with a function that runs a statement in it. Raises SyncError for any failure."""
        import psycopg  # noqa: PLC0415 - `connect` has said so if it is missing

        connection = self._connect()
        try:
            with connection.transaction():
                ask = Ask(connection)
                begin = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; " if is_read_only else ""
                # One message to the server for all of them.
                ask(f"{begin}SET LOCAL statement_timeout = {STATEMENT_MS}; SET LOCAL lock_timeout = {LOCK_MS}")
                if self._role:
                    ask("SELECT set_config('role', %s, true)", self._role)
                yield ask
        except psycopg.Error as error:
            self.close()
            raise failure(error) from error

    def _connect(self) -> "Connection[Any]":
        if self._opened is None:
            opened = connect(self._url)
            try:
                check_schema(opened)
            except SyncError:
                opened.close()
                raise
            self._opened = opened
        return self._opened


class Ask:
    """Runs statements in an open transaction."""

    def __init__(self, connection: "Connection[Any]") -> None:
        self._connection = connection

    def __call__(self, statement: str, *values: object, is_one: bool = False) -> list[Any]:
        """The rows of a statement; empty for one that has none."""
        done = self._connection.execute(statement, values or None)  # type: ignore[call-overload,unused-ignore]
        if done.description is None:
            return []
        rows: list[Any] = done.fetchmany(1) if is_one else done.fetchall()
        return rows


def _fuse(*rankings: list[Any]) -> list[RemoteHit]:
    """One ranking of several, by reciprocal ranks, so that the scores of all servers have one scale.

    The rows of a ranking have a scope, a path and the bytes.
    """
    scores: dict[tuple[str, str], float] = {}
    versions: dict[tuple[str, str], bytes] = {}
    for ranking in rankings:
        for rank, (scope, path, data) in enumerate(ranking):
            place = scope, path
            versions.setdefault(place, bytes(data))
            scores[place] = scores.get(place, 0.0) + 1 / (FUSION + rank)
    best = sorted(versions, key=lambda place: (-scores[place], place))
    return [RemoteHit(*place, versions[place], scores[place]) for place in best]


def connect(url: str) -> "Connection[Any]":
    """Connect to a server. Only the URL, and the user's own files that it names, decide where. Raises SyncError."""
    try:
        import psycopg  # noqa: PLC0415 - only an organisation's team has it
    except ImportError as error:
        hint = "install cuecard with the extra `team`, with the installer that you have used"
        raise SyncError("psycopg is not installed, which a PostgreSQL server needs", hint) from error
    # libpq would take what the URL leaves open from the environment, which a project can set.
    for name in [name for name in os.environ if name.upper().startswith("PG")]:
        del os.environ[name]
    os.environ["HOME"] = home_path()
    try:
        # Statements that are prepared on one connection of a proxy are unknown on the next.
        return psycopg.connect(url, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT_SECONDS)
    except psycopg.Error as error:
        raise failure(error) from error


def check_schema(connection: "Connection[Any]") -> None:
    """Raise SyncError unless the tables of the server are those of this cuecard."""
    import psycopg  # noqa: PLC0415 - as above

    try:
        version = connection.execute("SELECT max(version) FROM cuecard.schema_version").fetchone()
    except psycopg.Error as error:
        raise SyncError("the server has no tables of cuecard", "`cuecard sync server URL` creates them") from error
    found = version[0] if version else None
    if found != SCHEMA:
        is_later = (found or 0) > SCHEMA
        hint = "update cuecard" if is_later else "`cuecard sync server URL` updates them"
        raise SyncError(f"the server's tables have version {found}, and this cuecard knows {SCHEMA}", hint)


def failure(error: Exception) -> SyncError:
    """The error for what the server, or the way to it, has refused."""
    message = getattr(getattr(error, "diag", None), "message_primary", None) or str(error)
    words = " ".join(hide_password(message).split())
    return SyncError(f"the server cannot do it: {words[:300]}", HINT)


def _no_scope(scope: str) -> SyncError:
    return SyncError(f"the server has no scope `{scope[:100]}` that you can read", "ask who administers it")


def _foreign(cursor: Cursor, epoch: str, counter: int, floor: int) -> str:
    """Why a cursor does not belong to a scope; "" if it may."""
    if cursor.epoch != epoch:
        return "the scope was created again"
    if cursor.counter > counter:
        return "the server was restored from a backup"
    if 0 < cursor.counter < floor:
        return "the server has forgotten deletions that were not pulled"
    return ""
