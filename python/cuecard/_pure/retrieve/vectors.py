"""Vectors of memories and prompts: sums of rows of the table, scaled to signed bytes (SPEC 24.2 to 24.6)."""

from math import isqrt

from ...basics.cosine import dot
from ..text.identifier import split_identifier
from ..text.letters import HANGUL, LETTER
from ..text.other_words import shipped as other_words
from ..text.term_words import STOP_WORDS
from ..text.terms import fit, hangul_word, kind_of, split_chunks
from .static_table import DIMENSIONS, numbers, shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Row = list[int]

# The weight of a word of title or tags, if a word of the body has the weight 1.
HEADING_WEIGHT = 3
# The limits of sums: the number of rows of a text, and the total weight of a prompt's rows.
MAX_TEXT_ROWS = 1 << 21
MAX_WEIGHT = (1 << 24) - 1

# A cache of the rows of chunks. If it has more chunks than this when a text begins, it is emptied.
_known: dict[str, list[memoryview]] = {}
MAX_KNOWN = 65_536

# The digit of a column in a sign code by its byte: 1 for values above 0.
_SIGNS = b"0" + b"1" * 127 + b"0" * 128
# A row is handled as one large integer with a lane of 32 bits for each byte, which is shifted from -128..127 to 0..255.
# Adding two such integers adds all columns at once.
_UNSIGNED = bytes([*range(0x80, 0x100), *range(0x80)])


def vector_words(text: str) -> list[str]:
    """The words of a text from which its vector is made, in their order, with repetitions."""
    return [word for chunk in split_chunks(text) for word in _chunk_words(chunk)]


def row_of_words(weighted_words: "Iterable[tuple[str, int]]") -> "tuple[Row, int]":
    """Row and norm of weighted words; weights are not negative.

    Words are left out from the first word with which the weights of all rows would add up to 2**24.
    """
    total = 0
    rows: list[tuple[memoryview, int]] = []
    for word, weight in weighted_words:
        found = _rows_of_word(word) if weight else []
        total += weight * len(found)
        if total > MAX_WEIGHT:
            break
        rows += [(row, weight) for row in found]
    return quantize(sum_rows(rows))


def document_row(title: str, tags: str, body: str) -> "tuple[Row, int]":
    """Row and norm of a document, made from the words of its texts."""
    texts = (title, HEADING_WEIGHT), (tags, HEADING_WEIGHT), (body, 1)
    return quantize(sum_rows([(row, weight) for text, weight in texts for row in _rows_of_text(text)]))


def _rows_of_text(text: str) -> list[memoryview]:
    """The rows of all pieces of a text's words. Reading stops before the chunk that would exceed `MAX_TEXT_ROWS`."""
    rows: list[memoryview] = []
    if len(_known) > MAX_KNOWN:
        _known.clear()
    for chunk in split_chunks(text):
        of_chunk = _known.get(chunk)
        if of_chunk is None:
            of_chunk = _known[chunk] = [row for word in _chunk_words(chunk) for row in _rows_of_word(word)]
        if len(rows) + len(of_chunk) > MAX_TEXT_ROWS:
            break
        rows += of_chunk
    return rows


def _rows_of_word(word: str) -> list[memoryview]:
    """The rows of a word's pieces; for a word of another language one row, the mean of its English words."""
    table, links = shipped(), other_words().find(word)
    total = sum([share for _other, share in links])
    if not total:
        return [row for number in table.word_rows(word) if (row := table.row(number))]
    rows = [(row, share) for other, share in links for number in table.word_rows(other) if (row := table.row(number))]
    means = [(2 * value + total) // (2 * total) for value in sum_rows(rows)]
    return [memoryview(bytes([max(-127, min(127, mean)) & 0xFF for mean in means]))]


def fingerprints() -> int:
    """A number that identifies the shipped table together with the shipped words of other languages."""
    return shipped().fingerprint ^ other_words().fingerprint


def bytes_of(row: "Row") -> bytes:
    """A row as signed bytes."""
    return bytes([value & 0xFF for value in row])


def values_of_bytes(data: bytes) -> "Row":
    """The row that is stored in signed bytes."""
    return memoryview(data).cast("b").tolist()


def sign_code(row: bytes) -> int:
    """A number of 128 bits, in which bit i is set if column i is above 0."""
    return int(row[::-1].translate(_SIGNS), 2)


def _chunk_words(chunk: str) -> list[str]:
    """The words of a chunk: the parts of an identifier, a plain word, or a word of another language."""
    kind = kind_of(chunk)
    if kind == LETTER:
        whole, parts = split_identifier(chunk)
        return [word for word in parts or [whole] if word not in STOP_WORDS and fit(word)]
    if kind == HANGUL:
        return (other_words().words_of(chunk) or [chunk]) if hangul_word(chunk) and fit(chunk) else []
    return other_words().words_of(chunk)


def sum_rows(weighted_rows: "Iterable[tuple[memoryview, int]]") -> list[int]:
    """The column sums of weighted rows; the weights are positive, and their total is less than 2**24."""
    sums = total = 0
    for row, weight in weighted_rows:
        lanes = bytearray(4 * DIMENSIONS)
        lanes[::4] = bytes(row).translate(_UNSIGNED)
        sums += int.from_bytes(lanes, "little") * weight
        total += weight
    offset = 128 * total
    return [value - offset for value in numbers(memoryview(sums.to_bytes(4 * DIMENSIONS, "little")), "I")]


def quantize(sums: "Sequence[int]") -> tuple[list[int], int]:
    """The sums scaled so that the largest magnitude is 127 (half is rounded up), and the norm of this row.

    The norm is 16 times the Euclidean norm, rounded down; it is 0 if all sums are 0.
    """
    largest = max(max(sums), -min(sums))
    if largest == 0:
        return [0] * DIMENSIONS, 0
    twice = 2 * largest
    row = [(254 * value + largest) // twice for value in sums]
    return row, isqrt(256 * dot(row, row))
