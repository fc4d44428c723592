"""The concept graph: terms that occur together in a project's memories, and the expansion of queries (SPEC 25)."""

from math import isqrt

from ..memory.stored_document import count_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    # A concept, and its neighbours with weights, best first.
    Edges = dict[str, list[tuple[str, int]]]

DOCUMENTS_MIN = 20
DOCUMENTS_MAX = 65_536
# A term in more than 1/SHARE of the documents, or in more than LIST_MAX documents, is too common to be a concept.
SHARE = 8
LIST_MAX = 1_000
# The least impact of a concept: a word of a title or tag reaches it, a word of the body only if it is repeated.
IMPACT_MIN = 150
CONCEPTS_MAX = 24
COMMON_MIN = 3
NEIGHBOURS_MAX = 8
WEIGHT_MAX = 255

HOPS = 2
# The share of a weight that is left after a hop, in 1/256.
DECAY = 96
EXPANSION_MAX = 16


def make_graph(documents: "Sequence[dict[str, int]]") -> "Edges":
    """The concept graph of documents, each a dict of term and impact; {} for too few or too many (SPEC 25.2)."""
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
    """The terms to which edges lead from the terms of a query, heaviest first, at most sixteen (SPEC 25.4).

    Terms of the query itself are left out. `query` has distinct terms with weights from 1 to 256; `decay` is in 1/256.
    If several ways lead to a term, the heaviest counts.
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
    """The neighbours of each concept. `with_concept` has the concepts of all documents that have the concept."""
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
    """Ochiai's coefficient in 1/256: `both` documents in common, over the square root of the product of both counts."""
    return min(WEIGHT_MAX, max(1, isqrt((both * both << 16) // product)))


def _lower_hubs(edges: "Edges") -> "Edges":
    """The edges with lower weights for hubs: if n > 8 concepts have a neighbour, its weight is divided by √(n / 8)."""
    pointing = count_terms([term for neighbours in edges.values() for term, _weight in neighbours])
    return {
        concept: sorted([(term, _lower(weight, pointing[term])) for term, weight in neighbours], key=_rank)
        for concept, neighbours in edges.items()
    }


def _lower(weight: int, pointing: int) -> int:
    return max(1, isqrt(weight * weight * NEIGHBOURS_MAX // max(NEIGHBOURS_MAX, pointing)))


def _rank(edge: tuple[str, int]) -> tuple[int, str]:
    return -edge[1], edge[0]
