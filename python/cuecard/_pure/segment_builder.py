"""Documents on their way into a segment: their terms, counted (SPEC 20, 21.6).

In Python a posting is one integer, number·256 + byte, as in `postings`.
"""

from ..errors import UsageError
from . import bm25
from .chars import scrub
from .dictionary import TEXT_BYTES_MAX
from .layout import ANALYZERS
from .tokenize import split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .segment import Statistics

    Lists = dict[str, list[int]]

# A term's counts in title, tags and body, packed into one integer.
FIELD_BITS = 32
FIELD_MASK = 0xFFFFFFFF
BODY = 2


def analyze(text: str, analyzer: int) -> list[str]:
    """The terms of a document's text, in its order."""
    if analyzer == ANALYZERS.index("words"):
        return split_words(text)
    from .terms import document_terms

    return document_terms(text)


def find_analyzer(name: str) -> int:
    """The position of an analyzer in `ANALYZERS`. Raises UsageError."""
    if name not in ANALYZERS:
        raise UsageError(f"unknown analyzer `{scrub(name)}`", "use `terms` or `words`")
    return ANALYZERS.index(name)


class Builder:
    """Documents that have not become a segment yet."""

    __slots__ = ("_analyzer", "_counts", "_lengths", "_links", "_rows", "_words")

    def __init__(self, analyzer: int) -> None:
        """Without documents; `analyzer` is a position in `ANALYZERS`."""
        self._analyzer = analyzer
        self._counts: list[dict[str, int]] = []
        self._lengths: list[tuple[int, int, int]] = []
        self._words: dict[int, dict[str, int]] = {}
        self._links: dict[str, list[int]] = {}
        self._rows: list[tuple[Sequence[int], int]] = []

    def push(self, fields: "Sequence[str]") -> None:
        """Append a document of title, tags and body."""
        counts: dict[str, int] = {}
        title, tags, body = (
            _count(counts, analyze(text, self._analyzer), field) if text else 0 for field, text in enumerate(fields)
        )
        self._counts.append(counts)
        self._lengths.append((title, tags, body))

    def push_terms(self, terms: "Iterable[str]") -> None:
        """Append a document whose body has these terms."""
        counts: dict[str, int] = {}
        length = _count(counts, terms, BODY)
        self._counts.append(counts)
        self._lengths.append((0, 0, length))

    def push_word(self, text: str, byte: int) -> None:
        """Add a word that the keyword retriever compares to the last document: 1 of its title, 2 of its tags."""
        if is_text(text) and self._counts:
            words = self._words.setdefault(len(self._counts) - 1, {})
            words[text] = words.get(text, 0) | byte

    def push_link(self, text: str) -> None:
        """Add a link of the document that was appended last; each of its links once (SPEC 33.1)."""
        self._links.setdefault(text, []).append(len(self._counts) - 1)

    def push_row(self, row: "Sequence[int]", norm: int) -> None:
        """Add the vector of the document that was appended last; of several documents all have one, or none."""
        self._rows.append((row, norm))

    def row(self, number: int) -> "tuple[Sequence[int], int]":
        """Row and norm of a document."""
        return self._rows[number]

    def documents(self) -> int:
        """How many documents there are."""
        return len(self._counts)

    def totals(self) -> tuple[int, int, int]:
        """How many terms all titles, tags and bodies have."""
        title, tags, body = (sum(lengths[field] for lengths in self._lengths) for field in range(3))
        return title, tags, body

    def term_lists(self, numbers: "Sequence[int | None]", statistics: "Statistics") -> "Lists":
        """The posting lists of the terms under new numbers, with the impacts that `statistics` make."""
        lists: Lists = {}
        settings, averages = statistics.settings, statistics.averages
        for counts, lengths, number in zip(self._counts, self._lengths, numbers, strict=True):
            if number is None:
                continue
            denominators = bm25.denominators(settings, averages, lengths)
            # Most terms of a document stand in it equally often.
            postings: dict[int, int] = {}
            for term, packed in counts.items():
                posting = postings.get(packed)
                if posting is None:
                    unpacked = (packed & FIELD_MASK, packed >> FIELD_BITS & FIELD_MASK, packed >> 2 * FIELD_BITS)
                    posting = postings[packed] = number << 8 | bm25.impact_over(settings, denominators, unpacked)
                if term in lists:
                    lists[term].append(posting)
                else:
                    lists[term] = [posting]
        return lists

    def word_lists(self, numbers: "Sequence[int | None]") -> "Lists":
        """The posting lists of the words under new numbers."""
        lists: Lists = {}
        for document, words in self._words.items():
            number = numbers[document]
            if number is not None:
                for word, byte in words.items():
                    lists.setdefault(word, []).append(number << 8 | byte)
        return lists

    def link_lists(self, numbers: "Sequence[int | None]") -> "Lists":
        """The posting lists of the links under new numbers."""
        lists: Lists = {}
        for text, documents in self._links.items():
            postings = [number << 8 | 1 for document in documents if (number := numbers[document]) is not None]
            if postings:
                lists[text] = postings
        return lists


def _count(counts: dict[str, int], terms: "Iterable[str]", field: int) -> int:
    """Add the terms of a field to a document's counts; how many there are."""
    one = 1 << FIELD_BITS * field
    so_far = counts.get
    length = 0
    for term in terms:
        if is_text(term):
            counts[term] = so_far(term, 0) + one
            length += 1
    return length


def is_text(text: str) -> bool:
    """Whether a dictionary can hold a text: it has 1 to 65,535 bytes."""
    return bool(text) and (len(text) <= TEXT_BYTES_MAX // 4 or len(text.encode()) <= TEXT_BYTES_MAX)
