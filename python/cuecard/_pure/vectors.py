"""Vectors of memories and prompts, as a snapshot keeps and compares them (SPEC 24)."""

from . import layout
from .identifier import split_identifier
from .layout import numbers
from .letters import HANGUL, LETTER
from .static_table import DIMENSIONS, fingerprint, shipped
from .static_vector import COSINE_ONE, dots, lanes_of, quantize, sum_rows, values_of
from .term_words import STOP_WORDS
from .terms import fit, hangul_word, kind_of, split_chunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .piece_index import PieceIndex
    from .segment import Segment
    from .segment_writer import SegmentSource

    Row = list[int]

HEADER_BYTES = 8
NORM_BYTES = 4
CODE_BYTES = 16
# So much more than a word of its body counts one of a memory's title or tags.
HEADING_WEIGHT = 3
# Sums of rows are bounded by these: of a text's rows, and of a prompt's weights.
MAX_TEXT_ROWS = 1 << 21
MAX_WEIGHT = (1 << 24) - 1
# With so many different chunks an index of the pieces pays.
MANY_CHUNKS = 2000

# So many documents are compared at once: what is made for them stays small.
BLOCK = 4096

# How many bits are set in a byte.
_BITS = bytes([byte.bit_count() for byte in range(256)])
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


def write_vectors(parts: "list[SegmentSource]", documents: int) -> bytes:
    """The section of the vectors of a segment's parts under their new numbers."""
    # Only those who write need them.
    from struct import pack

    from .segment_builder import Builder

    norms = [0] * documents
    codes = [bytes(CODE_BYTES)] * documents
    rows = [bytes(DIMENSIONS)] * documents
    for part in parts:
        source = part.lists
        vectors = None if isinstance(source, Builder) else Vectors(source)
        for place, number in enumerate(part.numbers):
            if number is None:
                continue
            if isinstance(source, Builder):
                row, norms[number] = source.row(place)
                rows[number] = pack(f"{DIMENSIONS}b", *row)
            elif vectors:
                rows[number], norms[number] = vectors.row(place).tobytes(), vectors.norm(place)
            codes[number] = sign_code(rows[number]).to_bytes(CODE_BYTES, "little")
    return b"".join([pack("<2I", fingerprint(), 0), pack(f"<{documents}I", *norms), *codes, *rows])


class Vectors:
    """A segment's section of vectors; without one every vector is nothing."""

    __slots__ = ("_codes", "_norms", "_rows")

    def __init__(self, segment: "Segment") -> None:
        """Of a segment, whose section has the length that its documents make."""
        section = segment.section(layout.VECTORS)
        codes = HEADER_BYTES + NORM_BYTES * segment.documents()
        rows = codes + CODE_BYTES * segment.documents()
        self._norms = numbers(section[HEADER_BYTES:codes], "I")
        self._codes = section[codes:rows]
        self._rows = section[rows:].cast("b")

    def norm(self, number: int) -> int:
        """The norm of a document's row."""
        return self._norms[number] if number < len(self._norms) else 0

    def row(self, number: int) -> memoryview:
        """A document's row."""
        return self._rows[DIMENSIONS * number : DIMENSIONS * (number + 1)]

    def distances(self, code: int) -> bytes:
        """In how many columns the signs of each document differ from a code."""
        codes = bytes(self._codes)
        documents = len(codes) // CODE_BYTES
        same = code.to_bytes(CODE_BYTES, "little") * documents
        differing = int.from_bytes(codes, "little") ^ int.from_bytes(same, "little")
        counts = differing.to_bytes(len(codes), "little").translate(_BITS)
        # The sums of all documents at once: a byte holds up to 128.
        sums = sum([int.from_bytes(counts[place::CODE_BYTES], "little") for place in range(CODE_BYTES)])
        return sums.to_bytes(documents, "little")

    def cosines(self, chosen: "Sequence[int]", row: "Row", norm: int) -> list[int]:
        """The cosine of each of the documents of these numbers and a row of this norm; 0 where a norm is."""
        found: list[int] = []
        for begin in range(0, len(chosen) if norm and self._norms else 0, BLOCK):
            block = chosen[begin : begin + BLOCK]
            products = dots(row, b"".join([self.row(number) for number in block]))
            norms = [norm * self.norm(number) for number in block]
            found += [
                product * 256 * COSINE_ONE // both if both else 0 for product, both in zip(products, norms, strict=True)
            ]
        return found or [0] * len(chosen)


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
