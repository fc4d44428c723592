"""Snapshots as the vectors describe them (see the README of the vectors)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.category import FOLDERS
from cuecard._pure.request import Request
from segment_cases import dump
from vector_cases import encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from cuecard import _pure as pure
    from cuecard._pure.settings import Numbers
    from snapshot_strategies import File

STORE = ".claude/memory/"
NUMBERS = (1.2, (3.0, 2.0, 1.0), (0.75, 0.75, 0.75))
PARTIAL = -2
BASE_TIMES = [1, 2, 3, 4, 5, -1]
LATER_TIMES = [7, 2, 3, 4, 5, -1]
Rows = list[Any]


def files_of(files: Rows) -> list[File]:
    """Memory files of path below the store and content; each was changed 5 ns after 1970."""
    found: list[File] = []
    for path, content in files:
        data = None if content is None else encode(content)
        found.append((dict(FOLDERS).get(path.partition("/")[0], "own"), STORE + path, data, len(data or b""), 5))
    return found


def update(
    twin: ModuleType, files: Rows, changed: Rows, removed: Rows, *, is_whole: bool, numbers: Numbers = NUMBERS
) -> tuple[bytes | None, bytes, Rows] | None:
    base = twin.build_snapshot(files_of(files), BASE_TIMES, numbers)[0]
    paths = [STORE + path for path in removed]
    updated: tuple[bytes | None, bytes, Rows] | None
    updated = twin.update_snapshot(twin.Snapshot(base), files_of(changed), paths, LATER_TIMES, is_whole)
    return updated


def snapshot_of(
    twin: ModuleType, numbers: Numbers, files: Rows, changed: Rows | None = None, removed: Rows | None = None
) -> pure.Snapshot:
    """A snapshot of files by those parameters of bm25, with a delta where some have changed or went."""
    base = twin.build_snapshot(files_of(files), BASE_TIMES, numbers)[0]
    updated = None
    if changed is not None or removed is not None:
        updated = update(twin, files, changed or [], removed or [], is_whole=False, numbers=numbers)
    snapshot: pure.Snapshot = twin.Snapshot(base, updated[1] if updated else b"")
    return snapshot


def make_snapshot(twin: ModuleType, **files: Rows) -> pure.Snapshot:
    """The same by the parameters that vectors of snapshots have."""
    return snapshot_of(twin, NUMBERS, **files)


def snapshot_sections(twin: ModuleType, files: Rows) -> Rows:
    """The bytes of a snapshot, dumped, and what has no document."""
    data, skipped = twin.build_snapshot(files_of(files), BASE_TIMES, NUMBERS)
    return [dump(data), skipped]


def snapshot_update(twin: ModuleType, files: Rows, changed: Rows, removed: Rows, *, is_whole: bool) -> Rows | None:
    """The bytes of base and delta, dumped, an empty list where there is none, and what has no document."""
    updated = update(twin, files, changed, removed, is_whole=is_whole)
    if updated is None:
        return None
    base, delta, skipped = updated
    return [dump(base) if base else [], dump(delta) if delta else [], skipped]


def snapshot_search(
    twin: ModuleType,
    prompt: str,
    strategy: str,
    k: int = 10,
    descriptions: Rows | None = None,
    synonyms: Rows | None = None,
    filters: Rows | None = None,
    **files: Rows,
) -> Rows:
    """Path below the store and score of what is found."""
    snapshot = make_snapshot(twin, **files)
    narrowed: Any = tuple(filters) if filters else None
    request = Request(prompt, k, twin.Settings(), descriptions or [], synonyms or [], filters=narrowed)
    hits = snapshot.search(request, strategy)
    return [[path_at(twin, snapshot, position), score] for position, score in hits]


def snapshot_explain(
    twin: ModuleType,
    path: str,
    prompt: str,
    strategy: str,
    descriptions: Rows | None = None,
    synonyms: Rows | None = None,
    **files: Rows,
) -> object:
    """The parts of the score of the document at a path; one beyond all documents where there is none."""
    snapshot = make_snapshot(twin, **files)
    position = snapshot.find(STORE + path)
    place = 99 if position is None else position
    return snapshot.explain(place, Request(prompt, 10, twin.Settings(), descriptions or [], synonyms or []), strategy)


def snapshot_document(twin: ModuleType, path: str, **files: Rows) -> object:
    snapshot = make_snapshot(twin, **files)
    position = snapshot.find(STORE + path)
    return None if position is None else snapshot.document(position)


def snapshot_contents(twin: ModuleType, **files: Rows) -> Rows:
    """How many documents, the watermark, the lines of the active ones, and the files of the decisions."""
    snapshot = make_snapshot(twin, **files)
    return [len(snapshot), twin.snapshot_state(snapshot)[0], snapshot.active_lines(), snapshot.files("decisions")]


def find_unchanged(twin: ModuleType, stamps: Rows, **files: Rows) -> Rows:
    """For each path, size and modification time the path of the memory that is found."""
    snapshot = make_snapshot(twin, **files)
    found = snapshot.find_unchanged([(STORE + path, *stamp) for path, *stamp in stamps])
    return [None if position is None else path_at(twin, snapshot, position) for position in found]


def path_at(twin: ModuleType, snapshot: pure.Snapshot, position: int) -> str:
    document = snapshot.document(position)
    assert document is not None
    path: str = twin.parse_index_line(document[0])[2]
    return path.removeprefix(STORE)


def snapshot_steps(twin: ModuleType, files: Rows, batches: Rows, limit: int, prompt: str) -> Rows:
    """What a snapshot says to which batches of files were added, each on top of the one before."""
    times = [PARTIAL, *BASE_TIMES[1:]]
    base, delta = twin.build_snapshot(files_of(files), times, NUMBERS)[0], b""
    for number, batch in enumerate(batches, 1):
        times[0] = LATER_TIMES[0] if number == len(batches) else PARTIAL
        documents = twin.Documents()
        for file in files_of(batch):
            documents.add(*file)
        new_base, delta, _skipped = twin.update_snapshot(twin.Snapshot(base, delta), documents, [], times, False, limit)
        base = new_base or base
    snapshot = twin.Snapshot(base, delta)
    found = snapshot.search(Request(prompt, 10, twin.Settings()), "bm25")
    hits = [[path_at(twin, snapshot, position), score] for position, score in found]
    _watermark, deltas, _bytes, _is_partial, unfit = twin.snapshot_state(snapshot)
    return [deltas, len(snapshot), snapshot.active_lines(), unfit, hits]


SNAPSHOTS: dict[str, Callable[..., Any]] = {
    "find_unchanged": find_unchanged,
    "snapshot_contents": snapshot_contents,
    "snapshot_document": snapshot_document,
    "snapshot_explain": snapshot_explain,
    "snapshot_search": snapshot_search,
    "snapshot_sections": snapshot_sections,
    "snapshot_steps": snapshot_steps,
    "snapshot_update": snapshot_update,
}
