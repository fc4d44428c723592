"""Snapshots from memory files, and what a change of files does to one (SPEC 22)."""

from struct import pack

from . import bm25, layout
from .category import FOLDERS
from .chars import scrub
from .documents import Documents, File
from .layout import Header
from .segment import Segment, Statistics, dead_documents
from .segment_builder import Builder
from .segment_writer import SegmentSource, write_segment
from .snapshot import FOLDER_COUNT, MAX_DELTAS, PARTIAL, UNKNOWN_NAME, Snapshot, SnapshotPart, unfit_in
from .stored_document import StoredDocument
from .unfit_files import write_unfit
from .vectors import write_vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .settings import Numbers

    Updated = tuple[bytes | None, bytes, list[tuple[str, str]]]

# A snapshot up to this size is written as a whole.
WHOLE_MAX = 2048
DELTA_MAX = 256
DELTA_SHARE = 16

# A delta up to this size becomes one with the next, one beyond it only if that has half as many documents.
SMALL_DELTA_BYTES = 262_144


def build_snapshot(
    files: "list[File] | Documents", watermark: list[int], numbers: "Numbers", threads: int = 1
) -> tuple[bytes, list[tuple[str, str]]]:
    """The bytes of a snapshot of memory files in any order, and path and reason of each that has no document.

    `files` have category by folder, path, content (None: unreadable), size and modification time (nanoseconds),
    `numbers` are k1, weights and bs. The bytes do not depend on `threads`, which the pure twin does not use.
    """
    documents = files if isinstance(files, Documents) else Documents(files)
    statistics = Statistics(bm25.Bm25Settings(*numbers), bm25.AVERAGE_LENGTHS)
    parts, stored = _renumber([], documents)
    unfit = write_unfit({}, documents.unfit)
    return _write((0, 0), statistics, parts, stored, watermark, unfit), list(documents.skipped)


def update_snapshot(
    snapshot: Snapshot,
    changed: "list[File] | Documents",
    removed: list[str],
    watermark: list[int],
    is_whole: bool,
    merge_limit: int | None = None,
) -> "Updated | None":
    """The bytes of base and deltas after files were written or removed, and what has no document (SPEC 22.4).

    `changed` has category by folder, path, content (None: unreadable), size and modification time (nanoseconds)
    of each. A base of None stays; a delta of b"" is to be removed. With `is_whole` a small snapshot, or one whose
    deltas have grown too large, becomes one file. With `merge_limit` deltas of at most so many bytes together
    become one with the new documents, without it all of them do. None where impacts or vectors were made in another
    way. Raises SegmentError.
    """
    documents = changed if isinstance(changed, Documents) else Documents(changed)
    removed = [scrub(path) for path in removed]
    gone = [set(part.dead) for part in snapshot.parts]
    for path in removed + documents.paths:
        position = snapshot.find(path)
        place = snapshot.place(position) if position is not None else None
        if place:
            gone[place[0]].add(place[1])
    base = snapshot.parts[0]
    statistics = snapshot.statistics()
    if statistics is None or not snapshot.has_vectors():
        return None
    is_one = _becomes_whole(snapshot, gone, documents) if is_whole else _is_finished(snapshot, watermark, merge_limit)
    if is_one:
        merged = _merge(snapshot, statistics, gone, documents, removed, watermark)
        return merged, b"", list(documents.skipped)
    kept = 1 + (0 if is_whole else _count_kept(snapshot, gone, documents, merge_limit))
    sources = list(zip(snapshot.parts, gone, strict=True))[kept:]
    for part, _gone in sources:
        part.segment.check()
    parts, stored = _renumber(sources, documents)
    dead, before = _newly_dead(snapshot.parts[:kept], gone)
    unfit = write_unfit(unfit_in(snapshot.parts[:kept]), _unfit_after(snapshot, documents, removed))
    written = _write((base.segment.checksum(), before), statistics, parts, stored, watermark, unfit, dead)
    # Copied once: they may be large.
    pieces: list[bytes | memoryview] = []
    for part in snapshot.parts[1:kept]:
        data = part.segment.bytes()
        pieces += [data, bytes(-len(data) % 8)]
    delta = b"".join([*pieces, written])
    return None, delta, list(documents.skipped)


def snapshot_state(snapshot: Snapshot) -> tuple[list[int], int, int, bool, list[tuple[str, int, int]]]:
    """Watermark, number and bytes of deltas, whether files are missing, and the files without a document."""
    unfit = [file for folder, _category in FOLDERS for file in snapshot.unfit_files(folder)]
    return snapshot.watermark(), snapshot.deltas(), snapshot.delta_bytes(), snapshot.is_partial(), unfit


def has_settings(snapshot: Snapshot, numbers: "Numbers") -> bool:
    """Whether a snapshot was made with these numbers."""
    return snapshot.has_settings(numbers)


