"""The cosine of two vectors of integers (SPEC 24)."""

# `operator` is not a builtin module: loading it would cost as much time per prompt as this whole module.
from _operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COSINE_ONE = 4096


def dot(a: "Sequence[int]", b: "Sequence[int]") -> int:
    """The dot product of two vectors."""
    return sum(map(mul, a, b))


def cosine(a: "Sequence[int]", norm_a: int, b: "Sequence[int]", norm_b: int) -> int:
    """The cosine of two vectors with the given norms, in units of 1/4096, rounded down; 0 if a norm is 0."""
    norms = norm_a * norm_b
    return dot(a, b) * 256 * COSINE_ONE // norms if norms else 0
