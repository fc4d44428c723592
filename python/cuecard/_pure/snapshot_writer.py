"""Snapshots from memory files, and what a change of files does to one (SPEC 22)."""

from struct import pack

from . import bm25, layout
from .chars import scrub
from .document import Document, read_document
from .layout import Header
from .segment import Segment, Statistics
from .segment_builder import Builder
from .segment_writer import Part, write_segment
from .snapshot import FOLDER_COUNT, UNKNOWN_NAME, Snapshot, SnapshotPart
from .stored_document import StoredDocument, store_document
from .tokenize import tokenize
from .vectors import RowMaker, write_vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .lexical_config import Numbers

# Category by folder, path relative to the project, content (None: unreadable), size, modification time in nanoseconds.
File = tuple[str, str, "bytes | None", int, int]

# A snapshot up to this size is written as a whole.
WHOLE_MAX = 2048
DELTA_MAX = 256
DELTA_SHARE = 16

IN_TITLE = 1
IN_TAGS = 2


class Loose:
    """Documents that are in no snapshot yet, in their order, with what a segment keeps of them."""

    __slots__ = ("builder", "stored")

    def __init__(self, files: list[File], skipped: list[tuple[str, str]]) -> None:
        """Read from files; why any has no document is added to `skipped`."""
        found: list[tuple[tuple[str, str, int, str], Document, StoredDocument]] = []
        for category, path, data, size, modified in files:
            document = read_document(category, path, data)
            if not isinstance(document, Document):
                if not document[1]:
                    skipped.append((scrub(path), document[0]))
                continue
            stored = store_document(document, (size, modified), (0, 0, 0))
            if stored is None:
                skipped.append((scrub(path), BAD_LINE))
            else:
                found.append((stored.order_key(), document, stored))
        found.sort(key=lambda entry: entry[0])
        self.builder = Builder(layout.ANALYZERS.index("terms"))
        self.stored: list[StoredDocument] = []
        rows = RowMaker()
        for number, (_key, document, stored) in enumerate(found):
            fields = document.fields()
            self.builder.push(fields)
            self.builder.push_row(*rows.document_row(*fields))
            stored.lengths = self.builder.lengths(number)
            self.stored.append(stored)
            parts = stored.parts()
            if parts:
                _category, title, _path, tags = parts
                for word in tokenize(title, "current"):
                    self.builder.push_word(word, IN_TITLE)
                for word in tags:
                    self.builder.push_word(word, IN_TAGS)
            for link in document.links():
                self.builder.push_link(link)


BAD_LINE = "a `category` or `tags` that no index line can hold"


def build_snapshot(
    files: list[File], watermark: list[int], numbers: "Numbers", threads: int = 1
) -> tuple[bytes, list[tuple[str, str]]]:
    """The bytes of a snapshot of memory files in any order, and path and reason of each that has no document.

    `files` have category by folder, path, content (None: unreadable), size and modification time (nanoseconds),
    `numbers` are k1, weights and bs. The bytes do not depend on `threads`, which the pure twin does not use.
    """
    settings = bm25.Settings(*numbers)
    skipped: list[tuple[str, str]] = []
    loose = Loose(files, skipped)
    count = len(loose.stored)
    totals = loose.builder.totals()
    title, tags, body = (bm25.grid_average(total, count) for total in totals)
    statistics = Statistics(settings, (title, tags, body), totals)
    parts = [Part(loose.builder, range(count))]
    return _write(Header(count, layout.ANALYZERS.index("terms")), statistics, parts, loose.stored, watermark), skipped


