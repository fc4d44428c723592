"""Cosines of tf-idf vectors, and the fusion of rankings (SPEC 22.6)."""

from math import isqrt

from . import bm25
from .lexical import impacts, weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .known_documents import KnownDocuments
    from .lexical import QueryTerm

POOL = 100
RANK_OFFSET = 60
RANK_SCALE = 1_000_000_000


def cosines(snapshot: "KnownDocuments", terms: "list[QueryTerm]") -> dict[int, int]:
    """For each document with any of the terms: 65,536 times its cosine, times the norm of the query."""
    shares = {
        term: weight * bm25.idf(len(snapshot), snapshot.frequency(term))
        for term, weight in weigh(snapshot, terms).items()
    }
    wanted, found = set(shares), {}
    for position, document in enumerate(snapshot.documents):
        if common := impacts(snapshot, document, wanted):
            norm = max(1, isqrt(sum([impact**2 for impact in impacts(snapshot, document).values()])))
            product = sum([shares[term] * impact for term, impact in common.items()])
            found[position] = (product << 16) // norm
    return found


def fuse(rankings: list[list[int]]) -> dict[int, int]:
    """The points of each member of the rankings (each best first) by reciprocal rank fusion."""
    points: dict[int, int] = {}
    for ranking in rankings:
        for rank, member in enumerate(ranking[:POOL], 1):
            points[member] = points.get(member, 0) + RANK_SCALE // (RANK_OFFSET + rank)
    return points
