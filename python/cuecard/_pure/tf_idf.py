"""Cosines of tf-idf vectors, and the fusion of rankings (SPEC 22.6)."""

from . import bm25, layout
from .layout import numbers
from .postings import read_list
from .segment import count_documents, dead_documents, weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .segment import Query, Segment

POOL = 100
RANK_OFFSET = 60
RANK_SCALE = 1_000_000_000


def cosines(segments: "list[Segment]", query: "Query") -> list[dict[int, int]]:
    """65,536 times the cosine, up to a factor that is the query's: by number, a segment each, the dead left out."""
    dead = dead_documents(segments)
    documents = sum(segment.documents() for segment in segments) - sum(map(len, dead))
    matched = weigh(segments, query, dead)
    found = []
    for position, segment in enumerate(segments):
        norms = numbers(segment.section(layout.NORMS), "I")
        products: dict[int, int] = {}
        for _term, weight, entries in matched:
            idf = bm25.idf(documents, count_documents(segments, entries, dead))
            for posting in read_list(segment.term_postings(), entries[position], len(norms)):
                number = posting >> 8
                products[number] = products.get(number, 0) + weight * idf * (posting & 0xFF)
        found.append(
            {
                number: (product << 16) // max(1, norms[number])
                for number, product in products.items()
                if number not in dead[position]
            }
        )
    return found


def fuse(rankings: list[list[int]]) -> dict[int, int]:
    """Points of each member of some rankings, best first, by its ranks in them (reciprocal rank fusion)."""
    points: dict[int, int] = {}
    for ranking in rankings:
        for rank, member in enumerate(ranking[:POOL], 1):
            points[member] = points.get(member, 0) + RANK_SCALE // (RANK_OFFSET + rank)
    return points
