"""The snapshot of a store: a base and perhaps a delta, read in place (SPEC 22)."""

from ..errors import SegmentError
from . import layout
from .bm25 import AVERAGE_LENGTHS
from .chars import scrub
from .layout import ACTIVE, STATUSES, numbers
from .postings import count_living
from .segment import Segment, Statistics, dead_documents
from .stored_document import Described, StoredDocument, path_in, read_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .filters import Acceptance
    from .recall import Recalled, Traced
    from .request import Request
    from .search import ScorePart
    from .settings import Numbers
    from .vectors import Vectors

FOLDER_COUNT = 6
# In a watermark: not every file of the folder was read (SPEC 23.1).
PARTIAL = -2
# A file has at most so many deltas.
MAX_DELTAS = 63
UNKNOWN_NAME = 255
STORE_PREFIX = ".claude/memory/"


class SnapshotPart:
    """One segment of a snapshot with its views, and which of its documents are dead."""

    __slots__ = ("_kinds", "_names", "_places", "_records", "_vectors", "dead", "segment")

    def __init__(self, segment: Segment, dead: set[int]) -> None:
        """`dead` are the numbers of documents that the parts behind this one replace or remove."""
        self.segment = segment
        self.dead = dead
        self._kinds = segment.section(layout.KINDS)
        self._places = numbers(segment.section(layout.PLACES), "I")
        self._records = segment.section(layout.RECORDS)
        self._names: list[str] | None = None
        self._vectors: Vectors | None = None

    def names(self) -> list[str]:
        """The names of categories, by their numbers."""
        if self._names is None:
            self._names = read_names(self.segment.section(layout.NAMES))
        return self._names

    def status(self, number: int) -> int:
        """The number of a document's status."""
        return min(self._kinds[2 * number + 1], len(STATUSES) - 1)

    def name_of(self, number: int) -> str | None:
        """The name of a document's category; None where that has no number."""
        names, kind = self.names(), self._kinds[2 * number]
        return names[kind] if kind < len(names) else None

    def count_living(self, kind: int, place: int) -> int:
        """In how many living documents the text at a place in a dictionary, a section of that kind, stands."""
        dictionary, section = self.segment.lists(kind)
        return count_living(section, dictionary.entry(place), self.dead)

    def category(self, number: int) -> str:
        """The same, from its record where need be; "" where that is damaged."""
        name = self.name_of(number)
        if name is not None:
            return name
        document = self.document(number)
        parts = document.parts() if document else None
        return parts[0] if parts else ""

    def document(self, number: int) -> StoredDocument | None:
        """A document; None where its record is damaged."""
        return read_stored(bytes(self._record(number)), self.status(number))

    def takes(self, number: int, acceptance: "Acceptance") -> bool:
        """Whether the filters beyond the status accept a document."""
        if acceptance.is_by_status:
            return True
        document = self.document(number)
        return document is not None and acceptance.takes(document)

    def order_key(self, number: int) -> tuple[str, str, int, str]:
        """What documents are ordered by; that of a damaged one comes first."""
        document = self.document(number)
        return document.order_key() if document else ("", "", 0, "")

    def path(self, number: int) -> bytes:
        """The path of a document, unchecked."""
        return path_in(bytes(self._record(number)))

    def vectors(self) -> "Vectors":
        """The vectors of its documents."""
        if self._vectors is None:
            from .vectors import Vectors

            self._vectors = Vectors(self.segment)
        return self._vectors

    def count_before(self, path: bytes) -> int:
        """How many documents have paths that come before this one."""
        order = numbers(self.segment.section(layout.BY_PATH), "I")
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            if self.path(order[middle]) < path:
                low = middle + 1
            else:
                high = middle
        return low

    def by_path(self, beginning: bytes) -> list[int]:
        """The numbers of the living documents whose paths begin so, in the order of their paths."""
        order = numbers(self.segment.section(layout.BY_PATH), "I")
        low = self.count_before(beginning)
        found = []
        while low < len(order) and self.path(order[low]).startswith(beginning):
            if order[low] not in self.dead:
                found.append(order[low])
            low += 1
        return found

    def _record(self, number: int) -> memoryview:
        if number + 1 >= len(self._places):
            return self._records[:0]
        begin, end = self._places[number], self._places[number + 1]
        return self._records[begin:end] if begin <= end <= len(self._records) else self._records[:0]


