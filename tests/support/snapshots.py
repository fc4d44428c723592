"""Builds snapshots of memory files: for the native backend a file and its delta, for the pure backend documents."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from cuecard import _pure as pure
from cuecard._pure.engine.snapshot import build_snapshot, update_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from cuecard._pure.settings.reader import Numbers
    from snapshot_strategies import File

    Change = tuple[list[File], list[File], list[str]]

NO_TIMES = [0] * 6


def build(engine: ModuleType, files: list[File], numbers: Numbers, times: list[int] | None = None) -> pure.Snapshot:
    """Build a snapshot of memory files."""
    if engine.__name__ == pure.__name__:
        return build_snapshot(files, times or NO_TIMES, numbers)[0]
    snapshot: pure.Snapshot = engine.Snapshot(engine.build_snapshot(files, times or NO_TIMES, numbers)[0])
    return snapshot


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
    base = engine.build_snapshot(files, times or NO_TIMES, numbers)[0]
    updated = engine.update_snapshot(engine.Snapshot(base), changed, removed, later or times or NO_TIMES, False)
    snapshot: pure.Snapshot = engine.Snapshot(base, updated[1])
    return snapshot


def watermark_of(snapshot: pure.Snapshot) -> list[int]:
    """The times of the category folders that a snapshot has stored."""
    if isinstance(snapshot, pure.Snapshot):
        return snapshot.watermark()
    native = import_module("cuecard._native")
    watermark: list[int] = native.parts.snapshot_state(snapshot)[0]
    return watermark


def path_at(snapshot: pure.Snapshot, position: int) -> str:
    """The path of the document at a position."""
    document = snapshot.document(position)
    assert document is not None
    parts = pure.parse_index_line(document[0])
    assert parts is not None
    return parts[2]


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
