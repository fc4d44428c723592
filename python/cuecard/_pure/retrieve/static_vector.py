"""Vectors of texts: sums of a table's rows, made small (SPEC 24)."""

from math import isqrt

from ...basics.cosine import dot
from .static_table import DIMENSIONS, numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Signed bytes are one number of lanes of 32 bits here, each a byte turned from -128..127 to 0..255: adding such numbers
# adds all of them at once.
_UNSIGNED = bytes([*range(0x80, 0x100), *range(0x80)])


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