class Snapshot:
    """The memories of a store as they were when the snapshot was made; frozen.

    A document's position is its number in its segment, behind the documents of the segments before that one.
    """

    __slots__ = ("_begins", "parts")

    @staticmethod
    def inspect(root: str, numbers: "Numbers") -> "tuple[Snapshot | None, str, str]":
        """The snapshot of a project as it is on disk, what it is like, and why it is damaged; every byte is checked.

        It is `missing`, `damaged`, made with `other settings`, `partial` or `whole`, and None but for the last two.
        """
        from ..store.files import store_of
        from .snapshot_upkeep import inspect

        return inspect(store_of(root), numbers)

    def __init__(self, base: "bytes | memoryview", delta: "bytes | memoryview | None" = None) -> None:
        """Of the bytes of a base and of a file of deltas; one that does not belong to what is before it, or is damaged,
        is ignored with everything behind it. Raises SegmentError for the base.
        """
        segments = [_open_part(base)]
        if delta:
            segments += _open_deltas(memoryview(delta), segments[0])
        self.parts = [SnapshotPart(*part) for part in zip(segments, dead_documents(segments), strict=True)]
        # The position of each part's first document.
        self._begins = [0]
        for segment in segments[:-1]:
            self._begins.append(self._begins[-1] + segment.documents())

    def with_delta(self, delta: bytes) -> "Snapshot":
        """The same base with another file of deltas, under the same conditions."""
        return Snapshot(self.parts[0].segment.bytes(), delta)

    def deltas(self) -> int:
        """How many deltas there are."""
        return len(self.parts) - 1

    def delta_bytes(self) -> int:
        """How many bytes the deltas have."""
        return sum([len(part.segment.bytes()) for part in self.parts[1:]])

    def is_partial(self) -> bool:
        """Whether a folder is known to have files that were not read (SPEC 23.1)."""
        return PARTIAL in self.watermark()

    def __len__(self) -> int:
        """How many documents there are."""
        return sum(part.segment.documents() - len(part.dead) for part in self.parts)

    def watermark(self) -> list[int]:
        """When each folder had changed, in nanoseconds since 1970 (SPEC 23.1); none where it is damaged."""
        data = bytes(self.parts[-1].segment.section(layout.WATERMARK))
        return [int.from_bytes(data[at : at + 8], "little", signed=True) for at in range(0, len(data), 8)]

    def has_settings(self, numbers: "Numbers") -> bool:
        """Whether its impacts were made with this k1, weights and bs, and its vectors with the table at hand."""
        statistics = self.statistics()
        if statistics is None or not self.has_vectors():
            return False
        settings = statistics.settings
        return (settings.k1, settings.weights, settings.bs) == numbers

    def statistics(self) -> Statistics | None:
        """What its impacts were made with; None where those were other average lengths."""
        statistics = self.parts[0].segment.statistics()
        return statistics if statistics and statistics.averages == AVERAGE_LENGTHS else None

    def order_key(self, position: int) -> tuple[str, str, int, str]:
        """What the document at a position is ordered by."""
        place = self.place(position)
        return self.parts[place[0]].order_key(place[1]) if place else ("", "", 0, "")

    def has_vectors(self) -> bool:
        """Whether all its vectors were made with the table at hand."""
        from .static_table import fingerprint

        mark = fingerprint().to_bytes(4, "little")
        return all(part.segment.section(layout.VECTORS)[:4] == mark for part in self.parts)

    def stored(self, position: int) -> StoredDocument | None:
        """The document at a position; None where it is damaged, dead or outside."""
        place = self.place(position)
        return self.parts[place[0]].document(place[1]) if place else None

    def document(self, position: int) -> Described | None:
        """Index line, status, `updated_at`, `created_at` (microseconds since 1970), size and modification time
        (nanoseconds) of the document at a position; None where it is damaged, dead or outside."""
        document = self.stored(position)
        return document.described() if document else None

    def place(self, position: int) -> tuple[int, int] | None:
        """Part and number of a position; None where it is dead or outside."""
        for number, part in enumerate(self.parts):
            if 0 <= position < part.segment.documents():
                return None if position in part.dead else (number, position)
            position -= part.segment.documents()
        return None

    def accepts(self, position: int, acceptance: "Acceptance") -> bool:
        """Whether there is a document at a position that the filters accept."""
        place = self.place(position)
        if place is None:
            return False
        part, number = self.parts[place[0]], place[1]
        return part.status(number) in acceptance.statuses and part.takes(number, acceptance)

    def position(self, part: int, number: int) -> int:
        """The position of a part's document."""
        return self._begins[part] + number

    def find(self, path: str) -> int | None:
        """The position of the document at a path, or None."""
        data = scrub(path).encode()
        for place, part in enumerate(self.parts):
            for number in part.by_path(data):
                if part.path(number) == data:
                    return self.position(place, number)
        return None

    def files(self, folder: str) -> list[tuple[str, int, int]]:
        """Path, size and modification time (nanoseconds) of every file of a category folder; damaged ones left out."""
        found = []
        for part in self.parts:
            for number in part.by_path(f"{STORE_PREFIX}{scrub(folder)}/".encode()):
                document = part.document(number)
                if document:
                    found.append((document.path(), *document.stamp))
        return sorted(found)

    def count_files(self, folder: str) -> int:
        """How many documents of a category folder the segments have, dead ones too; found without looking at each."""
        # `0` follows `/`.
        begin, end = (f"{STORE_PREFIX}{scrub(folder)}{sign}".encode() for sign in "/0")
        return sum([max(0, part.count_before(end) - part.count_before(begin)) for part in self.parts])

    def unfit_files(self, folder: str) -> list[tuple[str, int, int]]:
        """Path, size and modification time (nanoseconds) of the files of a category folder that were read and have no
        document."""
        beginning = f"{STORE_PREFIX}{scrub(folder)}/"
        files = unfit_in(self.parts)
        return sorted([(path, *stamp) for path, stamp in files.items() if path.startswith(beginning)])

    def find_unchanged(self, files: list[tuple[str, int, int]]) -> list[int | None]:
        """For each path, size and modification time the position of the document there; None where it has others."""
        # Looking for one takes as long as passing by some dozen.
        positions = self._positions() if len(files) * 16 > len(self) else None
        found: list[int | None] = []
        for path, *stamp in files:
            position = positions.get(scrub(path).encode()) if positions is not None else self.find(path)
            document = None if position is None else self.stored(position)
            found.append(position if document and [*document.stamp] == stamp else None)
        return found

    def _positions(self) -> dict[bytes, int]:
        """The positions of all living documents by their paths, as `find` has them."""
        found: dict[bytes, int] = {}
        for place, part in enumerate(self.parts):
            for number in numbers(part.segment.section(layout.BY_PATH), "I"):
                if number not in part.dead:
                    found.setdefault(part.path(number), self.position(place, number))
        return found

    def active_lines(self) -> list[str]:
        """The index lines of the active documents, in their order."""
        found = []
        for part in self.parts:
            for number in range(part.segment.documents()):
                document = None
                if part.status(number) == ACTIVE and number not in part.dead:
                    document = part.document(number)
                if document:
                    found.append((document.order_key() if len(self.parts) > 1 else (), document.line))
        if len(self.parts) > 1:
            found.sort()
        return [line for _key, line in found]

    def check(self) -> None:
        """Compare the checksums of everything. Raises SegmentError."""
        for part in self.parts:
            part.segment.check()

    def search(self, request: "Request", strategy: str) -> list[tuple[int, int]]:
        """Position and score of the best documents that the request accepts, best first (SPEC 22.7).

        `hybrid` fuses by the default settings. Raises UsageError for a strategy.
        """
        from .search import search

        return search(self, request, strategy)

    def explain(self, position: int, request: "Request", strategy: str) -> "list[ScorePart]":
        """The parts of the score of the document at a position: kind, piece of the prompt, what it matched, points.

        They sum to the score. Of the request the prompt, the descriptions and the synonyms count: for `tfidf` the parts
        are the ranks among the active documents; for `hybrid` there are none of what a recall of ten by the default
        settings does not come to. IndexError outside.
        """
        from .search import explain

        return explain(self, position, request, strategy)

    def recall(self, request: "Request", setting: str) -> "list[Recalled]":
        """Position, score (1/4096), logit and probability (1/1024) of what is to be shown, best first (SPEC 27, 28).

        With the setting `off` they are the best that are wanted, with others what the gate lets through of these and of
        the first eight. Raises UsageError for a setting.
        """
        from .gate import gate_threshold
        from .recall import Recall

        gate_threshold(setting)
        return Recall(self, request).choose(request.k, setting)

    def without_path(self, position: int, paths: list[str], logit: int) -> tuple[int, int]:
        """A document's logit and probability without what the gate adds for the paths of a prompt (SPEC 52.4)."""
        from .situation import without_path

        return without_path(self, position, paths, logit)

    def judge(self, request: "Request") -> "tuple[bool, list[Recalled]]":
        """Whether the prompt is nothing but a courtesy, and of the best that are wanted, at least of the first eight,
        what `recall` says, whatever that is."""
        from .recall import JUDGED, Recall

        recall = Recall(self, request)
        return recall.is_courtesy, recall.judge(max(request.k, JUDGED))

    def trace(self, position: int, request: "Request") -> "Traced":
        """Cues, terms, and of the document at a position: ranks, the parts of its score, the features of the gate.

        The request is that of the recall that is explained. Terms have weights of 1 to 256 and the piece of the prompt
        behind them. IndexError outside.
        """
        from .recall import Recall

        if self.stored(position) is None:
            raise IndexError("snapshot position out of range")
        recall = Recall(self, request)
        account = recall.ranks(position), recall.explain(position), recall.features(position)
        return (recall.cues, recall.query.terms, *account)

    def anchored(self, path: str) -> list[int]:
        """The positions of the first 256 active documents with an anchor that covers a file, in their order.

        The file itself, a folder above it, or a pattern that stands for it (SPEC 33.2).
        """
        from .anchors import anchored

        return anchored(self, path)

    def anchored_name(self, name: str) -> list[int]:
        """The same with an anchor whose last parts are this name of a file."""
        from .anchors import anchored_name

        return anchored_name(self, name)

    def anchored_below(self, folder: str) -> list[int]:
        """The same with an anchor to what is below a folder."""
        from .anchors import anchored_below

        return anchored_below(self, folder)

    def successor(self, position: int) -> int:
        """The position of the document that has taken the place of the one at a position, straight or by way of others.

        The position itself where none has (SPEC 33.3).
        """
        if not any(len(part.segment.section(layout.LINKS)) for part in self.parts):
            return position
        from .links import OVER

        # Next to no store has such links, and who looks for them has to be loaded.
        if not any(part.segment.links().range(OVER.encode()) for part in self.parts):
            return position
        from .succession import successor

        return successor(self, position)

    def order_keyword(self, hits: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Hits of the keyword retriever in its order: score, priority of the category, then as they came (SPEC 8.3)."""
        from .search import order_keyword

        return order_keyword(self, hits)


def living_texts(parts: list[SnapshotPart], kind: int, beginning: bytes, most: int) -> list[bytes]:
    """The first texts of a dictionary, a section of that kind, that begin so and stand in a living document."""
    found: set[bytes] = set()
    for part in parts:
        dictionary, _section = part.segment.lists(kind)
        living = (place for place in dictionary.range(beginning) if part.count_living(kind, place))
        found.update([dictionary.text(place) for _number, place in zip(range(most), living, strict=False)])
    return sorted(found)[:most]


def unfit_in(parts: list[SnapshotPart]) -> dict[str, tuple[int, int]]:
    """Size and modification time (nanoseconds) of the files without a document in some parts, by their paths."""
    from .unfit_files import read_unfit

    return read_unfit([part.segment.section(layout.UNFIT) for part in parts])


def read_names(section: memoryview) -> list[str]:
    """The names of categories that have a number; none where they do not fit."""
    data = bytes(section)
    count = int.from_bytes(data[:4], "little")
    if 4 + 4 * count > len(data):
        return []
    names, begin = [], 4 + 4 * count
    for at in range(4, 4 + 4 * min(count, UNKNOWN_NAME), 4):
        end = 4 + 4 * count + int.from_bytes(data[at : at + 4], "little")
        try:
            names.append(data[begin:end].decode() if begin <= end <= len(data) else "")
        except UnicodeDecodeError:
            names.append("")
        begin = end
    return names


def _open_part(data: "bytes | memoryview") -> Segment:
    """A segment that holds something of each of its documents. Raises SegmentError."""
    segment = Segment.open(data)
    # Their number is bounded by bytes that are there: what is made for each document stays small.
    if len(segment.section(layout.KINDS)) != 2 * segment.documents():
        raise SegmentError(*layout.DAMAGED)
    return segment


def _open_deltas(data: memoryview, base: Segment) -> list[Segment]:
    """The segments of a file of deltas: one behind the other, each at the next multiple of eight."""
    deltas: list[Segment] = []
    begin, documents = 0, base.documents()
    while len(deltas) < MAX_DELTAS:
        end = begin + int.from_bytes(data[begin + 16 : begin + 24], "little")
        if not begin < end <= len(data):
            break
        try:
            delta = _open_part(data[begin:end])
        except SegmentError:
            break
        if delta.base() != (base.checksum(), documents) or documents + delta.documents() >= 2**32:
            break
        deltas.append(delta)
        documents += delta.documents()
        begin = (end + 7) & ~7
    return deltas
