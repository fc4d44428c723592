"""A plain index: documents in, numbers and scores out, no store (SPEC 21.6)."""

from ..errors import SegmentError, StoreError, UsageError
from . import bm25
from .index_file import absolute_path, map_file, remove_file, write_whole
from .index_input import read_documents, read_queries, read_query
from .layout import ANALYZERS, DAMAGED, Header
from .postings import read_list
from .segment import Segment, Statistics, dead_documents, scores, search, weigh
from .segment_builder import Builder, find_analyzer
from .segment_writer import SegmentSource, write_segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    Path = str | PathLike[str]
    GivenDocument = str | Sequence[str] | Mapping[str, str]
    Question = str | Sequence[str]
    Hits = list[tuple[int, int]]

DELTA_LEAST = 256
DELTA_SHARE = 16
DELTA_SUFFIX = ".delta"


class _State:
    """What an index holds at one moment; replaced, never changed."""

    __slots__ = ("added", "base", "delta")

    def __init__(self, base: Segment, delta: Segment | None, added: tuple[Builder, ...] = ()) -> None:
        """`added` are documents behind those of the delta that no search has asked for yet."""
        self.base = base
        self.delta = delta
        self.added = added

    def segments(self) -> list[Segment]:
        """The base, and the delta where there is one."""
        return [self.base, self.delta] if self.delta else [self.base]

    def delta_documents(self) -> int:
        """How many documents are not in the base."""
        known = self.delta.documents() if self.delta else 0
        return known + sum(builder.documents() for builder in self.added)

    def with_delta(self) -> "_State":
        """The same documents, those added in the delta."""
        if not self.added:
            return self
        base = self.base
        header = Header(self.delta_documents(), base.analyzer(), base.checksum(), base.documents())
        sources: list[Builder | Segment] = [self.delta] if self.delta else []
        return _State(base, _write(header, _statistics_of(base), [*sources, *self.added]))

    def as_one(self) -> "_State":
        """The same documents, all in the base."""
        header = Header(self.base.documents() + self.delta_documents(), self.base.analyzer())
        return _State(_write(header, _statistics_of(self.base), [*self.segments(), *self.added]), None)


