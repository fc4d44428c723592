"""Vectors of texts: sums of a table's rows, made small, and their cosine (SPEC 24)."""

# Not `operator`, which is no builtin and costs a prompt as much as all of this.
from _operator import mul
from math import isqrt

from .static_table import DIMENSIONS, numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COSINE_ONE = 4096

# Signed bytes are one number of lanes of 32 bits here, each a byte turned from -128..127 to 0..255: adding such numbers
# adds all of them at once.
_UNSIGNED = bytes([*range(0x80, 0x100), *range(0x80)])
# The same of what a column of a negative value is multiplied with: each byte turned from 127..-128 to 0..255.
_REVERSED = _UNSIGNED[::-1]


def sum_rows(weighted_rows: "Iterable[tuple[memoryview, int]]") -> list[int]:
    """The sums, column by column, of rows times their weights; weights are positive and come to less than 2**24."""
    lanes = total = 0
    for row, weight in weighted_rows:
        lanes += lanes_of(row) * weight
        total += weight
    return values_of(lanes, total)


def lanes_of(values: "bytes | memoryview") -> int:
    """Signed bytes as one number: such numbers, times weights that come to less than 2**24, may be added."""
    lanes = bytearray(4 * len(values))
    lanes[::4] = bytes(values).translate(_UNSIGNED)
    return int.from_bytes(lanes, "little")


def values_of(lanes: int, total: int) -> list[int]:
    """The values in a sum of such numbers of rows, whose weights come to `total`."""
    offset = 128 * total
    return [value - offset for value in numbers(memoryview(lanes.to_bytes(4 * DIMENSIONS, "little")), "I")]


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


def dot(a: "Sequence[int]", b: "Sequence[int]") -> int:
    """The product of two rows."""
    return sum(map(mul, a, b))


def dots(row: "Sequence[int]", rows: bytes) -> list[int]:
    """The product of a row, of at most 65,536 signed bytes, and each of those one behind the other in `rows`."""
    lanes = offset = 0
    dimension = len(row)
    size = 4 * (len(rows) // dimension)
    # A column of all rows at once: some times faster than a row at a time.
    for sign, table, zero in ((1, _UNSIGNED, 128), (-1, _REVERSED, 127)):
        columns = [(column, sign * value) for column, value in enumerate(row) if sign * value > 0]
        spread = bytearray(size * len(columns))
        spread[::4] = b"".join([rows[column::dimension] for column, _value in columns]).translate(table)
        values = bytes(spread)
        for place, (_column, value) in enumerate(columns):
            lanes += int.from_bytes(values[size * place : size * (place + 1)], "little") * value
            offset += zero * value
    return [value - offset for value in numbers(memoryview(lanes.to_bytes(size, "little")), "I")]


def cosine(a: "Sequence[int]", norm_a: int, b: "Sequence[int]", norm_b: int) -> int:
    """The cosine of two rows of these norms, in 1/4096, rounded down; 0 where a norm is."""
    norms = norm_a * norm_b
    return dot(a, b) * 256 * COSINE_ONE // norms if norms else 0
