"""Many rows at once come to what one at a time does."""

import random

import pytest

from cuecard._pure.retrieve.static_table import DIMENSIONS
from cuecard._pure.retrieve.static_vector import dot, dots

CHANCE = random.Random(24)


@pytest.mark.parametrize("count", [0, 1, 2, 300])
@pytest.mark.parametrize("values", [[-127, 127], [0], [-1, 0, 1], range(-127, 128), [127], [-127]])
def test_products_of_many_rows(count: int, values: "list[int] | range") -> None:
    row = CHANCE.choices(values, k=DIMENSIONS)
    rows = CHANCE.choice([CHANCE.randbytes(DIMENSIONS * count), b"\x80" * DIMENSIONS * count])
    each = [memoryview(rows[begin : begin + DIMENSIONS]).cast("b") for begin in range(0, len(rows), DIMENSIONS)]
    assert dots(row, rows) == [dot(row, one) for one in each]
