"""A plain index: search in given documents, without a store (SPEC 21.6).

Every search scans all documents."""

from ...errors import SegmentError, StoreError, UsageError
from ..requests.results import TermShare
from ..retrieve import bm25
from .index_file import absolute_path, read_file, remove_file, write_whole
from .index_input import ANALYZERS, check_analyzer, items_of, read_documents, read_query
from .json_lines import DAMAGED, pack_lines, unpack_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Any

    from .index_input import Counted, Query

    Path = str | PathLike[str]
    GivenDocument = str | Sequence[str] | Mapping[str, str]
    Question = str | Sequence[str]
    Hits = list[tuple[int, int]]

NAME = "cuecard index"
VERSION = 2
# The number of fields: title, tags and body.
FIELDS = 3
# The suffix of a file that the native engine writes next to an index.
DELTA_SUFFIX = ".delta"


class _State:
    """The content of an index at one moment; it is replaced, never changed."""

    def __init__(
        self, analyzer: str, numbers: bm25.Numbers, averages: bm25.OfFields, documents: "list[Counted]"
    ) -> None:
        """`averages` are the average lengths of the fields of the documents from which the index was built."""
        self.analyzer = analyzer
        self.numbers = numbers
        self.averages = averages
        self.documents = documents

    def with_documents(self, added: "list[Counted]") -> "_State":
        """A new state with documents added at the end. In an empty state, these documents also set the averages."""
        averages = self.averages if self.documents else average_lengths(added)
        return _State(self.analyzer, self.numbers, averages, self.documents + added)

    def weigh(self, query: "Query") -> dict[str, int]:
        """The weight of each term of a query that occurs in a document of the index (SPEC 21.3)."""
        frequencies = {term: sum([term in counts for counts in self.documents]) for term, _q in query}
        return bm25.weigh(query, len(self.documents), frequencies)

    def impacts(self, counts: "Counted", terms: "Iterable[str]") -> dict[str, int]:
        """The impact of each of the terms that the document has (SPEC 21.1)."""
        found = {term: counts[term] for term in terms if term in counts}
        return bm25.impacts(self.numbers, self.averages, lengths_of(counts), found) if found else {}

    def scores(self, query: "Query") -> list[int]:
        """The score of each document for a query; the position in the list is the document's number."""
        weights = self.weigh(query)
        return [
            sum([weights[term] * impact for term, impact in self.impacts(counts, weights).items()])
            for counts in self.documents
        ]


