"""Concept graph: the terms that a project's memories have together, and queries widened by them (SPEC 25)."""

from math import isqrt

from ..memory.stored_document import count_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    # A concept, and its neighbours with weights, best first.
    Edges = dict[str, list[tuple[str, int]]]

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

HOPS = 2
# What a hop leaves of a weight, in 1/256.
DECAY = 96
EXPANSION_MAX = 16


def make_graph(documents: "Sequence[dict[str, int]]") -> "Edges":
    """The graph of documents, which are given by the impacts of their terms (SPEC 25.1, 25.2)."""
    if not DOCUMENTS_MIN <= len(documents) <= DOCUMENTS_MAX:
        return {}
    frequencies = count_terms([term for impacts in documents for term in impacts])
    longest = min(len(documents) // SHARE, LIST_MAX)
    with_concept: dict[str, list[list[str]]] = {}
    for impacts in documents:
        candidates = [
            (-impact, term)
            for term, impact in impacts.items()
            if impact >= IMPACT_MIN and COMMON_MIN <= frequencies[term] <= longest
        ]
        concepts = [term for _impact, term in sorted(candidates)[:CONCEPTS_MAX]]
        for concept in concepts:
            with_concept.setdefault(concept, []).append(concepts)
    return _lower_hubs(_join(with_concept))


def expand(
    edges: "Edges", query: "Iterable[tuple[str, int]]", hops: int = HOPS, decay: int = DECAY
) -> list[tuple[str, int]]:
    """The terms that those of a query lead to and that are not among them, heaviest first, at most sixteen (SPEC 25.4).

    `query` has distinct terms with weights of 1 to 256; `decay` is in 1/256. Of several ways to a term the heaviest
    counts.
    """
    front = dict(query)
    own = frozenset(front)
    found: dict[str, int] = {}
    for _ in range(hops):
        reached: dict[str, int] = {}
        for term, weight in front.items():
            for neighbour, strength in edges.get(term, ()):
                activation = weight * strength * decay >> 16
                if activation > found.get(neighbour, 0) and neighbour not in own:
                    found[neighbour] = reached[neighbour] = activation
        front = reached
    return sorted(found.items(), key=_rank)[:EXPANSION_MAX]


def _join(with_concept: dict[str, list[list[str]]]) -> "Edges":
    """The neighbours of each concept, from the concepts of each document that has it."""
    edges: Edges = {}
    for concept, documents in with_concept.items():
        common = count_terms([other for concepts in documents for other in concepts])
        found = [
            (other, _association(both, len(documents) * len(with_concept[other])))
            for other, both in common.items()
            if both >= COMMON_MIN and other != concept
        ]
        if found:
            edges[concept] = sorted(found, key=_rank)[:NEIGHBOURS_MAX]
    return edges


def _association(both: int, product: int) -> int:
    """Ochiai's coefficient, common / sqrt(documents of the one · of the other), in 1/256."""
    return min(WEIGHT_MAX, max(1, isqrt((both * both << 16) // product)))


def _lower_hubs(edges: "Edges") -> "Edges":
    """The edges to what more than eight have as a neighbour, lowered by the square root of how many times as many."""
    pointing = count_terms([term for neighbours in edges.values() for term, _weight in neighbours])
    return {
        concept: sorted([(term, _lower(weight, pointing[term])) for term, weight in neighbours], key=_rank)
        for concept, neighbours in edges.items()
    }


def _lower(weight: int, pointing: int) -> int:
    return max(1, isqrt(weight * weight * NEIGHBOURS_MAX // max(NEIGHBOURS_MAX, pointing)))


def _rank(edge: tuple[str, int]) -> tuple[int, str]:
    return -edge[1], edge[0]
