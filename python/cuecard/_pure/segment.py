"""A segment: one read-only file of documents and what is needed to find them (SPEC 20, 21.2 to 21.4)."""

from . import bm25, layout
from .dictionary import Dictionary
from .layout import Layout, decimals, numbers
from .postings import count_living
from .top_k import Bonus, List, accumulate, top_k

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

K1_MAX = 10.0
WEIGHT_MAX = 100.0
B_MAX = 1.0
AVERAGE_MAX = 4_294_967_296.0

SegmentHit = tuple[int, int, int]
Query = list[tuple[str, int]]


class Statistics:
    """With what numbers the impacts of a segment were made: settings, and average lengths of title, tags and body."""

    __slots__ = ("averages", "settings")

    def __init__(self, settings: bm25.Bm25Settings, averages: bm25.Triple) -> None:
        """`averages` are the lengths that impacts were made with."""
        self.settings = settings
        self.averages = averages

    @staticmethod
    def read(section: memoryview) -> "Statistics | None":
        """Of the bytes of the section; None where a number is out of bounds."""
        if not section:
            return None
        k1, w0, b0, average0, w1, b1, average1, w2, b2, average2 = decimals(section)
        weights, bs, averages = (w0, w1, w2), (b0, b1, b2), (average0, average1, average2)
        fits = 0.0 <= k1 <= K1_MAX
        for values, largest in ((weights, WEIGHT_MAX), (bs, B_MAX), (averages, AVERAGE_MAX)):
            fits = fits and all(0.0 <= value <= largest for value in values)
        return Statistics(bm25.Bm25Settings(k1, weights, bs), averages) if fits else None

    def write(self) -> bytes:
        """The bytes of the section."""
        from struct import pack

        settings = self.settings
        fields = zip(settings.weights, settings.bs, self.averages, strict=True)
        return pack("<d", settings.k1) + b"".join([pack("<ddd", *field) for field in fields])


class Segment:
    """A segment, read in place. Frozen but for views that are made when they are first wanted."""

    __slots__ = ("_data", "_layout", "_links", "_terms", "_words")

    def __init__(self, data: memoryview, layout: Layout) -> None:
        """Of bytes that have this layout; `open` finds it."""
        self._data = data
        self._layout = layout
        self._terms: Dictionary | None = None
        self._words: Dictionary | None = None
        self._links: Dictionary | None = None

    @staticmethod
    def open(source: "bytes | memoryview") -> "Segment":
        """Of bytes, or of a view of bytes such as that of a mapped file. Raises SegmentError."""
        data = memoryview(source)
        return Segment(data, Layout.open(data))

    def documents(self) -> int:
        """How many documents there are."""
        return self._layout.header.documents

    def analyzer(self) -> int:
        """The position of its analyzer in `layout.ANALYZERS`."""
        return self._layout.header.analyzer

    def checksum(self) -> int:
        """The header checksum: what a delta calls it by."""
        return self._layout.checksum

    def base(self) -> tuple[int, int]:
        """Header checksum and documents of the segment whose delta this is, 0 and 0 where it is none."""
        return self._layout.header.base_checksum, self._layout.header.base_documents

    def bytes(self) -> memoryview:
        """All its bytes."""
        return self._data

    def section(self, kind: int) -> memoryview:
        """The bytes of a section, none where it is absent."""
        return self._layout.section(self._data, kind)

    def check(self) -> None:
        """Compare the checksums of all sections. Raises SegmentError."""
        self._layout.check(self._data)

    def terms(self) -> Dictionary:
        """The dictionary of the terms."""
        if self._terms is None:
            self._terms = Dictionary(self.section(layout.TERMS))
        return self._terms

    def term_postings(self) -> memoryview:
        """The posting lists of the terms; the byte is the impact."""
        return self.section(layout.TERM_POSTINGS)

    def words(self) -> Dictionary:
        """The dictionary of the words that the keyword retriever compares."""
        if self._words is None:
            self._words = Dictionary(self.section(layout.WORDS))
        return self._words

    def word_postings(self) -> memoryview:
        """The posting lists of the words; the byte is 1 for a title, 2 for a tag, 3 for both."""
        return self.section(layout.WORD_POSTINGS)

    def links(self) -> Dictionary:
        """The dictionary of what its documents name."""
        if self._links is None:
            self._links = Dictionary(self.section(layout.LINKS))
        return self._links

    def link_postings(self) -> memoryview:
        """The posting lists of the links."""
        return self.section(layout.LINK_POSTINGS)

    def lists(self, kind: int) -> tuple[Dictionary, memoryview]:
        """A dictionary, a section of that kind, and the posting lists behind it."""
        views = {layout.TERMS: self.terms, layout.WORDS: self.words, layout.LINKS: self.links}
        return views[kind](), self.section(kind + 1)

    def statistics(self) -> Statistics | None:
        """The statistics; None where they are absent or out of bounds."""
        return Statistics.read(self.section(layout.STATISTICS))

    def dead(self) -> set[int]:
        """The documents that a delta replaces or removes, numbered through all segments before it."""
        data = self.section(layout.DEAD)
        documents = self._layout.header.base_documents
        return {number for number in numbers(data[: len(data) & ~3], "I") if number < documents}


