"""Vectors that an embedding model made: rows compared, and what they say of a snapshot's documents (SPEC 49)."""

from math import isqrt

from ...basics.cosine import COSINE_ONE, dot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...protocol.request import Embedded
    from .filters import Acceptance
    from .known_documents import KnownDocuments

# In a longer row sums would not fit.
MAX_DIMENSION = 65_536

# Standings count in 1/1024 of the spread of a prompt's cosines, and end at this many of it.
STANDING_ONE = 1024
MAX_STANDING = 8 * STANDING_ONE
# A few cosines have no spread of their own: so many more count, as far from the mean as it is usual.
TYPICAL_COUNT = 16
TYPICAL_SPREAD = 400
# With so many before it a document is part of the background; fewer vectors than these say nothing about one of them.
BACKGROUND = 9
MIN_COUNT = 5
# A small store, or fewer vectors, is judged before the background that others have: the median over judged prompts.
TYPICAL_BACKGROUND = 1899
SMALL_STORE = 100


def nearest_rows(rows: bytes, dimension: int, query: bytes, k: int) -> list[tuple[int, int]]:
    """Number and cosine, in 1/4096, of the `k` rows nearest to a query, the nearest first, equal ones by number.

    Rows of `dimension` signed bytes stand one behind the other; those of zeros have no cosine. Nothing is near a query
    of another length, or of zeros, and nothing has more than 65,536 columns.
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
    """How the documents with model vectors stand before a prompt, each among all of them.

    Cosines of one model spread otherwise than those of another: what counts is by how much of that spread one is above
    the mean.
    """

    background: int | None

    def __init__(self, snapshot: "KnownDocuments", embedded: "Embedded") -> None:
        """Rank all documents with a vector; what is no document is passed over; the first of several pairs counts."""
        self._cosines: dict[int, int] = {}
        for position, cosine in embedded:
            if position not in self._cosines and snapshot.stored(position) is not None:
                self._cosines[position] = max(-COSINE_ONE, min(cosine, COSINE_ONE))
        cosines = sorted(self._cosines.values(), reverse=True)
        count = len(cosines)
        self._mean = sum(cosines) // count if count else 0
        squares = sum([(cosine - self._mean) ** 2 for cosine in cosines])
        self._spread = isqrt((squares + TYPICAL_COUNT * TYPICAL_SPREAD**2) // (count + TYPICAL_COUNT))
        # The standing of what has nothing to do with the prompt; None where that is not known.
        self.background = TYPICAL_BACKGROUND if count >= MIN_COUNT else None
        if count > BACKGROUND:
            tenth = self._standing(cosines[BACKGROUND])
            self.background = max(tenth, TYPICAL_BACKGROUND) if len(snapshot) < SMALL_STORE else tenth

    def at(self, position: int) -> int | None:
        """How far the document at a position is above the mean; None where it has no vector."""
        cosine = self._cosines.get(position)
        return None if cosine is None else self._standing(cosine)

    def best(self, snapshot: "KnownDocuments", k: int, acceptance: "Acceptance") -> list[int]:
        """The positions of the `k` nearest of the accepted, equal ones in the order of documents."""
        accepted = [pair for pair in self._cosines.items() if snapshot.accepts(pair[0], acceptance)]
        accepted.sort(key=lambda pair: (-pair[1], pair[0]))
        return [position for position, _cosine in accepted[: max(k, 0)]]

    def _standing(self, cosine: int) -> int:
        standing = STANDING_ONE * (cosine - self._mean) // max(self._spread, 1)
        return max(-MAX_STANDING, min(standing, MAX_STANDING))
