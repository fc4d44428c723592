"""The concept graph of a segment from its posting lists (SPEC 25.1, 25.2).

In Python a posting is one integer, number·256 + byte, as in `postings`.
"""

from math import isqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # Number of a term, neighbours best first: number and weight.
    Edges = dict[int, list[tuple[int, int]]]

DOCUMENTS_MIN = 20
DOCUMENTS_MAX = 65_536
# A term in more documents than that share of them, or than that many, says little about any.
SHARE = 8
LIST_MAX = 1_000
# A word of a title or a tag has it, one of the body where it is repeated.
IMPACT_MIN = 150
CONCEPTS_MAX = 24
COMMON_MIN = 3
NEIGHBOURS_MAX = 8
WEIGHT_MAX = 255


class GraphWriter:
    """Makes the section of a graph."""

    __slots__ = ("_concepts", "_longest", "_terms")

    def __init__(self, documents: int) -> None:
        """Over so many documents, without lists."""
        fits = DOCUMENTS_MIN <= documents <= DOCUMENTS_MAX
        self._longest = min(documents // SHARE, LIST_MAX) if fits else 0
        # By document: 255 - impact and number of the term, so that the best come first.
        self._concepts: list[list[tuple[int, int]]] = [[] for _ in range(documents if fits else 0)]
        self._terms = 0

    def push(self, postings: list[int]) -> None:
        """Take the list of the next term of the dictionary."""
        if COMMON_MIN <= len(postings) <= self._longest:
            for posting in postings:
                impact = posting & 0xFF
                if impact >= IMPACT_MIN:
                    self._concepts[posting >> 8].append((255 - impact, self._terms))
        self._terms += 1

    def finish(self) -> bytes:
        """The section; no bytes where no two concepts are neighbours."""
        concepts = []
        for found in self._concepts:
            found.sort()
            concepts.append([term for _, term in found[:CONCEPTS_MAX]])
        return _encode(_lower_hubs(_join(concepts)))


def _join(concepts: "Sequence[list[int]]") -> "Edges":
    """The neighbours of each concept, from the concepts of each document."""
    documents: dict[int, list[list[int]]] = {}
    for terms in concepts:
        for term in terms:
            documents.setdefault(term, []).append(terms)
    edges: Edges = {}
    for concept in sorted(documents):
        own = len(documents[concept])
        common: dict[int, int] = {}
        for terms in documents[concept]:
            for term in terms:
                common[term] = common.get(term, 0) + 1
        found = [
            (term, _association(both, own * len(documents[term])))
            for term, both in common.items()
            if both >= COMMON_MIN and term != concept
        ]
        if found:
            found.sort(key=_rank)
            edges[concept] = found[:NEIGHBOURS_MAX]
    return edges


def _association(both: int, product: int) -> int:
    """Ochiai's coefficient, common / sqrt(documents of the one · of the other), in 1/256."""
    return min(WEIGHT_MAX, max(1, isqrt((both * both << 16) // product)))


def _lower_hubs(edges: "Edges") -> "Edges":
    """The edges to what more than eight have as a neighbour, lowered by the square root of how many times as many."""
    pointing: dict[int, int] = {}
    for neighbours in edges.values():
        for term, _ in neighbours:
            pointing[term] = pointing.get(term, 0) + 1
    lowered: Edges = {}
    for concept, neighbours in edges.items():
        lowered[concept] = sorted([(term, _lower(weight, pointing[term])) for term, weight in neighbours], key=_rank)
    return lowered


def _lower(weight: int, pointing: int) -> int:
    return max(1, isqrt(weight * weight * NEIGHBOURS_MAX // max(NEIGHBOURS_MAX, pointing)))


def _rank(edge: tuple[int, int]) -> tuple[int, int]:
    return -edge[1], edge[0]


def _encode(edges: "Edges") -> bytes:
    if not edges:
        return b""
    from struct import pack

    flat = [edge for neighbours in edges.values() for edge in neighbours]
    ends, end = [], 0
    for neighbours in edges.values():
        end += len(neighbours)
        ends.append(end)
    table = [len(edges), *edges, *ends, *[term for term, _ in flat]]
    return pack(f"<{len(table)}I", *table) + bytes([weight for _, weight in flat])