class Index:
    """Documents that can be searched; `build` or `open` makes one.

    May be shared between threads: a search sees all documents of an `add` or none. A document's number is its place
    in the order in which documents came, from 0.
    """

    __slots__ = ("_lock", "_place", "_state")

    _lock: "LockType"
    # Where the index was opened or saved, and the header checksum of the base that is there.
    _place: tuple[str, int] | None
    _state: _State

    def __new__(cls) -> "Index":
        """There is no index of nothing in particular."""
        raise TypeError("No constructor defined for Index")

    @staticmethod
    def build(
        documents: "Iterable[GivenDocument]",
        *,
        analyzer: str = "terms",
        k1: float = bm25.K1,
        b: float = bm25.B,
        threads: int = 0,
    ) -> "Index":
        """An index of documents: texts, lists of terms taken as they are, or dicts of `title`, `tags`, `body`.

        `analyzer` makes terms of texts: `terms` splits identifiers and stems, `words` takes the runs of letters a-z
        and digits. `k1` (0 to 10) and `b` (0 to 1) are those of BM25; `threads` are used by the native twin, 0 for as
        many as there are processors. Raises UsageError.
        """
        number = find_analyzer(analyzer)
        # Written so that NaN is out of bounds too.
        if not 0.0 <= k1 <= 10.0:
            raise UsageError("`k1` is out of bounds", "use a number from 0 to 10")
        if not 0.0 <= b <= 1.0:
            raise UsageError("`b` is out of bounds", "use a number from 0 to 1")
        _check_count("threads", threads)
        settings = bm25.Bm25Settings(float(k1), bm25.WEIGHTS, (float(b), float(b), float(b)))
        return _make(_State(_write_base(read_documents(documents, number), number, settings), None))

    @staticmethod
    def open(path: "Path") -> "Index":
        """The index saved at a path, which is mapped, not read.

        Raises StoreError where there is none or it cannot be read, SegmentError where it is something else, of another
        version or damaged.
        """
        name = absolute_path(path)
        data = map_file(name)
        if data is None:
            raise StoreError(f"there is no index at `{name}`", "save one there first")
        base = Segment.open(data)
        _statistics_of(base)
        data = map_file(name + DELTA_SUFFIX)
        delta = Segment.open(data) if data is not None else None
        if delta and (not delta.documents() or delta.base() != (base.checksum(), base.documents())):
            delta = None
        return _make(_State(base, delta), (name, base.checksum()))

    def save(self, path: "Path | None" = None, *, fsync: bool = True) -> None:
        """Write the index to a path, by default where it was opened or saved; a reader sees the old one or the new.

        Only what was added is written where the rest is at the path already, to a file beside it with `.delta` behind
        its name. With `fsync` the files survive a crash of the machine. Raises WriteError, UsageError without a path.
        """
        with self._lock:
            if path is not None:
                name = absolute_path(path)
            elif self._place:
                name = self._place[0]
            else:
                raise UsageError("the index has no path yet", "give one")
            state = self._state = self._state.with_delta()
            if self._place != (name, state.base.checksum()):
                write_whole(name, state.base.bytes(), fsync)
                self._place = (name, state.base.checksum())
            if state.delta:
                write_whole(name + DELTA_SUFFIX, state.delta.bytes(), fsync)
            else:
                remove_file(name + DELTA_SUFFIX)

    def add(self, documents: "Iterable[GivenDocument]") -> None:
        """Append documents, as `build` takes them; the next search finds them. All or none: raises UsageError."""
        builder = read_documents(documents, self._state.base.analyzer())
        if not builder.documents():
            return
        with self._lock:
            base = self._state.base
            if not base.documents():
                settings = _statistics_of(base).settings
                self._state = _State(_write_base(builder, base.analyzer(), settings), None)
                return
            state = _State(base, self._state.delta, (*self._state.added, builder))
            if state.delta_documents() > max(DELTA_LEAST, base.documents() // DELTA_SHARE):
                state = state.as_one()
            self._state = state

    def search(self, query: "Question", k: int = 10) -> "Hits":
        """Number and score of the best `k` documents for a text or a list of terms, best first, then by number."""
        terms = read_query(query, self._state.base.analyzer())
        _check_count("k", k)
        return _search(self._settled(), terms, k)

    def search_many(self, queries: "Iterable[Question]", k: int = 10, *, threads: int = 1) -> "list[Hits]":
        """As `search`, for each of the queries; the native twin uses so many threads, 0 for all processors."""
        questions = read_queries(queries, self._state.base.analyzer())
        _check_count("k", k)
        _check_count("threads", threads)
        state = self._settled()
        return [_search(state, terms, k) for terms in questions]

    def scores(self, query: "Question") -> list[int]:
        """The score of every document, 0 where nothing matched."""
        terms = read_query(query, self._state.base.analyzer())
        state = self._settled()
        found: list[int] = []
        for segment, sums in zip(state.segments(), scores(state.segments(), terms), strict=True):
            # Most documents have a score of 0: filling a list is quicker than asking for each.
            part = [0] * segment.documents()
            for number, score in sums.items():
                part[number] = score
            found += part
        return found

    def explain(self, query: "Question", number: int) -> list[tuple[str, int, int]]:
        """Term, weight and impact of what a document has of a query; the products sum to its score.

        Raises IndexError for a number of no document.
        """
        terms = read_query(query, self._state.base.analyzer())
        segments = self._settled().segments()
        place = 0
        if number >= segments[0].documents() and len(segments) > 1:
            number -= segments[0].documents()
            place = 1
        segment = segments[place]
        if not 0 <= number < segment.documents():
            raise IndexError("document number out of range")
        dead = dead_documents(segments)
        if number in dead[place]:
            return []
        parts = []
        for term, weight, entries in weigh(segments, terms, dead):
            postings = read_list(segment.term_postings(), entries[place], segment.documents())
            parts += [(term, weight, posting & 0xFF) for posting in postings if posting >> 8 == number]
        return parts

    def __len__(self) -> int:
        """How many documents there are."""
        state = self._state
        return state.base.documents() + state.delta_documents()

    def __repr__(self) -> str:
        return f"<cuecard.Index of {len(self)} documents>"

    @property
    def analyzer(self) -> str:
        """The name of what makes terms of texts."""
        return ANALYZERS[self._state.base.analyzer()]

    def _settled(self) -> _State:
        """What it holds, all of it in segments."""
        state = self._state
        if state.added:
            with self._lock:
                state = self._state = self._state.with_delta()
        return state


def _make(state: _State, place: tuple[str, int] | None = None) -> Index:
    from _thread import allocate_lock

    index = object.__new__(Index)
    index._lock = allocate_lock()
    index._place = place
    index._state = state
    return index


def _search(state: _State, terms: "list[tuple[str, int]]", k: int) -> "Hits":
    first = (0, state.base.documents())
    return [(first[segment] + number, score) for segment, number, score in search(state.segments(), terms, k)]


def _check_count(name: str, count: int) -> None:
    if count < 0:
        raise UsageError(f"`{name}` is below 0", "use 0 or more")


def _write_base(builder: Builder, analyzer: int, settings: bm25.Bm25Settings) -> Segment:
    """A segment of these documents, with their own averages."""
    documents = builder.documents()
    title, tags, body = (bm25.plain_average(total, documents) for total in builder.totals())
    statistics = Statistics(settings, (title, tags, body))
    return _write(Header(documents, analyzer), statistics, [builder])


def _write(header: Header, statistics: Statistics, sources: "Sequence[Builder | Segment]") -> Segment:
    """A segment of all documents of the sources, in their order."""
    parts = []
    start = 0
    for source in sources:
        if isinstance(source, Segment):
            # What is damaged would get a right checksum.
            source.check()
        parts.append(SegmentSource(source, range(start, start + source.documents())))
        start += source.documents()
    return Segment.open(write_segment(header, statistics, parts))


def _statistics_of(segment: Segment) -> Statistics:
    statistics = segment.statistics()
    if statistics is None:
        raise SegmentError(*DAMAGED)
    return statistics
