"""Vectors of memories and prompts: sums of the table's rows, made small (SPEC 24.2 to 24.6)."""

from math import isqrt

from ...basics.cosine import dot
from ...text.identifier import split_identifier
from ...text.letters import HANGUL, LETTER
from ...text.other_words import shipped as other_words
from ...text.term_words import STOP_WORDS
from ...text.terms import fit, hangul_word, kind_of, split_chunks
from .static_table import DIMENSIONS, numbers, shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Row = list[int]

# So much more than a word of its body counts one of a memory's title or tags.
HEADING_WEIGHT = 3
# Sums of rows are bounded by these: of a text's rows, and of a prompt's weights.
MAX_TEXT_ROWS = 1 << 21
MAX_WEIGHT = (1 << 24) - 1

# The rows of chunks, which texts have in common, and how many of them are kept from one text to the next.
_known: dict[str, list[memoryview]] = {}
MAX_KNOWN = 65_536

# The digit of a column in a sign code: 1 for what is above 0.
_SIGNS = b"0" + b"1" * 127 + b"0" * 128
# Signed bytes are one number of lanes of 32 bits here, each a byte turned from -128..127 to 0..255: adding such numbers
# adds all of them at once.
_UNSIGNED = bytes([*range(0x80, 0x100), *range(0x80)])


def vector_words(text: str) -> list[str]:
    """The words of a text that a vector is made of, in their order, repeated ones too."""
    return [word for chunk in split_chunks(text) for word in _chunk_words(chunk)]


def row_of_words(weighted_words: "Iterable[tuple[str, int]]") -> "tuple[Row, int]":
    """Row and norm of words by their weights of 0 and more.

    Words are taken up to the one with which the weights of all rows would come to 2**24.
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
    """Row and norm of a document, by the words of its texts."""
    texts = (title, HEADING_WEIGHT), (tags, HEADING_WEIGHT), (body, 1)
    return quantize(sum_rows([(row, weight) for text, weight in texts for row in _rows_of_text(text)]))


def _rows_of_text(text: str) -> list[memoryview]:
    """The rows of the pieces of a text's words, up to the chunk with which they would be too many."""
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
    """The rows of a word's pieces; of a word of another language one row, the mean of its English words."""
    table, links = shipped(), other_words().find(word)
    total = sum([share for _other, share in links])
    if not total:
        return [row for number in table.word_rows(word) if (row := table.row(number))]
    rows = [(row, share) for other, share in links for number in table.word_rows(other) if (row := table.row(number))]
    means = [(2 * value + total) // (2 * total) for value in sum_rows(rows)]
    return [memoryview(bytes([max(-127, min(127, mean)) & 0xFF for mean in means]))]


def fingerprints() -> int:
    """The number that says which table and which words of other languages are shipped."""
    return shipped().fingerprint ^ other_words().fingerprint


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
    if kind == HANGUL:
        return (other_words().words_of(chunk) or [chunk]) if hangul_word(chunk) and fit(chunk) else []
    return other_words().words_of(chunk)


def sum_rows(weighted_rows: "Iterable[tuple[memoryview, int]]") -> list[int]:
    """The sums, column by column, of rows times their weights; weights are positive and come to less than 2**24."""
    sums = total = 0
    for row, weight in weighted_rows:
        lanes = bytearray(4 * DIMENSIONS)
        lanes[::4] = bytes(row).translate(_UNSIGNED)
        sums += int.from_bytes(lanes, "little") * weight
        total += weight
    offset = 128 * total
    return [value - offset for value in numbers(memoryview(sums.to_bytes(4 * DIMENSIONS, "little")), "I")]


def quantize(sums: "Sequence[int]") -> tuple[list[int], int]:
    """The sums scaled so that the largest magnitude is 127, half rounded up, and the norm of that.

    The norm is that of the row times 16, rounded down; sums of nothing but 0 have norm 0.
    """
    largest = max(max(sums), -min(sums))
    if largest == 0:
        return [0] * DIMENSIONS, 0
    twice = 2 * largest
    row = [(254 * value + largest) // twice for value in sums]
    return row, isqrt(256 * dot(row, row))
