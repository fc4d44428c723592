"""Builds snapshots and calls them for the vectors in `tests/vectors` (see the README there)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.memory.validity import standing_at
from cuecard._pure.requests.request import Request
from cuecard.basics.category import FOLDERS
from cuecard.basics.timestamp import parse_timestamp
from snapshots import build, build_changed
from vector_cases import encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from cuecard import _pure as pure
    from cuecard._pure.settings.reader import Numbers
    from snapshot_strategies import File

STORE = ".claude/memory/"
NUMBERS = (1.2, (3.0, 2.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
BASE_TIMES = [1, 2, 3, 4, 5, -1]
LATER_TIMES = [7, 2, 3, 4, 5, -1]
Rows = list[Any]


def files_of(files: Rows) -> list[File]:
    """Memory files from pairs of path (below the store) and content; the content is None for an unreadable file.

    Every file has the modification time 5, in nanoseconds since 1970.
    """
    found: list[File] = []
    for path, content in files:
        data = None if content is None else encode(content)
        found.append((dict(FOLDERS).get(path.partition("/")[0], "own"), STORE + path, data, len(data or b""), 5))
    return found


def snapshot_of(
    engine: ModuleType, numbers: Numbers, files: Rows, changed: Rows | None = None, removed: Rows | None = None
) -> pure.Snapshot:
    """A snapshot of `files`, after some files were changed or removed; `numbers` are the BM25 parameters."""
    if changed is None and removed is None:
        return build(engine, files_of(files), numbers, BASE_TIMES)
    change = files_of(files), files_of(changed or []), [STORE + path for path in removed or []]
    return build_changed(engine, change, numbers, BASE_TIMES, LATER_TIMES)


def make_snapshot(engine: ModuleType, **files: Rows) -> pure.Snapshot:
    """A snapshot of files, with the BM25 parameters that the snapshot vectors use."""
    return snapshot_of(engine, NUMBERS, **files)


def snapshot_search(
    engine: ModuleType,
    prompt: str,
    strategy: str,
    k: int = 10,
    descriptions: Rows | None = None,
    synonyms: Rows | None = None,
    filters: Rows | None = None,
    **files: Rows,
) -> Rows:
    """The path below the store and the score of each hit."""
    snapshot = make_snapshot(engine, **files)
    narrowed: Any = tuple(filters) if filters else None
    request = Request(prompt, k, engine.read_settings(None, None), descriptions or [], synonyms or [], filters=narrowed)
    hits = snapshot.search(request, strategy)
    return [[path_at(engine, snapshot, position), score] for position, score in hits]


def snapshot_explain(
    engine: ModuleType,
    path: str,
    prompt: str,
    strategy: str,
    descriptions: Rows | None = None,
    synonyms: Rows | None = None,
    **files: Rows,
) -> object:
    """The parts of the score of the document at a path; without such a document, of a position beyond all documents."""
    snapshot = make_snapshot(engine, **files)
    position = snapshot.find(STORE + path)
    place = 99 if position is None else position
    settings = engine.read_settings(None, None)
    return snapshot.explain(place, Request(prompt, 10, settings, descriptions or [], synonyms or []), strategy)


def snapshot_document(engine: ModuleType, path: str, **files: Rows) -> object:
    snapshot = make_snapshot(engine, **files)
    position = snapshot.find(STORE + path)
    return None if position is None else snapshot.document(position)


def snapshot_contents(engine: ModuleType, **files: Rows) -> Rows:
    """The number of documents, the watermark, the lines of active memories, and the files of the decisions."""
    snapshot = make_snapshot(engine, **files)
    return [len(snapshot), snapshot.watermark(), snapshot.active_lines, snapshot.files("decisions")]


def find_unchanged(engine: ModuleType, stamps: Rows, **files: Rows) -> Rows:
    """For each path, size and modification time, the path of the memory that is found; None if none is found."""
    snapshot = make_snapshot(engine, **files)
    found = [snapshot.find(STORE + path, *stamp) for path, *stamp in stamps]
    return [None if position is None else path_at(engine, snapshot, position) for position in found]


def path_at(engine: ModuleType, snapshot: pure.Snapshot, position: int) -> str:
    document = snapshot.document(position)
    assert document is not None
    path: str = engine.parse_index_line(document[0])[2]
    return path.removeprefix(STORE)


def listed_terms(path: str, **files: Rows) -> Rows:
    """The terms in title, tags and questions of the document at a path, each with the bit mask of its fields."""
    from cuecard import _pure as reference  # noqa: PLC0415 - what no backend exposes

    snapshot = make_snapshot(reference, **files)
    document = snapshot.documents[snapshot.find(STORE + path) or 0]
    return [[term, fields] for term, fields in document.listed().items()]


def standings(path: str, moments: Rows, **files: Rows) -> Rows:
    """For each of some times, whether the document at a path is valid: `holds`, `over` or `ahead`."""
    from cuecard import _pure as reference  # noqa: PLC0415 - what no backend exposes

    snapshot = make_snapshot(reference, **files)
    document = snapshot.documents[snapshot.find(STORE + path) or 0]
    return [standing_at(document.validity, parse_timestamp(moment) or 0) for moment in moments]


SNAPSHOT_PARTS: dict[str, Callable[..., Any]] = {"listed_terms": listed_terms, "standings": standings}
SNAPSHOTS: dict[str, Callable[..., Any]] = {
    "find_unchanged": find_unchanged,
    "snapshot_contents": snapshot_contents,
    "snapshot_document": snapshot_document,
    "snapshot_explain": snapshot_explain,
    "snapshot_search": snapshot_search,
}
