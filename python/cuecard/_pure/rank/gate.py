"""The gate: estimates the probability that a memory should be shown for a prompt (SPEC 28)."""

from ...basics.gate_table import CONSTANTS
from ..memory.stored_document import QUESTION
from ..retrieve import bm25
from ..settings.gate_model import UNIT, Judgment, logarithm
from ..text.cues import count_sentences, general_words
from .evidence import SMALL_STORE, Evidence, PromptInformation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..retrieve.hybrid import Candidate, Candidates, Query
    from ..retrieve.known_documents import KnownDocuments

# The background is the lexical score after this number of better scores.
BACKGROUND = CONSTANTS["background"]
# In a small store, the points of a candidate are compared with those of this number of best candidates.
COMPARED = CONSTANTS["compared"]
# The number of best candidates whose scores may be close to the best score.
CLOSE = CONSTANTS["close"]
# The lines of a log do not make a prompt talk, so more sentences than this do not count.
MOST_SENTENCES = 8
# The categories of memories that say what to do and what not to do.
RULES = ("CONSTRAINT", "PREFERENCE")
# The greatest impact of a term.
MAX_IMPACT = 255
# Added to the logit of a memory that is one of a few at a path of the prompt (SPEC 34.4).
PATH_SHARE = CONSTANTS["path_share"]
# Added to the logit for the standing of a memory's model vector (SPEC 42.4): a bias at the background and a slope per
# spread above it, up to a maximum.
EMBEDDING_BIAS = CONSTANTS["embedding_bias"]
EMBEDDING_SLOPE = CONSTANTS["embedding_slope"]
MAX_EMBEDDING = CONSTANTS["max_embedding"]


class Gate:
    """The gate for the candidates of one prompt."""

    def __init__(
        self, snapshot: "KnownDocuments", prompt: str, cues: list[str], query: "Query", candidates: "Candidates"
    ) -> None:
        self._snapshot = snapshot
        self._candidates = candidates
        self._prompt = PromptInformation(snapshot, query)
        self._evidence: dict[tuple[int, ...], Evidence] = {}
        # The highest possible lexical score: every term with the greatest impact.
        self._reachable = MAX_IMPACT * sum(self._prompt.known.values())
        words = query.words
        length, general, is_question = general_words(prompt)
        strong = self._prompt.strong
        self._of_prompt = {
            "close_scores": logarithm(_close_scores(candidates)),
            "unknown_words": logarithm(sum([not is_known for _word, _place, _information, is_known in strong])),
            "prompt_words": logarithm(length),
            "sentences": logarithm(min(count_sentences(prompt), MOST_SENTENCES)),
            "general_words": general,
            "history": UNIT * any(word.share < bm25.FULL for word in words),
            "question_mark": UNIT * is_question,
            "asks_why": UNIT * ("asks_why" in cues),
            "asks_yes_no": UNIT * ("asks_yes_no" in cues),
            "refers": UNIT * ("refers" in cues),
            "edit": UNIT * ("edit" in cues),
            "tool_prefix": UNIT * ("tool_prefix" in cues),
        }
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

    def judge_together(self, group: "Sequence[Candidate]") -> Judgment:
        """The gate's verdict on several candidates as if they were one memory of the first one's category."""
        return Judgment(self.features(*group))

    def features(self, candidate: "Candidate", *others: "Candidate") -> dict[str, int]:
        """The values of the features of a candidate together with others, by the names in the gate's table."""
        prompt, found = self._prompt, self._find(candidate.position, *[other.position for other in others])
        score = max([candidate.score, *[other.score for other in others]])
        first, most = self._candidates.ranked[0].score, MAX_IMPACT * prompt.most
        prompt_share_of_question, question = found.question
        category = self._snapshot.documents[candidate.position].category
        is_rule = category in RULES
        return {
            "lexical_margin": UNIT * (found.points - self._tenth_points) // most,
            "lexical_points": UNIT * found.points // most,
            "lexical_share": UNIT * found.points // self._reachable if self._reachable else 0,
            "score": score // 4,
            "score_share": UNIT * score // first if first > 0 else 0,
            "prompt_share": prompt.share(found.anywhere),
            "information": UNIT * found.anywhere // prompt.most,
            "window_lead": found.window - prompt.share(found.anywhere),
            "title_words": logarithm(found.head_words),
            "prompt_share_of_title": prompt.share(found.title),
            "title_information": UNIT * found.title // prompt.most,
            "prompt_share_of_question": prompt_share_of_question,
            "question": question,
            "has_questions": UNIT * found.has_questions,
            "tech_debt": UNIT * (category == "TECH_DEBT"),
            "rule": UNIT * is_rule,
            "edit_and_rule": self._of_prompt["edit"] * is_rule,
            **self._of_prompt,
        }

    def _find(self, *positions: int) -> Evidence:
        if positions not in self._evidence:
            self._evidence[positions] = Evidence(self._prompt, self._snapshot, positions)
        return self._evidence[positions]


def _close_scores(candidates: "Candidates") -> int:
    """The number of first candidates, the best one included, whose score is more than three quarters of the best."""
    scores = [candidate.score for candidate in candidates.ranked[:CLOSE]]
    return sum([4 * score > 3 * scores[0] > 0 for score in scores])


def embedding_share(margin: int) -> int:
    """The number to add to the logit for a standing that is `margin` above the background; all in 1/1024."""
    return EMBEDDING_BIAS + (EMBEDDING_SLOPE * max(-MAX_EMBEDDING, min(margin, MAX_EMBEDDING)) >> 10)