class Index:
    """An index of documents that can be searched; `build` or `open` makes an index.

    It may be shared between threads: a search finds either all documents of an `add` or none of them. Documents are
    numbered from 0 in the order in which they were added.
    """

    # The module from which programs import the class.
    __module__ = "cuecard"

    _lock: "LockType"
    # The path where the index was opened or last saved; "" for a built index that was not saved yet.
    _place: str
    _state: _State

    def __new__(cls) -> "Index":
        """Raise TypeError: use `build` or `open`."""
        raise TypeError("cannot create 'cuecard.Index' instances")

    @staticmethod
    def build(
        documents: "Iterable[GivenDocument]",
        *,
        analyzer: str = "terms",
        k1: float = bm25.K1,
        b: float = bm25.B,
        threads: int = 0,
    ) -> "Index":
        """Build an index of documents: texts, lists of terms used as they are, or dicts of `title`, `tags` and `body`.

        `analyzer` splits texts into terms: `terms` splits identifiers and stems words, `words` takes runs of the
        letters a-z and digits. `k1` (0 to 10) and `b` (0 to 1) are the parameters of BM25. `threads` is for the native
        backend; 0 means the number of processors. Raises UsageError.
        """
        check_analyzer(analyzer)
        # The comparisons are written so that NaN is refused too.
        if not 0.0 <= k1 <= 10.0:
            raise UsageError("`k1` is out of bounds", "use a number from 0 to 10")
        if not 0.0 <= b <= 1.0:
            raise UsageError("`b` is out of bounds", "use a number from 0 to 1")
        _check_count("threads", threads)
        counted = read_documents(documents, analyzer)
        settings = float(k1), bm25.WEIGHTS, (float(b),) * FIELDS
        return _make(_State(analyzer, settings, average_lengths(counted), counted))

    @staticmethod
    def open(path: "Path") -> "Index":
        """Open the index that was saved at a path.

        Raises StoreError if the file does not exist or cannot be read, and SegmentError if it is not an index, has
        another version or is damaged.
        """
        name = absolute_path(path)
        data = read_file(name)
        if data is None:
            raise StoreError(f"there is no index at `{name}`", "save an index there first")
        return _make(_read_state(data), name)

    def save(self, path: "Path | None" = None, *, fsync: bool = True) -> None:
        """Write the index atomically to a path, by default to the path where it was opened or last saved.

        With `fsync` the file survives a crash of the machine. Raises WriteError, or UsageError if there is no path.
        """
        with self._lock:
            name = absolute_path(path) if path is not None else self._place
            if not name:
                raise UsageError("the index has no path yet", "give a path")
            write_whole(name, _write_state(self._state), fsync)
            remove_file(name + DELTA_SUFFIX)
            self._place = name

    def add(self, documents: "Iterable[GivenDocument]") -> None:
        """Append documents in the forms of `build`; the next search finds them. After a UsageError, none is added."""
        added = read_documents(documents, self._state.analyzer)
        with self._lock:
            self._state = self._state.with_documents(added)

    def search(self, query: "Question", k: int = 10) -> "Hits":
        """Number and score of the best `k` documents for a text or a list of terms, sorted by score, then number."""
        terms = read_query(query, self._state.analyzer)
        _check_count("k", k)
        return _search(self._state, terms, k)

    def search_many(self, queries: "Iterable[Question]", k: int = 10, *, threads: int = 1) -> "list[Hits]":
        """The result of `search` for each query; `threads` is for the native backend."""
        questions = [read_query(query, self._state.analyzer) for query in items_of(queries, "queries")]
        _check_count("k", k)
        _check_count("threads", threads)
        state = self._state
        return [_search(state, terms, k) for terms in questions]

    def scores(self, query: "Question") -> list[int]:
        """The score of every document, by number; 0 for a document without a term of the query."""
        return self._state.scores(read_query(query, self._state.analyzer))

    def explain(self, query: "Question", number: int) -> list[TermShare]:
        """The terms of a query that a document has; the products of weight and impact sum to its score.

        Raises IndexError if there is no document `number`.
        """
        state = self._state
        terms = read_query(query, state.analyzer)
        if not 0 <= number < len(state.documents):
            raise IndexError("document number out of range")
        weights = state.weigh(terms)
        found = state.impacts(state.documents[number], weights)
        return [TermShare(term, weights[term], impact) for term, impact in found.items()]

    def __len__(self) -> int:
        """The number of documents."""
        return len(self._state.documents)

    def __repr__(self) -> str:
        return f"<cuecard.Index of {len(self)} documents>"

    @property
    def analyzer(self) -> str:
        """The name of the analyzer, which splits texts into terms."""
        return self._state.analyzer


def lengths_of(counts: "Counted") -> list[int]:
    """The number of terms in the title, in the tags and in the body of a document."""
    return [sum([each[field] for each in counts.values()]) for field in range(FIELDS)]


def average_lengths(documents: "list[Counted]") -> bm25.OfFields:
    """The average number of terms in the title, the tags and the body of documents; 0 without documents."""
    lengths = [lengths_of(counts) for counts in documents]
    return tuple([sum([each[field] for each in lengths]) / (len(lengths) or 1) for field in range(FIELDS)])


def _make(state: _State, place: str = "") -> Index:
    from _thread import allocate_lock

    index = object.__new__(Index)
    index._lock = allocate_lock()
    index._place = place
    index._state = state
    return index


def _search(state: _State, terms: "Query", k: int) -> "Hits":
    found = sorted([(-score, number) for number, score in enumerate(state.scores(terms)) if score])
    return [(number, -key) for key, number in found[:k]]


def _check_count(name: str, count: int) -> None:
    if count < 0:
        raise UsageError(f"`{name}` is below 0", "use 0 or more")


def _write_state(state: _State) -> bytes:
    content = {
        "analyzer": state.analyzer,
        "settings": state.numbers,
        "averages": state.averages,
        "documents": state.documents,
    }
    return pack_lines(NAME, VERSION, content)


def _read_state(data: bytes) -> _State:
    """The state in the bytes of a file. Raises SegmentError."""
    content: Any = unpack_lines(data, NAME, VERSION)
    try:
        k1, weights, bs = content["settings"]
        documents = [{term: tuple(counts) for term, counts in document.items()} for document in content["documents"]]
        analyzer = ANALYZERS[ANALYZERS.index(content["analyzer"])]
        return _State(analyzer, (k1, tuple(weights), tuple(bs)), tuple(content["averages"]), documents)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise SegmentError(*DAMAGED) from None