def _becomes_whole(snapshot: Snapshot, gone: list[set[int]], documents: Documents) -> bool:
    """Whether a writer makes one file of everything."""
    of_base, *of_deltas = [
        part.segment.documents() - len(dead) for part, dead in zip(snapshot.parts, gone, strict=True)
    ]
    in_deltas = sum(of_deltas) + len(documents.stored)
    limit = max(DELTA_MAX, snapshot.parts[0].segment.documents() // DELTA_SHARE)
    return of_base + in_deltas <= WHOLE_MAX or max(in_deltas, len(gone[0])) > limit


def _is_finished(snapshot: Snapshot, watermark: list[int], merge_limit: int | None) -> bool:
    """Whether this completes a partial snapshot that is small enough to be written again."""
    if merge_limit is None or PARTIAL in watermark or not snapshot.is_partial():
        return False
    return sum([len(part.segment.bytes()) for part in snapshot.parts]) <= merge_limit


def _count_kept(snapshot: Snapshot, gone: list[set[int]], documents: Documents, merge_limit: int | None) -> int:
    """How many of the deltas stay as they are; the others become one with the new documents."""
    if merge_limit is None:
        return 0
    kept, total, count = snapshot.deltas(), 0, len(documents.stored)
    while kept:
        segment = snapshot.parts[kept].segment
        size = len(segment.bytes())
        total += size
        is_light = size <= SMALL_DELTA_BYTES or segment.documents() <= 2 * count
        if kept < MAX_DELTAS and (total > merge_limit or not is_light):
            break
        count += segment.documents() - len(gone[kept])
        kept -= 1
    return kept


def _newly_dead(parts: list[SnapshotPart], gone: list[set[int]]) -> tuple[list[int], int]:
    """The positions in some parts that a delta behind them has to name as dead, and how many documents they have."""
    dead: list[int] = []
    begin = 0
    named = dead_documents([part.segment for part in parts])
    for part, all_gone, known in zip(parts, gone, named, strict=False):
        dead += [begin + number for number in sorted(all_gone - known)]
        begin += part.segment.documents()
    return dead, begin


def _unfit_after(snapshot: Snapshot, documents: Documents, removed: list[str]) -> dict[str, tuple[int, int]]:
    """The files without a document, but for those that are gone or changed, and the new ones."""
    files = unfit_in(snapshot.parts)
    for path in removed + documents.paths:
        files.pop(path, None)
    return {**files, **documents.unfit}


def _merge(
    snapshot: Snapshot,
    statistics: Statistics,
    gone: list[set[int]],
    documents: Documents,
    removed: list[str],
    watermark: list[int],
) -> bytes:
    """One segment of everything that lives."""
    snapshot.check()
    parts, stored = _renumber(list(zip(snapshot.parts, gone, strict=True)), documents)
    unfit = write_unfit({}, _unfit_after(snapshot, documents, removed))
    return _write((0, 0), statistics, parts, stored, watermark, unfit)


def _renumber(
    sources: list[tuple[SnapshotPart, set[int]]], documents: Documents
) -> tuple[list[SegmentSource], list[StoredDocument]]:
    """The parts of a new segment and its documents in their order."""
    merged: list[tuple[tuple[str, str, int, str], int, int, StoredDocument]] = []
    for place, (part, gone) in enumerate(sources):
        for number in range(part.segment.documents()):
            document = None if number in gone else part.document(number)
            if document:
                merged.append((document.order_key(), place, number, document))
    for number, document in enumerate(documents.stored):
        merged.append((document.order_key(), len(sources), number, document))
    merged.sort(key=lambda entry: entry[:3])
    maps: list[list[int | None]] = [[None] * part.segment.documents() for part, _gone in sources]
    maps.append([None] * len(documents.stored))
    for new, (_key, place, number, _document) in enumerate(merged):
        maps[place][number] = new
    lists: list[Segment | Builder] = [part.segment for part, _gone in sources]
    lists.append(documents.builder)
    parts = [SegmentSource(source, numbers) for source, numbers in zip(lists, maps, strict=True)]
    return parts, [document for *_rest, document in merged]


def _write(
    base: tuple[int, int],
    statistics: Statistics,
    parts: list[SegmentSource],
    stored: list[StoredDocument],
    watermark: list[int],
    unfit: bytes,
    dead: list[int] | None = None,
) -> bytes:
    """A segment with the sections of a snapshot.

    `base` is, of a delta, the checksum of its base and how many documents the segments before it have.
    """
    header = Header(len(stored), layout.ANALYZERS.index("terms"), *base)
    categories = [line[0] if (line := document.parts()) else "" for document in stored]
    names = sorted(set(categories))
    numbers = {name: min(number, UNKNOWN_NAME) for number, name in enumerate(names)}
    texts = [name.encode() for name in names]
    ends, end = [], 0
    for text in texts:
        end += len(text)
        ends.append(end)
    records = [document.encode() for document in stored]
    places = [0]
    for record in records:
        places.append(places[-1] + len(record))
    paths = sorted(range(len(stored)), key=lambda number: stored[number].path().encode())
    kinds = [
        byte for name, document in zip(categories, stored, strict=True) for byte in (numbers[name], document.status)
    ]
    extra = [
        (layout.WATERMARK, pack(f"<{FOLDER_COUNT}q", *watermark)),
        (layout.NAMES, pack(f"<{1 + len(ends)}I", len(ends), *ends) + b"".join(texts) if texts else b""),
        (layout.KINDS, bytes(kinds)),
        (layout.PLACES, pack(f"<{len(places)}I", *places) if stored else b""),
        (layout.RECORDS, b"".join(records)),
        (layout.BY_PATH, pack(f"<{len(paths)}I", *paths)),
        (layout.DEAD, pack(f"<{len(dead)}I", *dead) if dead else b""),
        (layout.VECTORS, write_vectors(parts, header.documents)),
        (layout.UNFIT, unfit),
    ]
    return write_segment(header, statistics, parts, extra, with_norms=True)
