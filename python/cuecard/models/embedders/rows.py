"""Converts vectors of floating-point numbers into rows of signed bytes, as in the snapshot (SPEC 24.4).

Rules: docs/reference/models.md, "Rows".
"""

from math import floor, isfinite

from ...errors import ModelError

MAX_DIMENSION = 65_536


def rows_of(vectors: object, count: int) -> list[bytes]:
    """The rows for the `count` vectors in a model's answer. Raises ModelError unless all have one dimension."""
    if not isinstance(vectors, list) or len(vectors) != count:
        found = len(vectors) if isinstance(vectors, list) else "no"
        raise ModelError(
            f"the model has answered with {found} vectors for {count} texts", "check the URL and the model"
        )
    rows = [_row_of(vector) for vector in vectors]
    if len({len(row) for row in rows}) > 1:
        raise ModelError("the model has answered with vectors of several lengths", "check the URL and the model")
    return rows


def _row_of(vector: object) -> bytes:
    """The row of a vector v: byte i is floor((254 v_i + m) / 2m), where m is the largest |v_i|; all 0 if m is 0."""
    if not isinstance(vector, list) or not 0 < len(vector) <= MAX_DIMENSION:
        raise ModelError("the model has answered with something that is not a vector", "check the URL and the model")
    numbers = [value if isinstance(value, float) else _number(value) for value in vector]
    if not all(map(isfinite, numbers)):
        raise ModelError("the model has answered with a number that is not finite", "read the log of its server")
    largest = max(max(numbers), -min(numbers))
    if largest == 0:
        return bytes(len(numbers))
    return bytes([floor(value / largest * 127 + 0.5) & 0xFF for value in numbers])


def _number(value: object) -> float:
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return float("inf")
    raise ModelError("the model has answered with something that is not a number", "check the URL and the model")
