"""The hybrid strategy: fuses the results of the lexical and the semantic retriever for a prompt (SPEC 27)."""

from ...basics.light_dataclass import dataclass, replace
from . import bm25
from .earlier_prompt import add_earlier, kept_terms
from .filters import ACTIVE_ONLY, Acceptance
from .lexical import QueryTerm, query_terms, search_lexical
from .nearest import best_cosine, cosines_at, near_by_signs, prompt_words
from .prompt_words import PromptReader, PromptWord, add_concepts, add_related
from .vectors import row_of_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..requests.request import Request
    from ..settings.reader import Settings
    from .known_documents import KnownDocuments
    from .model_vectors import Standings
    from .nearest import Cosines

# The greatest points that a retriever of weight 1 gives.
ONE = 4096
# The weight of a term of the previous prompt; a term of the nth prompt before has 1/n of this weight.
HISTORY = 77
HISTORY_MAX = 5
# Earlier prompts count only for a prompt with at most this number of strong words.
THIN = 3
# The lexical retriever finds this many times the candidates of the semantic retriever.
LEXICAL_POOLS = 2


@dataclass
class Query:
    """A prompt, prepared for the retrievers of a snapshot; `row` and `norm` are its vector."""

    terms: list[QueryTerm]
    words: list[PromptWord]
    row: list[int]
    norm: int


class Candidate:
    """A document that a retriever has found; ranks count from 0."""

    def __init__(self, position: int, lexical: int, lexical_rank: int, cosines: "Cosines") -> None:
        """`lexical_rank` is the number of all found documents if the lexical retriever has not found this document."""
        # The standing of the document's model vector, in 1/1024; None if it has no vector.
        self.standing: int | None = None
        self.embedding_rank = 0
        self.position = position
        self.lexical = lexical
        self.lexical_rank = lexical_rank
        # The cosines of the document's content and of its nearest question, and the greater of the two.
        self.cosines = cosines
        self.cosine = best_cosine(cosines)
        self.semantic_rank = 0
        self.fused = 0
        self.priors: list[tuple[str, int]] = []

    @property
    def score(self) -> int:
        """The fused score with the points of the priors, in 1/4096."""
        return self.fused + sum([points for _name, points in self.priors])


@dataclass
class Candidates:
    """The candidates that the retrievers have found, best first, and the lexical scores, best first."""

    ranked: list[Candidate]
    lexical_scores: list[int]


def read_query(snapshot: "KnownDocuments", request: "Request", own_words: str) -> Query:
    """Terms, words and vector of a request's prompt; `own_words` is the prompt, or "" if it has no words of its own.

    The earlier prompts count only if the prompt itself has at most `THIN` strong words.
    """
    reader = PromptReader()
    _add_prompt(snapshot, request, own_words, reader)
    if sum(not word.is_weak for word in reader.words) <= THIN:
        lines = [*request.earlier[-HISTORY_MAX:]]
        texts = request.history[-HISTORY_MAX:] if len(lines) < HISTORY_MAX else ()
        lines = [*[kept_terms(snapshot, replace(request, prompt=text)) for text in texts], *lines]
        for age, line in enumerate(reversed(lines[-HISTORY_MAX:]), 1):
            add_earlier(snapshot, line, HISTORY // age, request.settings, reader)
    row, norm = row_of_words(reader.weighted_words)
    terms = [(term, weight, word) for term, (weight, word) in reader.terms.items()]
    return Query(terms, reader.words, row, norm)


def find_candidates(
    snapshot: "KnownDocuments",
    query: Query,
    request: "Request",
    also: "Sequence[int]" = (),
    standings: "Standings | None" = None,
) -> Candidates:
    """The fused candidates: the best of both retrievers and of the model vectors, from each at most as many as the pool
    has, and the documents of `also` that the filters accept, even if no retriever finds them."""
    settings, acceptance = request.settings, Acceptance(request.filters or ACTIVE_ONLY)
    pool = max(settings.candidate_pool, request.k)
    found = search_lexical(snapshot, query.terms, pool * LEXICAL_POOLS, request.descriptions, acceptance)
    scores = [score for _position, score in found]
    known = {position for position, _score in found}
    near = near_by_signs(snapshot, query.row, pool, acceptance)
    accepted = [position for position in also if snapshot.accepts(position, acceptance)]
    embedded = standings.best(snapshot, pool, acceptance) if standings else []
    near = list(dict.fromkeys(near + embedded + accepted))
    retrievers = [(position, score, rank) for rank, (position, score) in enumerate(found)]
    retrievers += [(position, 0, len(found)) for position in near if position not in known]
    candidates = [
        Candidate(position, score, rank, cosines_at(snapshot, position, query.row, query.norm))
        for position, score, rank in retrievers
    ]
    candidates.sort(key=lambda candidate: (-candidate.cosine, candidate.position))
    if standings:
        _rank_standings(candidates, standings)
    best = scores[0] if scores else 0
    for rank, candidate in enumerate(candidates):
        candidate.semantic_rank = rank
        candidate.fused = sum(retriever_points(candidate, best, settings))
    candidates = [candidate for candidate in candidates if candidate.fused > 0 or candidate.position in accepted]
    candidates.sort(key=lambda candidate: (-candidate.fused, candidate.position))
    return Candidates(candidates, scores)


def retriever_points(candidate: Candidate, best: int, settings: "Settings") -> tuple[int, int, int]:
    """The points of the lexical retriever, the semantic retriever and the model vectors for a candidate, in 1/4096.

    `best` is the highest lexical score.
    """
    embedding = max(candidate.standing or 0, 0)
    if settings.fusion == "rrf":
        one = ONE * (settings.rrf_k + 1)
        lexical = one // (settings.rrf_k + 1 + candidate.lexical_rank) if candidate.lexical else 0
        semantic = one // (settings.rrf_k + 1 + candidate.semantic_rank) if candidate.cosine > 0 else 0
        embedding = one // (settings.rrf_k + 1 + candidate.embedding_rank) if embedding else 0
    else:
        lexical = ONE * candidate.lexical // best if candidate.lexical else 0
        semantic = max(candidate.cosine, 0)
    weighted = lexical * settings.lexical_weight >> 10, semantic * settings.semantic_weight >> 10
    return (*weighted, embedding * settings.embedding_weight >> 10)


def _rank_standings(candidates: list[Candidate], standings: "Standings") -> None:
    """Set the standings and ranks of the candidates' model vectors; equal standings keep the order of `candidates`."""
    for candidate in candidates:
        candidate.standing = standings.at(candidate.position)
    with_vector = [candidate for candidate in candidates if candidate.standing is not None]
    with_vector.sort(key=lambda candidate: -(candidate.standing or 0))
    for rank, candidate in enumerate(with_vector):
        candidate.embedding_rank = rank


def _add_prompt(snapshot: "KnownDocuments", request: "Request", text: str, reader: PromptReader) -> None:
    """Add the terms and words of a text, and its words for the vector, to `reader`."""
    found = query_terms(snapshot, text, request.synonyms)
    if request.settings.related_terms:
        found = add_related(found)
    if request.settings.graph:
        found = add_concepts(snapshot, found, request.settings)
    for term, weight, piece in found[: bm25.MAX_QUERY_TERMS]:
        reader.terms.setdefault(term, (max(1, weight), piece))
        # Terms from the graph belong to no word of the prompt.
        if piece:
            reader.add_to_word(piece, term, weight)
    reader.weighted_words += prompt_words(snapshot, text)
