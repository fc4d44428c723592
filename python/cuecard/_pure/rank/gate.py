"""The gate: estimates the probability that a memory should be shown for a prompt (SPEC 28)."""

from ..memory.stored_document import QUESTION
from ..retrieve import bm25
from ..settings.gate_model import UNIT, Judgment, logarithm
from ..text.cues import general_words
from .evidence import SMALL_STORE, Evidence, PromptInformation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..retrieve.hybrid import Candidate, Candidates, Query
    from ..retrieve.known_documents import KnownDocuments

# The background is the lexical score after this number of better scores.
BACKGROUND = 9
# In a small store, the points of a candidate are compared with those of this number of best candidates.
COMPARED = 12
# The candidates whose scores may be close to the best score.
FIRST = 10
# The greatest impact of a term.
MAX_IMPACT = 255
CUES = ("asks_why", "asks_yes_no", "edit", "tool_prefix")
# Added to the logit of a memory that is one of a few at a path of the prompt (SPEC 34.4), in 1/1024. On the judged
# prompts, the words of such a path lower the logit by this much. A higher value lets wrong memories through.
PATH_SHARE = 1536
# Added to the logit for the standing of a memory's model vector (SPEC 49.4), in 1/1024: a bias at the background and a
# slope per spread above it, up to a maximum. `tools/gate/embedding.py` fitted the slope; the bias is as low as the
# limits of the settings for false injections need.
EMBEDDING_BIAS = -1000
EMBEDDING_SLOPE = 88
MAX_EMBEDDING = 4096


class Gate:
    """The gate for the candidates of one prompt."""

    def __init__(
        self, snapshot: "KnownDocuments", prompt: str, cues: list[str], query: "Query", candidates: "Candidates"
    ) -> None:
        self._snapshot = snapshot
        self._candidates = candidates
        self._prompt = PromptInformation(snapshot, query)
        self._evidence: dict[int, Evidence] = {}
        # The highest possible lexical score: every term with the greatest impact.
        self._reachable = MAX_IMPACT * sum(self._prompt.known.values())
        words = query.words
        length, general, is_question = general_words(prompt)
        strong = self._prompt.strong
        self._of_prompt = [
            logarithm(_close_scores(candidates)),
            logarithm(sum([not is_known for _word, _place, _information, is_known in strong])),
            logarithm(length),
            general,
            UNIT * any(word.share < bm25.FULL for word in words),
            UNIT * is_question,
            *[UNIT * (cue in cues) for cue in CUES],
        ]
        first = [candidate.position for candidate in candidates.ranked[:COMPARED]]
        # Count the terms of all questions in one call, because each call scans all documents.
        listed = [snapshot.documents[position].listed() for position in first]
        snapshot.frequencies({term for terms in listed for term, bits in terms.items() if bits >= QUESTION})
        # Lexical scores use the idf of the real store; for a small store the gate uses its own points instead.
        is_small = len(snapshot) < SMALL_STORE
        points = [self._find(position).points for position in first] if is_small else candidates.lexical_scores
        self._tenth_points = sorted(points, reverse=True)[BACKGROUND] if len(points) > BACKGROUND else 0

    def judge(self, candidate: "Candidate", more: int = 0) -> Judgment:
        """The gate's verdict on a candidate; `more` is added to the logit for evidence outside of the features."""
        return Judgment(self.features(candidate), more)

    def features(self, candidate: "Candidate") -> list[int]:
        """The values of `FEATURES` for a candidate, in their order."""
        prompt, found = self._prompt, self._find(candidate.position)
        first, most = self._candidates.ranked[0].score, MAX_IMPACT * prompt.most
        return [
            UNIT * (found.points - self._tenth_points) // most,
            UNIT * found.points // most,
            UNIT * found.points // self._reachable if self._reachable else 0,
            candidate.score // 4,
            UNIT * candidate.score // first if first > 0 else 0,
            prompt.share(found.anywhere),
            UNIT * found.anywhere // prompt.most,
            found.window - prompt.share(found.anywhere),
            logarithm(found.head_words),
            prompt.share(found.title),
            UNIT * found.title // prompt.most,
            *found.question,
            UNIT * found.has_questions,
            UNIT * (self._snapshot.documents[candidate.position].category == "TECH_DEBT"),
            *self._of_prompt,
        ]

    def _find(self, position: int) -> Evidence:
        if position not in self._evidence:
            self._evidence[position] = Evidence(self._prompt, self._snapshot, position)
        return self._evidence[position]


def _close_scores(candidates: "Candidates") -> int:
    """The number of first candidates, the best one included, whose score is more than three quarters of the best."""
    scores = [candidate.score for candidate in candidates.ranked[:FIRST]]
    return sum([4 * score > 3 * scores[0] > 0 for score in scores])


def embedding_share(margin: int) -> int:
    """The number to add to the logit for a standing that is `margin` above the background; all in 1/1024."""
    return EMBEDDING_BIAS + (EMBEDDING_SLOPE * max(-MAX_EMBEDDING, min(margin, MAX_EMBEDDING)) >> 10)
