"""Links between memories, and their lookups, for the vectors in `tests/vectors` (see the README there)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.engine.snapshot import find_successor
from cuecard._pure.memory.links import read_links
from cuecard._pure.memory.path_pattern import matches_path
from cuecard._pure.memory.subjects import read_subjects
from cuecard._pure.rank import situation
from cuecard.basics.json_reader import read_json
from snapshot_cases import STORE, make_snapshot, path_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

Rows = list[Any]


def links_of(data: str) -> list[str]:
    """The keys under which the dictionary of links has a record, which is given as JSON text."""
    record = read_json(data.encode())
    assert isinstance(record, dict)
    return read_links(record)


def subjects_of(data: str) -> list[str]:
    """The keys under which the dictionary of links has the subjects of a record, which is given as JSON text."""
    record = read_json(data.encode())
    assert isinstance(record, dict)
    return read_subjects(record)


def anchored(engine: ModuleType, paths: list[str], method: str = "anchored", **files: Rows) -> Rows:
    """For each path, the memories that the snapshot's method named `method` finds."""
    snapshot = make_snapshot(engine, **files)
    found = [getattr(snapshot, method)(path) for path in paths]
    return [[path_at(engine, snapshot, position) for position in positions] for positions in found]


def successors(engine: ModuleType, paths: list[str], **files: Rows) -> Rows:
    """For each memory, the memory that has replaced it; None if there is none."""
    snapshot = make_snapshot(engine, **files)
    positions = [snapshot.find(STORE + path) for path in paths]
    return [None if each is None else path_at(engine, snapshot, find_successor(snapshot, each)) for each in positions]


def without_path(engine: ModuleType, rows: Rows, logit: int, **files: Rows) -> Rows:
    """For each memory and path in a prompt, the logit and probability without what the gate adds for the path."""
    snapshot = make_snapshot(engine, **files)
    found = []
    for path, named in rows:
        position = snapshot.find(STORE + path)
        assert position is not None
        found.append(situation.without_path(snapshot, position, [named], logit))
    return found


LINK_PARTS: dict[str, Callable[..., Any]] = {
    "links_of": links_of,
    "matches_path": matches_path,
    "subjects_of": subjects_of,
}
LINKS: dict[str, Callable[..., Any]] = {"anchored": anchored, "successors": successors, "without_path": without_path}
