"""The gate: estimates the probability that a memory should be shown for a prompt (SPEC 28)."""

from ...settings.gate_model import UNIT, Judgment, logarithm
from ...text.cues import general_words
from ..retrieve import bm25
from .evidence import SMALL_STORE, Evidence, PromptInformation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..retrieve.hybrid import Candidate, Candidates, Query
    from ..retrieve.known_documents import KnownDocuments

# A background is the value of the candidate after this number of better candidates.
BACKGROUND = 9
# The points and questions of a candidate are compared with the values of this number of best candidates.
COMPARED = 12
# The greatest impact of a term.
MAX_IMPACT = 255
CUES = ("asks_why", "asks_yes_no", "edit", "tool_prefix")
# Added to the logit of a memory that is one of a few at a path of the prompt (SPEC 34.4), in 1/1024. On the judged
# prompts, the words of such a path lower the logit by this much. A higher value lets wrong memories through.
PATH_SHARE = 1536
# Added to the logit for the standing of a memory's model vector (SPEC 49.4), in 1/1024: a bias at the background and a
# slope per spread above it, up to a maximum. Fitted by `tools/gate/embedding.py` on the judged prompts.
EMBEDDING_BIAS = -600
EMBEDDING_SLOPE = 260
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
            logarithm(sum([not is_known for _word, _place, _information, is_known in strong])),
            logarithm(length),
            UNIT * self._prompt.total // self._prompt.most,
            general,
            UNIT * any(word.share < bm25.FULL for word in words),
            UNIT * (not all(word.text.isascii() for word in words)),
            UNIT * is_question,
            *[UNIT * (cue in cues) for cue in CUES],
        ]
        first = [candidate.position for candidate in candidates.ranked[:COMPARED]]
        # Count all terms in one call, because each call scans all documents.
        snapshot.frequencies({term for position in first for term in snapshot.documents[position].listed()})
        self._first = {position: self._find(position) for position in first}
        # Lexical scores use the idf of the real store; for a small store the gate uses its own points instead.
        is_small = len(snapshot) < SMALL_STORE
        points = [found.points for found in self._first.values()]
        self._tenth_points = _tenth(points if is_small else candidates.lexical_scores)
        self._tenth_question = _tenth([found.question[2] for found in self._first.values()])

    def judge(self, candidate: "Candidate", more: int = 0) -> Judgment:
        """The gate's verdict on a candidate; `more` is added to the logit for evidence outside of the features."""
        return Judgment(self.features(candidate), more)

    def features(self, candidate: "Candidate") -> list[int]:
        """The values of `FEATURES` for a candidate, in their order."""
        prompt, found = self._prompt, self._find(candidate.position)
        first, most = self._candidates.ranked[0].score, MAX_IMPACT * prompt.most
        of_prompt, of_question, product = found.question
        others = [other.question[2] for position, other in self._first.items() if position != candidate.position]
        return [
            UNIT * (found.points - self._tenth_points) // most,
            UNIT * found.points // most,
            UNIT * found.points // self._reachable if self._reachable else 0,
            logarithm(candidate.semantic_rank),
            candidate.score // 4,
            UNIT * candidate.score // first if first > 0 else 0,
            prompt.share(found.anywhere),
            UNIT * found.anywhere // prompt.most,
            found.window,
            UNIT * found.missing // prompt.most,
            logarithm(found.head_words),
            prompt.share(found.title),
            UNIT * found.title // prompt.most,
            found.title_share,
            of_prompt,
            of_question,
            product,
            product - self._tenth_question,
            product - max(others, default=0),
            UNIT * (self._snapshot.documents[candidate.position].category == "TECH_DEBT"),
            *self._of_prompt,
        ]

    def _find(self, position: int) -> Evidence:
        if position not in self._evidence:
            self._evidence[position] = Evidence(self._prompt, self._snapshot, position)
        return self._evidence[position]


def _tenth(values: list[int]) -> int:
    """The tenth highest value, which is the background; 0 if there are fewer than ten values."""
    return sorted(values, reverse=True)[BACKGROUND] if len(values) > BACKGROUND else 0


def embedding_share(margin: int) -> int:
    """The number to add to the logit for a standing that is `margin` above the background; all in 1/1024."""
    return EMBEDDING_BIAS + (EMBEDDING_SLOPE * max(-MAX_EMBEDDING, min(margin, MAX_EMBEDDING)) >> 10)
