"""The hybrid strategy: fuses the results of the lexical and the semantic retriever for a prompt (SPEC 27)."""

from ...text.letters import LETTER
from ...text.other_words import english_terms
from ...text.term_words import is_weak_word
from ...text.terms import kind_of, lower_ascii
from ..memory.stored_document import LEFT_OUT
from . import bm25
from .filters import ACTIVE_ONLY, Acceptance
from .lexical import QueryTerm, query_terms, search_lexical
from .nearest import best_cosine, cosines_at, near_by_signs, prompt_words
from .vectors import row_of_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...protocol.request import Request
    from ...settings.reader import Settings
    from .known_documents import KnownDocuments
    from .model_vectors import Standings
    from .nearest import Cosines

# The greatest points that a retriever of weight 1 gives.
ONE = 4096
FULL = 256
WEAK = 154
# The weight of a run of at least three syllables or ideographs, and of the pairs in it.
RUN = 96
# The weight of a term of the previous prompt; a term of the nth prompt before has 1/n of this weight.
HISTORY = 77
HISTORY_MAX = 5
# Earlier prompts count only for a prompt with at most this number of strong words.
THIN = 3
# At most RELATED_MAX related terms with a cosine of at least RELATED_MIN are added, with RELATED/256 of their cosine.
RELATED_MAX = 5
RELATED_MIN = 141
RELATED = 128
# The weight of a word's English translation is this share, in 1/256, of how well the translation fits.
TRANSLATED = 128
# The share of a weight that is left after a hop in the concept graph, in 1/256, if the graph has the weight 1.
GRAPH_DECAY = 192
# The lexical retriever finds this many times the candidates of the semantic retriever.
LEXICAL_POOLS = 2


class PromptWord:
    """A word of the prompt: its weight, whether it is a weak word, and its terms with their weights."""

    def __init__(self, text: str, share: int) -> None:
        """`share` is 256 for a word of the prompt itself, and less for a word of an earlier prompt."""
        self.text = text
        self.is_letters = kind_of(text) == LETTER
        self.is_weak = is_weak_word(lower_ascii(text))
        self.share = share
        self.terms: list[tuple[str, int]] = []
        # The greatest weight that a term of the word can have, 1 to 256.
        self.weight = WEAK if self.is_weak else FULL
        # The weight of a pair of syllables in the word.
        self.run_weight = RUN if self.is_letters else RUN * self.weight >> 8

    @property
    def own_terms(self) -> list[tuple[str, int]]:
        """The terms that are parts of a word of Hangul, Han or kana; all terms for other words or if none is a part."""
        own = [] if self.is_letters else [term for term in self.terms if term[0] in self.text]
        return own or self.terms


class Query:
    """A prompt, prepared for the retrievers of a snapshot."""

    def __init__(self, terms: list[QueryTerm], words: list[PromptWord], row: list[int], norm: int) -> None:
        """`row` and `norm` are the vector of the prompt."""
        self.terms = terms
        self.words = words
        self.row = row
        self.norm = norm


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


class Candidates:
    """The candidates that the retrievers have found, best first, and the lexical scores, best first."""

    def __init__(self, ranked: list[Candidate], lexical_scores: list[int]) -> None:
        self.ranked = ranked
        self.lexical_scores = lexical_scores


def read_query(snapshot: "KnownDocuments", request: "Request") -> Query:
    """Terms, words and vector of a prompt.

    The earlier prompts count only if the prompt itself has at most `THIN` strong words.
    """
    terms: dict[str, tuple[int, str]] = {}
    words: dict[str, PromptWord] = {}
    weighted_words = _add_prompt(snapshot, request, request.prompt, FULL, terms, words)
    if sum(not word.is_weak for word in words.values()) <= THIN:
        for age, earlier in enumerate(reversed(request.history[-HISTORY_MAX:]), 1):
            weighted_words += _add_prompt(snapshot, request, earlier, HISTORY // age, terms, words)
    row, norm = row_of_words(weighted_words)
    return Query([(term, weight, word) for term, (weight, word) in terms.items()], list(words.values()), row, norm)


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


def _add_prompt(
    snapshot: "KnownDocuments",
    request: "Request",
    text: str,
    share: int,
    terms: dict[str, tuple[int, str]],
    words: dict[str, PromptWord],
) -> list[tuple[str, int]]:
    """Add the terms and words of a text with `share`/256 of their weights. Returns the weighted words of the text."""
    found = query_terms(snapshot, text, request.synonyms)
    if request.settings.related_terms:
        found = _add_related(found)
    if request.settings.graph:
        found = _add_concepts(snapshot, found, request.settings)
    for term, weight, piece in found[: bm25.MAX_QUERY_TERMS - len(terms)]:
        if term not in terms:
            terms[term] = (max(1, weight * share >> 8), piece)
        # Terms from the graph belong to no word of the prompt.
        if piece and piece not in words:
            words[piece] = PromptWord(piece, share)
        if piece:
            words[piece].terms.append((term, weight))
    return [(word, weight * share >> 8) for word, weight in prompt_words(snapshot, text)]


def _add_related(terms: list[QueryTerm]) -> list[QueryTerm]:
    """The terms, followed by terms with nearly the same meaning as a term of full weight or as a whole run."""
    from .static_table import shipped

    known = {term for term, _weight, _word in terms}
    added: dict[str, tuple[int, str]] = {}
    for term, weight, word in terms:
        is_run = weight == RUN and len(term) > 2 and kind_of(term) != LETTER and word.startswith(term)
        if weight != FULL and not is_run:
            continue
        for other, cosine in shipped().related(term)[:RELATED_MAX]:
            found = cosine * RELATED >> 8
            if cosine >= RELATED_MIN and other not in known and found > added.get(other, (0, ""))[0]:
                added[other] = (found, word)
    for word, other, share in english_terms(dict.fromkeys([word for _term, _weight, word in terms])):
        found = share * TRANSLATED >> 8
        if other not in known and found > added.get(other, (0, ""))[0]:
            added[other] = (found, word)
    return terms + [(term, weight, word) for term, (weight, word) in added.items()]


def _add_concepts(snapshot: "KnownDocuments", terms: list[QueryTerm], settings: "Settings") -> list[QueryTerm]:
    """The terms, followed by terms that occur together with them in memories and come from no word of the prompt."""
    from .concept_graph import HOPS, expand, make_graph
    from .lexical import impacts

    documents = [document for document in snapshot.documents if document is not LEFT_OUT]
    edges = make_graph([impacts(snapshot, document) for document in documents])
    query = [(term, weight) for term, weight, _word in terms]
    found = expand(edges, query, HOPS, GRAPH_DECAY * settings.graph_weight >> 10)
    return terms + [(term, min(FULL, max(1, weight)), "") for term, weight in found]
