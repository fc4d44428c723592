"""A remote in the memory of a test: a third implementation of the interface."""

import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from cuecard.store.records.record_file import content_hash
from cuecard.sync.remote import PAGE, Change, Cursor, Pulled, Pushed, RemoteScope, Resync


@dataclass
class MemoryServer:
    """One scope: the last version of each memory with its number, and the hash of each number."""

    epoch: str = "e1"
    versions: dict[str, tuple[int, bytes | None]] = field(default_factory=dict)
    heads: list[str] = field(default_factory=lambda: [""])

    def back_up(self) -> "MemoryServer":
        """A copy."""
        return copy.deepcopy(self)

    def restore(self, backup: "MemoryServer") -> None:
        """Have the state of a copy again."""
        self.versions, self.heads = dict(backup.versions), list(backup.heads)

    def data(self) -> dict[str, bytes]:
        """The memories that are there."""
        return {path: data for path, (_number, data) in sorted(self.versions.items()) if data is not None}


class MemoryRemote:
    """A client of a server."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server

    def close(self) -> None:
        """Nothing is open."""

    def scopes(self) -> list[RemoteScope]:
        """The one scope."""
        return [RemoteScope("team", "write")]

    def pull(self, scope: str, cursor: Cursor | None, limit: int = PAGE) -> Pulled | Resync:
        """The changes behind a cursor."""
        server, begin = self._server, cursor.counter if cursor else 0
        if cursor and (cursor.epoch != server.epoch or server.heads[begin : begin + 1] != [cursor.head]):
            return Resync("another history")
        rows = sorted([(number, path, data) for path, (number, data) in server.versions.items() if number > begin])
        page = rows[:limit]
        last = page[-1][0] if len(rows) > limit else len(server.heads) - 1
        changes = [Change(path, data) for _number, path, data in page]
        return Pulled(changes, Cursor(server.epoch, last, server.heads[last]), is_last=len(rows) <= limit)

    def push(self, scope: str, changes: Sequence[Change]) -> Pushed:
        """Store changes."""
        server, pushed = self._server, Pushed()
        for change in changes:
            _number, there = server.versions.get(change.path, (0, None))
            if there == change.data:
                pushed.accepted.append(change.path)
            elif (content_hash(there) if there is not None else "") != change.expected:
                pushed.conflicts[change.path] = there
            else:
                after = hashlib.sha256(repr((server.heads[-1], change)).encode()).hexdigest()
                server.heads.append(after)
                server.versions[change.path] = len(server.heads) - 1, change.data
                pushed.accepted.append(change.path)
        return pushed