def update_snapshot(
    snapshot: Snapshot, changed: list[File], removed: list[str], watermark: list[int], is_whole: bool
) -> tuple[bytes | None, bytes, list[tuple[str, str]]] | None:
    """The bytes of the base and of the delta after files were written or removed, and what has no document.

    A base of None stays; a delta of b"" is to be removed. With `is_whole` a small snapshot, or one whose delta has
    grown too large, becomes one file. None where that takes impacts that only a new build can make. Raises
    SegmentError where the snapshot is damaged.
    """
    skipped: list[tuple[str, str]] = []
    loose = Loose(changed, skipped)
    gone = [set(part.dead) for part in snapshot.parts]
    for path in removed + [path for _category, path, *_rest in changed]:
        position = snapshot.find(scrub(path))
        place = snapshot.place(position) if position is not None else None
        if place:
            gone[place[0]].add(place[1])
    base = snapshot.parts[0]
    delta = snapshot.parts[1] if len(snapshot.parts) > 1 else None
    in_delta = (delta.segment.documents() - len(gone[1]) if delta else 0) + len(loose.stored)
    limit = max(DELTA_MAX, base.segment.documents() // DELTA_SHARE)
    whole = base.segment.documents() - len(gone[0]) + in_delta
    if is_whole and (whole <= WHOLE_MAX or max(in_delta, len(gone[0])) > limit):
        merged = _merge(snapshot, gone, loose, watermark)
        return (merged, b"", skipped) if merged else None
    statistics = base.segment.statistics()
    if statistics is None or not snapshot.has_vectors():
        return None
    sources = [(delta, gone[1])] if delta else []
    for part, _gone in sources:
        part.segment.check()
    parts, stored = _renumber(sources, loose)
    totals = _totals(stored)
    header = Header(len(stored), layout.ANALYZERS.index("terms"), base.segment.checksum(), base.segment.documents())
    dead = pack(f"<{len(gone[0])}I", *sorted(gone[0]))
    of_delta = Statistics(statistics.settings, statistics.averages, totals)
    return None, _write(header, of_delta, parts, stored, watermark, dead), skipped


def _merge(snapshot: Snapshot, gone: list[set[int]], loose: Loose, watermark: list[int]) -> bytes | None:
    """One segment of everything that lives; None where the averages have moved."""
    snapshot.check()
    statistics = snapshot.parts[0].segment.statistics()
    parts, stored = _renumber(list(zip(snapshot.parts, gone, strict=True)), loose)
    totals = _totals(stored)
    title, tags, body = (bm25.grid_average(total, len(stored)) for total in totals)
    if statistics is None or statistics.averages != (title, tags, body) or not snapshot.has_vectors():
        return None
    header = Header(len(stored), layout.ANALYZERS.index("terms"))
    return _write(header, Statistics(statistics.settings, statistics.averages, totals), parts, stored, watermark)


def _renumber(sources: list[tuple[SnapshotPart, set[int]]], loose: Loose) -> tuple[list[Part], list[StoredDocument]]:
    """The parts of a new segment and its documents in their order."""
    merged: list[tuple[tuple[str, str, int, str], int, int, StoredDocument]] = []
    for place, (part, gone) in enumerate(sources):
        for number in range(part.segment.documents()):
            document = None if number in gone else part.document(number)
            if document:
                merged.append((document.order_key(), place, number, document))
    for number, document in enumerate(loose.stored):
        merged.append((document.order_key(), len(sources), number, document))
    merged.sort(key=lambda entry: entry[:3])
    maps: list[list[int | None]] = [[None] * part.segment.documents() for part, _gone in sources]
    maps.append([None] * len(loose.stored))
    for new, (_key, place, number, _document) in enumerate(merged):
        maps[place][number] = new
    lists: list[Segment | Builder] = [part.segment for part, _gone in sources]
    lists.append(loose.builder)
    parts = [Part(source, numbers) for source, numbers in zip(lists, maps, strict=True)]
    return parts, [document for *_rest, document in merged]


def _totals(stored: list[StoredDocument]) -> tuple[int, int, int]:
    title, tags, body = (sum(document.lengths[field] for document in stored) for field in range(3))
    return title, tags, body


def _write(
    header: Header,
    statistics: Statistics,
    parts: list[Part],
    stored: list[StoredDocument],
    watermark: list[int],
    dead: bytes = b"",
) -> bytes:
    """A segment with the sections of a snapshot."""
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
        (layout.DEAD, dead),
        (layout.VECTORS, write_vectors(parts, header.documents)),
    ]
    return write_segment(header, statistics, parts, extra, with_norms=True)
