"""The static embedding table: maps words to rows of a matrix, and terms to terms of similar meaning (SPEC 24)."""

import sys

from ...basics.sorted_places import first_place
from ...basics.tables import map_asset
from ..text.stem import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DIMENSIONS = 128
MAGIC = b"cuewords"
VERSION = 1

_HEADER_BYTES = 64
_ALIGNMENT = 64
_RELATED_BYTES = 3


def shipped() -> "StaticTable":
    """The table that is shipped with the package; an empty table if its file is missing or damaged."""
    if not _shipped:
        data = map_asset("static_table.bin")
        _shipped.append((StaticTable.open(data) if data else None) or StaticTable.empty())
    return _shipped[0]


class StaticTable:
    """The embedding table, read in place from the bytes of its file."""

    def __init__(
        self, rows: memoryview, pieces: "_Texts", continuations: int, records: "_Texts", fingerprint: int
    ) -> None:
        """`pieces` are the pieces that continue a word, then the pieces that begin a word; both are sorted by bytes.

        `records`, sorted by term, have a byte with the length of the term, the term, and its related terms. The
        fingerprint is the CRC-32 of everything after the header, as stored in the header.
        """
        self.fingerprint = fingerprint
        self._rows = rows
        self._pieces = pieces
        self._continuations = continuations
        self._records = records

    @staticmethod
    def open(data: "bytes | memoryview") -> "StaticTable | None":
        """The table in the bytes of a file; None if the bytes are not a valid table."""
        data = memoryview(data)
        if len(data) < _HEADER_BYTES or data[:8] != MAGIC:
            return None
        version, dimensions, continuations, pieces, piece_bytes, terms, term_bytes, crc = numbers(data[8:40], "I")
        if version != VERSION or dimensions != DIMENSIONS or continuations > pieces:
            return None
        sections = []
        end = _HEADER_BYTES
        for length in (pieces * DIMENSIONS, 4 * pieces + 4, piece_bytes, 4 * terms + 4, term_bytes):
            begin = -(-end // _ALIGNMENT) * _ALIGNMENT
            end = begin + length
            sections.append(data[begin:end])
        if end != len(data):
            return None
        rows, piece_places, piece_texts, term_places, term_records = sections
        return StaticTable(
            rows.cast("b"),
            _Texts(numbers(piece_places, "I"), piece_texts),
            continuations,
            _Texts(numbers(term_places, "I"), term_records),
            crc,
        )

    @staticmethod
    def empty() -> "StaticTable":
        """A table without words, whose fingerprint is 0."""
        nothing = _Texts([0], memoryview(b""))
        return StaticTable(memoryview(b""), nothing, 0, nothing, 0)

    def word_rows(self, word: str) -> list[int]:
        """The numbers of the rows of a word's pieces, in their order; the word is in lower case and without marks.

        At each place the longest matching piece is taken; a byte that no piece covers is skipped.
        """
        pieces, continuations = self._pieces, self._continuations
        rest = whole = word.encode("utf-8", "replace")
        found = []
        while rest:
            if rest is not whole and rest[0] < 0x80:
                number, length = pieces.longest_prefix(0, continuations, rest)
            else:
                number, length = pieces.longest_prefix(continuations, len(pieces), rest)
            if length:
                found.append(number)
            rest = rest[length or 1 :]
        return found

    def word_of(self, term: str) -> str:
        """The shortest word of the table that has a term as its stem, and the first by bytes of equally short ones; ""
        if there is none. Only words of lower-case ASCII letters count."""
        # A stem that ends in `i` may come from a word that ends in `y`.
        key = term.removesuffix("i").encode("utf-8", "replace")
        if not key or not _is_lower(term.encode("utf-8", "replace")):
            return ""
        pieces = self._pieces
        place = first_place(self._continuations, len(pieces), lambda number: pieces.get(number) >= key)
        best = ""
        while place < len(pieces) and (text := pieces.get(place)).startswith(key):
            if _is_lower(text) and (not best or len(text) < len(best)) and stem(word := text.decode()) == term:
                best = word
            place += 1
        return best

    def beginnings(self) -> list[bytes]:
        """The pieces that begin a word."""
        return [self._pieces.get(number) for number in range(self._continuations, len(self._pieces))]

    def row(self, number: int) -> "memoryview | None":
        """A row of the matrix; None if the table has no such row."""
        row = self._rows[DIMENSIONS * number : DIMENSIONS * (number + 1)]
        return row if len(row) == DIMENSIONS else None

    def related(self, term: str) -> list[tuple[str, int]]:
        """The terms of similar meaning, each with its cosine in 1/256, the nearest first; terms with equal cosines are
        in the order of terms.
        """
        key = term.encode("utf-8", "replace")
        record = self._find_record(key)
        found = []
        for place in range(1 + len(key), len(record) - _RELATED_BYTES + 1, _RELATED_BYTES):
            number = record[place] | record[place + 1] << 8
            if number < len(self._records):
                found.append((_term_of(self._records.get(number)).decode("utf-8", "replace"), record[place + 2]))
        return found

    def _find_record(self, key: bytes) -> bytes:
        records = self._records
        place = first_place(0, len(records), lambda number: _term_of(records.get(number)) >= key)
        record = records.get(place) if place < len(records) else b""
        return record if _term_of(record) == key else b""


class _Texts:
    """Texts that are numbered from 0; a text whose places are not valid counts as empty."""

    def __init__(self, places: "Sequence[int]", texts: memoryview) -> None:
        self._places = places
        self._texts = texts

    def __len__(self) -> int:
        return len(self._places) - 1

    def get(self, number: int) -> bytes:
        """The text with this number, which must be less than the number of texts."""
        end = self._places[number + 1]
        return bytes(self._texts[self._places[number] : end]) if end <= len(self._texts) else b""

    def longest_prefix(self, start: int, end: int, word: bytes) -> tuple[int, int]:
        """Number and length of the longest text in a sorted range that `word` begins with; (0, 0) if there is none."""
        while word:
            # Take the last text that is not greater than the word. Each text that is a prefix of the word is at this
            # place or before, and shares no more with the word than this text.
            end = self._first_behind(start, end, word)
            if end == start:
                break
            text = self.get(end - 1)
            if text and word.startswith(text):
                return end - 1, len(text)
            word = word[: _shared(text, word)]
        return 0, 0

    def _first_behind(self, start: int, end: int, word: bytes) -> int:
        places, texts = self._places, self._texts
        return first_place(start, end, lambda number: bytes(texts[places[number] : places[number + 1]]) > word)


def _is_lower(text: bytes) -> bool:
    return text.isascii() and text.isalpha() and text.islower()


def _shared(a: bytes, b: bytes) -> int:
    """The length in bytes of the common prefix of two texts."""
    for place, (one, other) in enumerate(zip(a, b, strict=False)):
        if one != other:
            return place
    return min(len(a), len(b))


def _term_of(record: bytes) -> bytes:
    length = record[0] if record else 0
    return record[1 : 1 + length] if length < len(record) else b""


_shipped: "list[StaticTable]" = []


def numbers(data: memoryview, form: str) -> "Sequence[int]":
    """Little-endian numbers of the form `H`, `I` or `Q` (16, 32, 64 bits); not copied on a little-endian machine."""
    if sys.byteorder == "little":
        return data.cast(form)  # type: ignore[call-overload, no-any-return]
    from array import array

    swapped = array(form, bytes(data))
    swapped.byteswap()
    return swapped
