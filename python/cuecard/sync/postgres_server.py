"""Creates and administers the tables of a PostgreSQL server for teams."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import SyncError, UsageError
from .postgres_remote import SCHEMA, Ask, check_schema, connect, failure

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "team_server"
RIGHTS = ("read", "propose", "write", "administer", "none")
_SCOPE = re.compile(r"[a-z0-9][a-z0-9._/-]{0,99}")
# Only one administrator at a time changes the tables.
_LOCK = 7_391_020_418
# Whether this login owns the tables, and those of vectors, which are optional, are missing on a server with pgvector.
_LACKS_VECTORS = """
    SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')
    AND EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'cuecard' AND pg_has_role(nspowner, 'USAGE'))
    AND (to_regclass('cuecard.embedding') IS NULL OR NOT EXISTS (
        SELECT 1 FROM pg_trigger WHERE tgname = 'forget_vectors' AND tgrelid = to_regclass('cuecard.memory')))
"""


class TeamServer:
    """A connection of who owns the tables, or administers a scope."""

    def __init__(self, url: str) -> None:
        """Connect. Raises SyncError."""
        self._connection = connect(url)
        self._ask = Ask(self._connection)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def migrate(self) -> list[int]:
        """Bring the tables to the version of this cuecard; returns the steps that were taken. Raises SyncError.

        The tables of vectors are no step: they are made as soon as the server has pgvector, and block nothing.
        """
        taken = []
        try:
            with self._connection.transaction():
                self._ask("SELECT pg_advisory_xact_lock(%s)", _LOCK)
                there = self._ask("SELECT to_regclass('cuecard.schema_version') IS NOT NULL")[0][0]
                version = self._ask("SELECT max(version) FROM cuecard.schema_version")[0][0] if there else 0
                if (version or 0) > SCHEMA:
                    check_schema(self._connection)
                for step in range((version or 0) + 1, SCHEMA + 1):
                    self._run_file(f"{step:04}.sql")
                    self._ask("INSERT INTO cuecard.schema_version (version) VALUES (%s)", step)
                    taken.append(step)
        except SyncError:
            raise
        except Exception as error:
            raise failure(error) from error
        self._add_vectors()
        return taken

    def _add_vectors(self) -> None:
        """Make the tables of vectors where the server can have them. Without them the search goes by words."""
        import psycopg  # noqa: PLC0415 - `connect` has said so if it is missing

        with suppress(psycopg.Error), self._connection.transaction():
            self._ask("SELECT pg_advisory_xact_lock(%s)", _LOCK)
            if self._ask(_LACKS_VECTORS)[0][0]:
                self._run_file("vectors.sql")

    def _run_file(self, name: str) -> None:
        self._connection.execute((FOLDER / name).read_text("utf-8"))  # type: ignore[call-overload,unused-ignore]

    def is_current(self) -> bool:
        """Whether the tables have the version of this cuecard, and there is nothing to try about vectors."""
        there = self._ask("SELECT to_regclass('cuecard.schema_version') IS NOT NULL")[0][0]
        is_known = there and self._ask("SELECT max(version) FROM cuecard.schema_version")[0][0] == SCHEMA
        return bool(is_known and not self._ask(_LACKS_VECTORS)[0][0])

    def has_scope(self, name: str) -> bool:
        """Whether there is a scope that this login can see."""
        return bool(self._run("SELECT 1 FROM cuecard.scope WHERE name = %s", name))

    def create_scope(self, name: str) -> bool:
        """Create a scope; False if it is there. Raises SyncError, UsageError."""
        if not _SCOPE.fullmatch(name):
            raise UsageError(
                f"`{name[:60]}` cannot be the name of a scope", "use lower-case letters, digits and `._/-`"
            )
        return bool(
            self._run("INSERT INTO cuecard.scope (name) VALUES (%s) ON CONFLICT (name) DO NOTHING RETURNING id", name)
        )

    def set_member(self, scope: str, login: str, right: str) -> None:
        """Give a login a right in a scope; `none` takes it away. Raises SyncError, UsageError."""
        if right not in RIGHTS:
            raise UsageError(f"unknown right `{right[:40]}`", f"use {', '.join([f'`{name}`' for name in RIGHTS])}")
        self._run("SELECT cuecard.set_member(%s, %s, %s)", scope, login, None if right == "none" else right)

    def forget(self, scope: str, days: int) -> int:
        """Forget deletions that are older; who has not pulled them reads everything again. Raises SyncError."""
        return int(self._run("SELECT cuecard.forget(%s, %s)", scope, days)[0][0])

    def _run(self, statement: str, *values: object) -> list[Any]:
        try:
            check_schema(self._connection)
            return self._ask(statement, *values)
        except SyncError:
            raise
        except Exception as error:
            raise failure(error) from error
