"""The gate: how sure it is that a memory should be shown for a prompt (SPEC 28).

A logistic model over whole numbers, each with a meaning of its own; what one adds bends at two knots. The numbers are
in the file of `gate_model`, which `tools/gate/train.py` writes. `recall` compares the logit with the threshold of the
setting.
"""

from ...settings import gate_model
from ...settings.gate_model import UNIT, probability
from ...text.terms import document_terms
from ..retrieve import bm25
from ..retrieve.hybrid import Candidate, Candidates, PromptWord, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..retrieve.known_documents import KnownDocuments

FEATURES = (
    "lexical_margin",
    "semantic_margin",
    "semantic_rank",
    "title_words",
    "title_share",
    "missing_known",
    "missing_unknown",
    "prompt_words",
    "asks_how",
    "asks_yes_no",
    "edit",
    "tool_prefix",
)
CUES = FEATURES[8:]
# With so many before it a candidate is part of the background.
BACKGROUND = 9
# A small store, or fewer candidates, is judged before the background that others have: the median over the judged
# prompts.
TYPICAL_COSINE = 1123
# In a smaller store a word says as much as in one of this size.
SMALL_STORE = 100
# What a memory gets that is one of a few at a path of the prompt (SPEC 34.4), in 1/1024: as much as the words of such
# a path take from it on the judged prompts. More lets the wrong ones through.
PATH_SHARE = 1536
# What the standing of a memory's model vector adds (SPEC 49.4), in 1/1024: at the background, and for each spread above
# it; no more than so many of those count. By `tools/gate/embedding.py`, on the judged prompts.
EMBEDDING_BIAS = -600
EMBEDDING_SLOPE = 709
MAX_EMBEDDING = 4096
# A memory that has so much of a word, in 1/256, has the word.
HALF = 102


class Judgment:
    """What the gate says of a candidate: the features, what each adds to the logit, both in 1/1024, and the sum."""

    def __init__(self, features: list[int], more: int = 0) -> None:
        """`more` is what is beside the features: the shares of a model vector and of a path of the prompt."""
        self.features = features
        self.shares = [
            (slope * value + from_first * max(0, value - first) + from_second * max(0, value - second)) // UNIT
            for value, (first, second), (slope, from_first, from_second) in zip(
                features, gate_model.KNOTS, gate_model.SLOPES, strict=True
            )
        ]
        self.logit = gate_model.BIAS + sum(self.shares) + more

    @property
    def probability(self) -> int:
        """That the memory should be shown, in 1/1024."""
        return probability(self.logit)


class Gate:
    """The gate before a prompt's candidates."""

    def __init__(self, snapshot: "KnownDocuments", cues: list[str], query: Query, candidates: Candidates) -> None:
        self._snapshot = snapshot
        self._candidates = candidates
        self._words = query.words
        self._documents = max(len(snapshot), SMALL_STORE)
        # The information of a word that no document has.
        self._most = bm25.idf(self._documents, 0)
        self._cues = cues
        self._weights = {term: q for term, q, _word in query.terms}
        known = [term for term in list(self._weights)[: bm25.MAX_QUERY_TERMS] if snapshot.frequency(term)]
        self._frequencies = {term: snapshot.frequency(term) for term in known}
        self._informations = [self._information(word) for word in query.words]
        self._background = self._find_background()

    def judge(self, candidate: Candidate, more: int = 0) -> Judgment:
        """How sure it is that a candidate should be shown; `more` is what is known beside the features."""
        return Judgment(self.features(candidate), more)

    def features(self, candidate: Candidate) -> list[int]:
        """The values of `FEATURES`."""
        document = self._snapshot.documents[candidate.position]
        _category, of_line, _path, tags = document.parts()
        title = document_terms(of_line)
        in_head = frozenset(title).union(document_terms("\n".join(tags)))
        present = document.having(self._frequencies.keys())
        in_title = missing_known = missing_unknown = 0
        for word, (information, is_known) in zip(self._words, self._informations, strict=True):
            in_title += _matched(word, in_head) >= HALF
            if not word.is_weak:
                missing = information * (256 - _matched(word, present)) >> 8
                if is_known:
                    missing_known = max(missing_known, missing)
                else:
                    missing_unknown = max(missing_unknown, missing)
        values = [
            self._lexical_margin(candidate),
            (candidate.cosine - self._background) // 4,
            logarithm(candidate.semantic_rank),
            logarithm(in_title),
            self._title_share(title),
            UNIT * missing_known // self._most,
            UNIT * missing_unknown // self._most,
            logarithm(sum([not word.is_weak for word in self._words])),
        ]
        return values + [UNIT if cue in self._cues else 0 for cue in CUES]

    def _information(self, word: PromptWord) -> tuple[int, bool]:
        """How much a word says, by the idf of its own term of the greatest weight, and whether any document has it."""
        frequencies = self._frequencies
        best, _weight = max(word.own_terms, key=lambda term: (term[1], term[0] in frequencies))
        is_known = any(term in frequencies for term, _weight in word.terms)
        information = bm25.idf(self._documents, frequencies.get(best, 0))
        return (information * word.weight >> 8) * word.share >> 8, is_known

    def _find_background(self) -> int:
        """The cosine of what has nothing to do with the prompt."""
        cosines = sorted([candidate.cosine for candidate in self._candidates.ranked], reverse=True)
        if len(cosines) <= BACKGROUND:
            return TYPICAL_COSINE
        background = cosines[BACKGROUND]
        return max(background, TYPICAL_COSINE) if len(self._snapshot) < SMALL_STORE else background

    def _lexical_margin(self, candidate: Candidate) -> int:
        """How far the lexical score is above the background, in words that no document has."""
        scores = self._candidates.lexical_scores
        margin = candidate.lexical - (scores[BACKGROUND] if len(scores) > BACKGROUND else 0)
        # Scores are made with the idf of the store as it is.
        return margin * UNIT // (255 * bm25.idf(len(self._snapshot), 0))

    def _title_share(self, title: list[str]) -> int:
        """How much of what a title says the prompt names."""
        total = named = 0
        frequencies = self._snapshot.frequencies(title)
        for term in dict.fromkeys(title):
            information = bm25.idf(self._documents, frequencies[term])
            total += information
            named += information * self._weights.get(term, 0) >> 8
        return UNIT * named // total if total else 0


def embedding_share(margin: int) -> int:
    """What a standing so far above the background adds to the logit, both in 1/1024."""
    return EMBEDDING_BIAS + (EMBEDDING_SLOPE * max(-MAX_EMBEDDING, min(margin, MAX_EMBEDDING)) >> 10)


def logarithm(count: int) -> int:
    """ln(1 + count) in 1/1024, of at most 50."""
    return gate_model.LOGARITHMS[min(count, len(gate_model.LOGARITHMS) - 1)]


def _matched(word: PromptWord, present: "set[str] | frozenset[str]") -> int:
    """How much of a word a memory has, in 1/256 of it: syllable pairs add up, of other terms the best one counts."""
    runs = best = 0
    for term, weight in word.terms:
        if term in present:
            if weight == word.run_weight:
                runs += weight
            best = max(best, weight)
    return min(256, (max(runs, best) << 8) // word.weight)
