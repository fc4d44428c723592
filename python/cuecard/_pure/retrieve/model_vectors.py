"""Vectors of an embedding model: compares rows, and computes the standings of a snapshot's documents (SPEC 42).

Their points are added to those of the built-in word vectors. In place of these, a weak model would cost recall quality,
and a strong one mostly gains less (`docs/recall-quality.md`).
"""

from math import isqrt

from ...basics.cosine import COSINE_ONE, dot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..requests.request import Embedded
    from .filters import Acceptance
    from .known_documents import KnownDocuments

# With longer rows the sums of products might not fit in 32 bits.
MAX_DIMENSION = 65_536

# A standing says by how many spreads a cosine is above the mean of a prompt's cosines: in 1/1024, at most 8 spreads.
STANDING_ONE = 1024
MAX_STANDING = 8 * STANDING_ONE
# The spread of few cosines is uncertain: this number of cosines with a typical distance from the mean is added.
TYPICAL_COUNT = 16
TYPICAL_SPREAD = 400
# The background of a prompt is the standing of the tenth best document (index 9). With fewer than MIN_COUNT vectors it
# is not known.
BACKGROUND = 9
MIN_COUNT = 5
# The typical background (the median over judged prompts), used for small stores and for few vectors.
TYPICAL_BACKGROUND = 1899
SMALL_STORE = 100


def nearest_rows(rows: bytes, dimension: int, query: bytes, k: int) -> list[tuple[int, int]]:
    """Number and cosine, in 1/4096, of the `k` rows nearest to a query; nearest first, equal cosines by number.

    `rows` contains rows of `dimension` signed bytes, one after another; rows of zeros are skipped. The result is empty
    if the query has another length or only zeros, or if `dimension` is above 65,536.
    """
    row = memoryview(query).cast("b").tolist()
    norm = isqrt(sum([value * value for value in row]) << 8)
    if not 1 <= dimension <= MAX_DIMENSION or len(row) != dimension or norm == 0 or k <= 0:
        return []
    found = []
    for number in range(len(rows) // dimension):
        other = memoryview(rows)[number * dimension : (number + 1) * dimension].cast("b")
        if square := dot(other, other):
            product = dot(row, other) * 256 * COSINE_ONE
            found.append((-(product // (norm * isqrt(square << 8))), number))
    found.sort()
    return [(number, -key) for key, number in found[:k]]


class Standings:
    """The standings for one prompt of the documents that have a model vector.

    A standing says by how many spreads a cosine is above the mean of all cosines, because the cosines of different
    models spread differently.
    """

    background: int | None

    def __init__(self, snapshot: "KnownDocuments", embedded: "Embedded") -> None:
        """`embedded` are pairs of position and cosine. Unknown positions and repeated positions are ignored."""
        self._cosines: dict[int, int] = {}
        for position, cosine in embedded:
            if position not in self._cosines and snapshot.stored(position) is not None:
                self._cosines[position] = max(-COSINE_ONE, min(cosine, COSINE_ONE))
        cosines = sorted(self._cosines.values(), reverse=True)
        count = len(cosines)
        self._mean = sum(cosines) // count if count else 0
        squares = sum([(cosine - self._mean) ** 2 for cosine in cosines])
        self._spread = isqrt((squares + TYPICAL_COUNT * TYPICAL_SPREAD**2) // (count + TYPICAL_COUNT))
        # The typical standing of documents that have nothing to do with the prompt; None if it is not known.
        self.background = TYPICAL_BACKGROUND if count >= MIN_COUNT else None
        if count > BACKGROUND:
            tenth = self._standing(cosines[BACKGROUND])
            self.background = max(tenth, TYPICAL_BACKGROUND) if len(snapshot) < SMALL_STORE else tenth

    def at(self, position: int) -> int | None:
        """How far a document's cosine is above the mean, in 1/1024 of the usual spread; None if it has no vector."""
        cosine = self._cosines.get(position)
        return None if cosine is None else self._standing(cosine)

    def best(self, snapshot: "KnownDocuments", k: int, acceptance: "Acceptance") -> list[int]:
        """The positions of the `k` nearest accepted documents; nearest first, equally near ones in document order."""
        accepted = [pair for pair in self._cosines.items() if snapshot.accepts(pair[0], acceptance)]
        accepted.sort(key=lambda pair: (-pair[1], pair[0]))
        return [position for position, _cosine in accepted[: max(k, 0)]]

    def _standing(self, cosine: int) -> int:
        standing = STANDING_ONE * (cosine - self._mean) // max(self._spread, 1)
        return max(-MAX_STANDING, min(standing, MAX_STANDING))
