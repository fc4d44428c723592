"""The gate: how sure it is that a memory should be shown for a prompt (SPEC 28)."""

from ...settings.gate_model import UNIT, Judgment, logarithm
from ...text.cues import general_words
from ..retrieve import bm25
from .evidence import SMALL_STORE, Evidence, PromptInformation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..retrieve.hybrid import Candidate, Candidates, Query
    from ..retrieve.known_documents import KnownDocuments

# With so many before it a candidate is part of the background.
BACKGROUND = 9
# A question is compared with those of the best so many candidates.
COMPARED = 12
# The greatest impact of a term.
MAX_IMPACT = 255
CUES = ("asks_why", "asks_yes_no", "edit", "tool_prefix")
# What a memory gets that is one of a few at a path of the prompt (SPEC 34.4), in 1/1024: as much as the words of such
# a path take from it on the judged prompts. More lets the wrong ones through.
PATH_SHARE = 1536
# What the standing of a memory's model vector adds (SPEC 49.4), in 1/1024: at the background, and for each spread above
# it; no more than so many of those count. By `tools/gate/embedding.py`, on the judged prompts.
EMBEDDING_BIAS = -600
EMBEDDING_SLOPE = 709
MAX_EMBEDDING = 4096


class Gate:
    """The gate before a prompt's candidates."""

    def __init__(
        self, snapshot: "KnownDocuments", prompt: str, cues: list[str], query: "Query", candidates: "Candidates"
    ) -> None:
        self._snapshot = snapshot
        self._candidates = candidates
        self._prompt = PromptInformation(snapshot, query)
        self._evidence: dict[int, Evidence] = {}
        # The lexical score of a memory that is about nothing but every term.
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
        # Counted together: each count looks at every document.
        snapshot.frequencies({term for position in first for term in snapshot.documents[position].listed()})
        self._first = {position: self._find(position) for position in first}
        # Scores are made with the idf of the store as it is.
        is_small = len(snapshot) < SMALL_STORE
        points = [found.points for found in self._first.values()]
        self._tenth_points = _tenth(points if is_small else candidates.lexical_scores)
        self._tenth_question = _tenth([found.question[2] for found in self._first.values()])

    def judge(self, candidate: "Candidate", more: int = 0) -> Judgment:
        """How sure it is that a candidate should be shown; `more` is what is known beside the features."""
        return Judgment(self.features(candidate), more)

    def features(self, candidate: "Candidate") -> list[int]:
        """The values of `FEATURES`."""
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
    """What is taken for the background of some values: the tenth of them; 0 where there are fewer."""
    return sorted(values, reverse=True)[BACKGROUND] if len(values) > BACKGROUND else 0


def embedding_share(margin: int) -> int:
    """What a standing so far above the background adds to the logit, both in 1/1024."""
    return EMBEDDING_BIAS + (EMBEDDING_SLOPE * max(-MAX_EMBEDDING, min(margin, MAX_EMBEDDING)) >> 10)
