"""Finds the best documents of a snapshot by a strategy, and explains their scores (SPEC 7, 21, 22.3 to 22.7)."""

from ...basics.light_dataclass import replace
from ..classic.keyword import Query, explain_entry, shortlist
from ..rank.recall import Recall
from ..requests.request import PartValues, Request, Scored
from ..retrieve.filters import ACTIVE_ONLY, Acceptance
from ..retrieve.lexical import lexical_parts, query_terms, search_lexical
from ..retrieve.nearest import search_vectors, vector_parts
from ..retrieve.tf_idf import POOL, cosines, fuse
from ..settings.reader import Settings
from ..settings.strategy import find_strategy, revision_of
from ..text.tokenize import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..retrieve.known_documents import KnownDocuments

# A score of `hybrid` is explained for a search of this number of documents.
EXPLAINED = 10


def search(snapshot: "KnownDocuments", request: Request, strategy: str) -> list[Scored]:
    """Position and score of the best documents that the request accepts, best first. Raises UsageError for an unknown
    strategy."""
    acceptance = Acceptance(request.filters or ACTIVE_ONLY)
    name, k = find_strategy(strategy), request.k
    if name == "hybrid":
        return Recall(snapshot, replace(request, settings=Settings())).search(k)
    if name == "bm25":
        terms = query_terms(snapshot, request.prompt, request.synonyms)
        return search_lexical(snapshot, terms, k, request.descriptions, acceptance)
    if name == "tfidf":
        return _search_tf_idf(snapshot, request, acceptance)
    if name == "vectors":
        return search_vectors(snapshot, request.prompt, k, acceptance)
    query = Query(request.prompt, revision_of(strategy), request.descriptions)
    return _search_keyword(snapshot, query, k, acceptance)


def explain(snapshot: "KnownDocuments", position: int, request: Request, strategy: str) -> list[PartValues]:
    """The parts of the score of the document at a position; they sum to the score. Raises IndexError if out of range.

    For `tfidf` the parts are the ranks among all active documents, without the filters of a search.
    """
    revision, name = revision_of(strategy), find_strategy(strategy)
    document = snapshot.stored(position)
    if document is None:
        raise IndexError("snapshot position out of range")
    category, title, _path, tags = document.parts()
    prompt, descriptions = request.prompt, request.descriptions
    if name == "hybrid":
        alone = Request(prompt, EXPLAINED, Settings(), descriptions, request.synonyms)
        return Recall(snapshot, alone).explain(position)
    if name == "tfidf":
        return _explain_ranks(snapshot, position, request)
    if name == "bm25":
        return lexical_parts(snapshot, position, query_terms(snapshot, prompt, request.synonyms), descriptions)
    if name == "vectors":
        return vector_parts(snapshot, position, prompt)
    query = Query(prompt, revision, descriptions)
    return explain_entry(query, category, frozenset(tokenize(title, "current")), frozenset(tags))


def _search_keyword(snapshot: "KnownDocuments", query: Query, k: int, acceptance: Acceptance) -> list[Scored]:
    """The shortlist of the keyword retriever (SPEC 7.4) over the accepted documents, at most `k`."""
    accepted = [(place, document) for place, document in enumerate(snapshot.documents) if acceptance.takes(document)]
    lines = [(place, *document.parts()) for place, document in accepted]
    entries = [(place, category, title, tags) for place, category, title, _path, tags in lines]
    return shortlist(query, entries)[: max(k, 0)]


def _search_tf_idf(snapshot: "KnownDocuments", request: Request, acceptance: Acceptance) -> list[Scored]:
    points = fuse(_rankings(snapshot, request, acceptance))
    return sorted(points.items(), key=lambda hit: (-hit[1], hit[0]))[: max(request.k, 0)]


def _rankings(snapshot: "KnownDocuments", request: Request, acceptance: Acceptance) -> list[list[int]]:
    """The positions that the keyword retriever and the tf-idf vectors find, each list with the best first."""
    found = cosines(snapshot, query_terms(snapshot, request.prompt, request.synonyms))
    accepted = [(-score, position) for position, score in found.items() if snapshot.accepts(position, acceptance)]
    query = Query(request.prompt, "current", request.descriptions)
    by_keyword = _search_keyword(snapshot, query, POOL, acceptance)
    return [
        [position for position, _score in by_keyword],
        [position for _score, position in sorted(accepted)[:POOL]],
    ]


def _explain_ranks(snapshot: "KnownDocuments", position: int, request: Request) -> list[PartValues]:
    rankings = _rankings(snapshot, request, Acceptance(ACTIVE_ONLY))
    parts = []
    for retriever, ranking in zip(("keyword", "tfidf"), rankings, strict=True):
        if position in ranking:
            points = fuse([ranking])[position]
            parts.append((retriever, "", f"rank {ranking.index(position) + 1}", points))
    return parts
