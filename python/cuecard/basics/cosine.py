"""The cosine of two rows of whole numbers (SPEC 24)."""

# Not `operator`, which is no builtin and costs a prompt as much as all of this.
from _operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COSINE_ONE = 4096


def dot(a: "Sequence[int]", b: "Sequence[int]") -> int:
    """The product of two rows."""
    return sum(map(mul, a, b))


def cosine(a: "Sequence[int]", norm_a: int, b: "Sequence[int]", norm_b: int) -> int:
    """The cosine of two rows of these norms, in 1/4096, rounded down; 0 where a norm is."""
    norms = norm_a * norm_b
    return dot(a, b) * 256 * COSINE_ONE // norms if norms else 0
