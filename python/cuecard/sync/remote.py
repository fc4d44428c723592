"""The interface of a place where a team keeps its memories. Rules: docs/reference/sync.md, "Remotes"."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..errors import InputError

# So many changes are asked for at once.
PAGE = 500
MAX_CURSOR_CHARS = 300


@dataclass(frozen=True)
class Cursor:
    """How far a client has read the changes of a scope.

    A remote whose history no longer contains the cursor answers `Resync`: it was restored from a backup, or has
    forgotten deletions that the client has not read.
    """

    epoch: str
    """Names one history of the scope; a scope that was created again has another epoch."""
    counter: int
    """The number of the last change that was read."""
    head: str
    """The hash of the history up to that change."""

    def __str__(self) -> str:
        return f"{self.epoch}:{self.counter}:{self.head}"


def read_cursor(text: str) -> Cursor | None:
    """The cursor that a text has; None for "". Raises InputError for any other text that is no cursor."""
    if not text:
        return None
    parts = text.split(":")
    if len(parts) != 3 or not parts[1].isdecimal() or len(text) > MAX_CURSOR_CHARS:
        raise InputError("the kept cursor cannot be read", "run `cuecard sync leave` and join again")
    return Cursor(parts[0], int(parts[1]), parts[2])


@dataclass(frozen=True)
class RemoteScope:
    """One set of memories on a remote, and what the user may do there."""

    name: str
    right: str
    """`read`, `propose`, `write` or `administer`; "" if the remote cannot tell before it is tried."""


@dataclass(frozen=True)
class Change:
    """The version of a memory that a scope has, or that it shall get."""

    path: str
    """The folder of the category and the name of the file, such as `decisions/a.json`."""
    data: bytes | None
    """The bytes of the file; None for a deleted memory."""
    expected: str = ""
    """For a push: the SHA-256 of the version that it replaces; "" if there must be none."""


@dataclass(frozen=True)
class Pulled:
    """Changes since a cursor; of a memory that changed several times, only the last version."""

    changes: list[Change]
    cursor: Cursor
    is_last: bool
    """Whether nothing is left to pull."""


@dataclass(frozen=True)
class Resync:
    """The cursor does not belong to the history of the scope: everything must be read from the beginning."""

    reason: str


@dataclass
class Pushed:
    """What a remote did with the changes of a push."""

    accepted: list[str] = field(default_factory=list)
    """The paths that have the pushed version now."""
    proposed: list[str] = field(default_factory=list)
    """The paths whose versions wait until somebody who may write accepts them."""
    conflicts: dict[str, bytes | None] = field(default_factory=dict)
    """The paths whose version was not the expected one, with the version that the scope has."""


class Remote(Protocol):
    """A place where teams keep memories. Every method raises SyncError if the place cannot be reached or refuses."""

    def scopes(self) -> list[RemoteScope]:
        """The scopes that the user can read."""
        ...

    def pull(self, scope: str, cursor: Cursor | None, limit: int = PAGE) -> Pulled | Resync:
        """About `limit` changes after a cursor, in the order in which they arrived; None reads from the beginning."""
        ...

    def push(self, scope: str, changes: Sequence[Change]) -> Pushed:
        """Store changes whose expected versions are there, all others are conflicts.

        A version that is already there is accepted, so that a push can be repeated after a lost answer.
        """
        ...

    def close(self) -> None:
        """Close connections."""
        ...