def search(
    segments: list[Segment],
    query: Query,
    k: int,
    bonuses: list[list[int]] | None = None,
    accept: "Callable[[int, int], bool] | None" = None,
    order: "Callable[[int, int], object] | None" = None,
) -> list[SegmentHit]:
    """Segment, number and score of the best k documents of a base and its deltas, best first.

    `query` has distinct terms with weights of 1 to 256; `bonuses` a table of points by number of category for each
    segment; `accept` and `order` are given segment and number, and `order` says which of two equal scores comes first.
    """
    if k <= 0:
        return []
    dead = dead_documents(segments)
    matched = weigh(segments, query, dead)
    found: list[SegmentHit] = []
    for position, segment in enumerate(segments):
        lists = [
            List(segment.term_postings(), entries[position], weight)
            for _, weight, entries in matched
            if entries[position][1]
        ]
        if not lists:
            continue
        bonus = Bonus(segment.section(layout.KINDS), bonuses[position]) if bonuses else None
        takes = _accept_of(position, dead[position], accept)
        found += [(position, number, score) for number, score in top_k(lists, segment.documents(), k, bonus, takes)]
    if len(segments) > 1:
        if order:
            of = order
            found.sort(key=lambda hit: (-hit[2], of(hit[0], hit[1])))
        else:
            found.sort(key=lambda hit: (-hit[2], hit[0], hit[1]))
    return found[:k]


def scores(segments: list[Segment], query: Query) -> list[dict[int, int]]:
    """The score of every document that has any of the terms, by number, a segment each, without bonus."""
    dead = dead_documents(segments)
    matched = weigh(segments, query, dead)
    sums = []
    for position, segment in enumerate(segments):
        lists = [List(segment.term_postings(), entries[position], weight) for _, weight, entries in matched]
        alive = accumulate(lists, segment.documents())
        sums.append({number: score for number, score in alive.items() if number not in dead[position]})
    return sums


def dead_documents(segments: list[Segment]) -> list[set[int]]:
    """The dead of each segment: those that the ones behind it name."""
    if len(segments) <= 2:
        return [segment.dead() for segment in segments[1:]] + [set()]
    dead: list[set[int]] = [set() for _segment in segments]
    for place, delta in enumerate(segments):
        numbers = delta.dead() if place else set()
        begin = 0
        for number in range(place if numbers else 0):
            end = begin + segments[number].documents()
            dead[number].update([position - begin for position in numbers if begin <= position < end])
            begin = end
    return dead


def weigh(
    segments: list[Segment], query: Query, dead: list[set[int]]
) -> list[tuple[str, int, list[tuple[int, int, int]]]]:
    """The terms of a query that stand in a living document: term, weight by idf over all segments, entry in each."""
    documents = sum(segment.documents() for segment in segments) - sum(map(len, dead))
    matched = []
    for term, q in query[: bm25.MAX_QUERY_TERMS]:
        text = term.encode()
        entries = []
        for segment in segments:
            terms = segment.terms()
            position = terms.find(text)
            entries.append((0, 0, 0) if position is None else terms.entry(position))
        in_list = count_documents(segments, entries, dead)
        if in_list:
            matched.append((term, bm25.weight(bm25.idf(documents, in_list), q), entries))
    return matched


def count_documents(segments: list[Segment], entries: list[tuple[int, int, int]], dead: list[set[int]]) -> int:
    """In how many living documents a term stands that has these entries in the segments."""
    lists = zip(segments, entries, dead, strict=True)
    return sum([count_living(segment.term_postings(), entry, gone) for segment, entry, gone in lists])


def _accept_of(
    position: int, dead: set[int], accept: "Callable[[int, int], bool] | None"
) -> "Callable[[int], bool] | None":
    """What accepts documents of one segment; None where all are accepted."""
    if accept:
        takes = accept
        return lambda number: number not in dead and takes(position, number)
    if dead:
        return lambda number: number not in dead
    return None
