"""The hybrid strategy: what the lexical and the semantic retriever find for a prompt, fused (SPEC 27)."""

from ...text.letters import LETTER
from ...text.other_words import english_terms
from ...text.term_words import is_weak_word
from ...text.terms import kind_of, lower_ascii
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

# A fused score in full, by one retriever of weight 1.
ONE = 4096
FULL = 256
WEAK = 154
# The weight of a run of three syllables or ideographs and more, and of the pairs in it.
RUN = 96
# What a term of the previous prompt counts; one of the prompt before that half of it, and so on.
HISTORY = 77
HISTORY_MAX = 5
# With more words than this a prompt speaks for itself.
THIN = 3
# Only terms this near stand for one another, each for so much of its cosine.
RELATED_MAX = 5
RELATED_MIN = 141
RELATED = 128
# An English word for a word of another language counts for so much of how well it fits.
TRANSLATED = 128
# What a hop in the concept graph leaves of a weight, in 1/256, where the graph has the weight 1.
GRAPH_DECAY = 192
# The lexical retriever finds twice the pool of the semantic one.
LEXICAL_POOLS = 2


class PromptWord:
    """A piece of the prompt: how much it counts, whether it says little, and its terms with their weights."""

    def __init__(self, text: str, share: int) -> None:
        """`share` is 256 for a word of the prompt itself, less for one of those before it."""
        self.text = text
        self.is_letters = kind_of(text) == LETTER
        self.is_weak = is_weak_word(lower_ascii(text))
        self.share = share
        self.terms: list[tuple[str, int]] = []
        # The greatest weight that its terms can have, 1 to 256.
        self.weight = WEAK if self.is_weak else FULL
        # What a syllable pair in it weighs.
        self.run_weight = RUN if self.is_letters else RUN * self.weight >> 8

    @property
    def own_terms(self) -> list[tuple[str, int]]:
        """The terms that are cut out of a word of Hangul, Han or kana; all where it has none, or is of letters."""
        own = [] if self.is_letters else [term for term in self.terms if term[0] in self.text]
        return own or self.terms


class Query:
    """A prompt made ready for the retrievers of a snapshot."""

    def __init__(self, terms: list[QueryTerm], words: list[PromptWord], row: list[int], norm: int) -> None:
        """`row` and `norm` are the prompt's vector."""
        self.terms = terms
        self.words = words
        self.row = row
        self.norm = norm


class Candidate:
    """A document that a retriever has found; ranks count from 0."""

    def __init__(self, position: int, lexical: int, lexical_rank: int, cosines: "Cosines") -> None:
        """`lexical_rank` of one that the lexical retriever has not found is the number of those that it has."""
        # How far its model vector stands out, in 1/1024; None where it has none.
        self.standing: int | None = None
        self.embedding_rank = 0
        self.position = position
        self.lexical = lexical
        self.lexical_rank = lexical_rank
        # How near its content is, and its nearest question; the best of both.
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
    """What the retrievers have found, best first, and the lexical scores."""

    def __init__(self, ranked: list[Candidate], lexical_scores: list[int]) -> None:
        self.ranked = ranked
        self.lexical_scores = lexical_scores


def read_query(snapshot: "KnownDocuments", request: "Request") -> Query:
    """Terms, words and vector of a prompt.

    The prompts before it count only where the prompt itself has few words that say something.
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
    """The best of both retrievers and of the model vectors, fused; as many of each as are wanted, where there are so
    many. Behind them come those of `also` that the filters accept, found or not."""
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
    """What the lexical retriever, the semantic retriever and the model vectors give a candidate, in 1/4096.

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
    """Give candidates, in the order of their cosines, the standings of their model vectors, and ranks by them."""
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
    """Add a text's terms and words, whose weights are `share` of 256; the words of its vector with their weights."""
    found = query_terms(snapshot, text, request.synonyms)
    if request.settings.related_terms:
        found = _add_related(found)
    if request.settings.graph:
        found = _add_concepts(snapshot, found, request.settings)
    for term, weight, piece in found[: bm25.MAX_QUERY_TERMS - len(terms)]:
        if term not in terms:
            terms[term] = (max(1, weight * share >> 8), piece)
        # What the graph brings belongs to no word of the prompt.
        if piece and piece not in words:
            words[piece] = PromptWord(piece, share)
        if piece:
            words[piece].terms.append((term, weight))
    return [(word, weight * share >> 8) for word, weight in prompt_words(snapshot, text)]


def _add_related(terms: list[QueryTerm]) -> list[QueryTerm]:
    """The terms, and behind them those that mean nearly the same as one that counts in full or as a whole run."""
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
    """The terms, and behind them those that the project's memories have together with them, of no piece."""
    from .concept_graph import HOPS, expand, make_graph
    from .lexical import impacts

    edges = make_graph([impacts(snapshot, document) for document in snapshot.documents])
    query = [(term, weight) for term, weight, _word in terms]
    found = expand(edges, query, HOPS, GRAPH_DECAY * settings.graph_weight >> 10)
    return terms + [(term, min(FULL, max(1, weight)), "") for term, weight in found]
