"""Vectors of memories and prompts (SPEC 24.3 to 24.6)."""

from ...text.identifier import split_identifier
from ...text.letters import HANGUL, LETTER
from ...text.term_words import STOP_WORDS
from ...text.terms import fit, hangul_word, kind_of, split_chunks
from .static_table import shipped
from .static_vector import lanes_of, quantize, sum_rows, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .piece_index import PieceIndex

    Row = list[int]

# So much more than a word of its body counts one of a memory's title or tags.
HEADING_WEIGHT = 3
# Sums of rows are bounded by these: of a text's rows, and of a prompt's weights.
MAX_TEXT_ROWS = 1 << 21
MAX_WEIGHT = (1 << 24) - 1
# With so many different chunks an index of the pieces pays.
MANY_CHUNKS = 2000

# The digit of a column in a sign code: 1 for what is above 0.
_SIGNS = b"0" + b"1" * 127 + b"0" * 128


def vector_words(text: str) -> list[str]:
    """The words of a text that a vector is made of, in their order, repeated ones too."""
    return [word for chunk in split_chunks(text) for word in _chunk_words(chunk)]


def row_of_words(weighted_words: "Iterable[tuple[str, int]]") -> "tuple[Row, int]":
    """Row and norm of words by their weights of 0 and more.

    Words are taken up to the one with which the weights of all rows would come to 2**24.
    """
    table = shipped()
    rows: list[tuple[memoryview, int]] = []
    total = 0
    for word, weight in weighted_words if table else ():
        found = table.word_rows(word) if table and weight else []
        total += weight * len(found)
        if total > MAX_WEIGHT:
            break
        rows += [(row, weight) for number in found if table and (row := table.row(number))]
    return quantize(sum_rows(rows))


class RowMaker:
    """Makes the rows of documents, and remembers what each chunk adds to them."""

    __slots__ = ("_chunks", "_lanes", "_pieces", "_table")

    def __init__(self) -> None:
        """With the shipped table."""
        self._table = shipped()
        # Made once there are many chunks: that takes as long as finding some hundred pieces without it.
        self._pieces: PieceIndex | None = None
        self._lanes: dict[int, int] = {}
        # Sum of the chunk's rows as lanes, and how many rows.
        self._chunks: dict[str, tuple[int, int]] = {}

    def document_row(self, title: str, tags: str, body: str) -> "tuple[Row, int]":
        """Row and norm of a document."""
        lanes = total = 0
        for text, weight in ((title, HEADING_WEIGHT), (tags, HEADING_WEIGHT), (body, 1)):
            of_text, rows = self._sum_text(text)
            lanes += of_text * weight
            total += rows * weight
        return quantize(values_of(lanes, total))

    def _sum_text(self, text: str) -> tuple[int, int]:
        """The sum of a text's rows as lanes, and how many rows; up to the chunk with which they would be too many."""
        known = self._chunks
        lanes = total = 0
        for chunk in split_chunks(text):
            found = known.get(chunk)
            if found is None:
                found = known[chunk] = self._sum_chunk(chunk)
            of_chunk, rows = found
            if total + rows > MAX_TEXT_ROWS:
                break
            lanes += of_chunk
            total += rows
        return lanes, total

    def _sum_chunk(self, chunk: str) -> tuple[int, int]:
        table = self._table
        if table is None:
            return 0, 0
        if self._pieces is None and len(self._chunks) >= MANY_CHUNKS:
            from .piece_index import PieceIndex

            self._pieces = PieceIndex(table)
        find = self._pieces.word_rows if self._pieces else table.word_rows
        lanes = count = 0
        known = self._lanes
        for word in _chunk_words(chunk):
            for number in find(word):
                of_row = known.get(number)
                if of_row is None:
                    row = table.row(number)
                    if row is None:
                        continue
                    of_row = known[number] = lanes_of(row)
                lanes += of_row
                count += 1
        return lanes, count


def bytes_of(row: "Row") -> bytes:
    """A row as signed bytes."""
    return bytes([value & 0xFF for value in row])


def values_of_bytes(data: bytes) -> "Row":
    """The row in signed bytes."""
    return memoryview(data).cast("b").tolist()


def sign_code(row: bytes) -> int:
    """A number of 128 bits, in which bit i is set where column i is above 0."""
    return int(row[::-1].translate(_SIGNS), 2)


def _chunk_words(chunk: str) -> list[str]:
    """The words of a chunk: the parts of a name, a plain word, a Korean one with its particles."""
    kind = kind_of(chunk)
    if kind == LETTER:
        whole, parts = split_identifier(chunk)
        return [word for word in parts or [whole] if word not in STOP_WORDS and fit(word)]
    return [chunk] if kind == HANGUL and hangul_word(chunk) and fit(chunk) else []
