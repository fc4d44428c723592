"""Builds snapshots of memory files: in memory for the pure backend, from a store on disk for the native one."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cuecard import _pure as pure
from cuecard._pure.engine.snapshot import build_snapshot, update_snapshot
from cuecard._pure.requests.budget import Budget
from cuecard.basics.category import FOLDERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from cuecard._pure import Loaded
    from cuecard._pure.settings.reader import Numbers
    from snapshot_strategies import File

    Change = tuple[list[File], list[File], list[str]]

NO_TIMES = [0] * 6


class StoreOnDisk:
    """The one project of this process whose snapshots the native backend builds; it is emptied for each of them."""

    def __init__(self) -> None:
        self.root = tempfile.mkdtemp(prefix="snapshots-")
        self._memory = Path(self.root, ".claude", "memory")

    def fill(self, files: list[File]) -> None:
        """Hold these files alone. A file without content cannot be read."""
        shutil.rmtree(self._memory, ignore_errors=True)
        for folder, _category in FOLDERS:
            (self._memory / folder).mkdir(parents=True)
        self.change(files, [])

    def change(self, written: list[File], removed: list[str]) -> None:
        """Write and remove files."""
        for path in removed:
            Path(self.root, path).unlink(missing_ok=True)
        for _category, path, data, _size, modified in written:
            place = Path(self.root, path)
            place.unlink(missing_ok=True)
            if data is None:
                place.symlink_to("nothing")
            else:
                place.write_bytes(data)
                os.utime(place, ns=(modified, modified))

    def load(
        self,
        engine: ModuleType,
        numbers: Numbers,
        budget: Budget | None = None,
        changes: tuple[list[int] | None, list[int], list[str]] | None = None,
    ) -> Loaded:
        """The snapshot as the backend's `load_snapshot` brings it up to date."""
        loaded: Loaded | None = engine.load_snapshot(self.root, numbers, budget, changes)
        assert loaded is not None
        return loaded


@cache
def store_on_disk() -> StoreOnDisk:
    return StoreOnDisk()


def build(engine: ModuleType, files: list[File], numbers: Numbers, times: list[int] | None = None) -> pure.Snapshot:
    """Build a snapshot of memory files."""
    if engine.__name__ == pure.__name__:
        return build_snapshot(files, times or NO_TIMES, numbers)[0]
    store_on_disk().fill(files)
    return store_on_disk().load(engine, numbers, None, (None, times or NO_TIMES, [])).snapshot


def build_changed(
    engine: ModuleType, change: Change, numbers: Numbers, times: list[int] | None = None, later: list[int] | None = None
) -> pure.Snapshot:
    """A snapshot of files after some of them were written or removed.

    The native snapshot has a delta for this change.
    """
    files, changed, removed = change
    if not changed and not removed:
        return build(engine, files, numbers, later or times)
    if engine.__name__ == pure.__name__:
        before = build(engine, files, numbers, times)
        return update_snapshot(before, changed, removed, later or times or NO_TIMES)[0]
    store = store_on_disk()
    # Which files have changed is seen by size and time, so a file that is written again had another time before.
    written = {file[1] for file in changed}
    store.fill([(*file[:4], file[4] + (file[1] in written)) for file in files])
    store.load(engine, numbers, None, (None, NO_TIMES, [])).write()
    store.change(changed, removed)
    return store.load(engine, numbers, Budget()).snapshot


def path_at(snapshot: pure.Snapshot, position: int) -> str:
    """The path of the document at a position."""
    document = snapshot.document(position)
    assert document is not None
    parts = pure.parse_index_line(document[0])
    assert parts is not None
    return parts[2]


def positions_of(snapshot: pure.Snapshot) -> dict[str, int]:
    """The position of each document, by path, in the order of the paths. Positions of a native snapshot have gaps."""
    there = [position for position in range(2 * len(snapshot) + 500) if snapshot.document(position)]
    assert len(there) == len(snapshot)
    return dict(sorted({path_at(snapshot, position): position for position in there}.items()))


def position_of(snapshot: pure.Snapshot, path: str) -> int:
    """The position of the document at a path; without such a document, a position beyond all documents."""
    position = snapshot.find(path)
    return 2**40 if position is None else position


def by_path(snapshot: pure.Snapshot, rows: Sequence[tuple[int, ...]]) -> list[tuple[object, ...]]:
    """Replace the positions in the rows of a snapshot's answer with paths."""
    return [(path_at(snapshot, position), *rest) for position, *rest in rows]


def embedded_in(
    snapshot: pure.Snapshot, other: pure.Snapshot, embedded: list[tuple[int, int]] | None
) -> list[tuple[int, int]] | None:
    """The pairs of position and cosine in `embedded`, with positions of `other` instead of positions of `snapshot`."""
    if embedded is None:
        return None
    places = [snapshot.document(position) and path_at(snapshot, position) for position, _cosine in embedded]
    found = [other.find(path) if path else None for path in places]
    return [(-1 if place is None else place, cosine) for place, (_, cosine) in zip(found, embedded, strict=True)]
