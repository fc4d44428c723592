"""The recall of one prompt: retrieval, fusion, priors and gate, and the trace of all stages (SPEC 27 to 29)."""

from ...basics.gate_table import CONSTANTS
from ...basics.light_dataclass import replace
from ..memory.validity import HOLDS, standing_at
from ..retrieve.filters import ACTIVE_ONLY, Acceptance
from ..retrieve.hybrid import Candidate, Candidates, Query, find_candidates, read_query, retriever_points
from ..retrieve.lexical import best_scores, lexical_parts
from ..settings.gate_model import BIAS, UNIT, Judgment, gate_threshold, lowest_shown, probability
from ..text.cues import find_cues
from ..text.prompt_terms import FULL
from .evidence import PromptInformation
from .gate import PATH_SHARE, Gate, embedding_share
from .priors import prior_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ..requests.request import PartValues, Request
    from ..retrieve.known_documents import KnownDocuments
    from ..retrieve.model_vectors import Standings
    from .situation import Situated

# At least this number of the best candidates is judged by the gate; more if more are wanted.
JUDGED = CONSTANTS["judged"]
# A prompt with one of these cues and few words may make sense only together with the prompts before it.
DEPENDENT = ("continues", "refers")

# A prompt with more strong words that memories have does not lean on the prompts before it: a memory must have one of
# these words too.
MOST_LEANING = 1

# The position of a document, its score in 1/4096, and the gate's logit and probability in 1/1024.
Recalled = tuple[int, int, int, int]
# Rank, score, score without priors; lexical score and rank (None: not found); cosine and rank. Ranks count from 0.
Ranks = tuple[int, int, int, int, int | None, int, int]
# Name of a feature, its value, and its share of the logit; both numbers in 1/1024.
Feature = tuple[str, int, int]


class Recall:
    """The recall of one prompt in one snapshot."""

    _gate: Gate | None = None
    # The recall without the earlier prompts, if these count; else None.
    _alone: "Recall | None" = None
    # None for most prompts and stores.
    _situated: "Situated | None" = None
    _standings: "Standings | None" = None
    _best: tuple[int, bool] | None = None

    def __init__(self, snapshot: "KnownDocuments", request: "Request") -> None:
        """Find and rank at least `request.k` candidates that the filters accept, or all if there are fewer."""
        self._snapshot = snapshot
        self._request = request
        self._settings = request.settings
        self._judged: dict[int, Judgment] = {}
        self.cues = find_cues(request.prompt)
        is_dependent = any(cue in self.cues for cue in DEPENDENT)
        alone = replace(request, history=[], earlier=[])
        asked = request if is_dependent else alone
        self.query: Query = read_query(snapshot, asked, "" if self._goes_on else request.prompt)
        # Earlier prompts may add memories to the memories that the prompt finds alone, but must not remove any.
        if any(word.share < FULL for word in self.query.words):
            self._alone = Recall(snapshot, alone)
        if request.situation is not None and any(request.situation):
            from .situation import Situated

            self._situated = Situated(snapshot, request.situation)
        also = self._situated.named if self._situated else []
        if request.embedded:
            from ..retrieve.model_vectors import Standings

            self._standings = Standings(snapshot, request.embedded)
        self.candidates: Candidates = find_candidates(snapshot, self.query, request, also, self._standings)
        if self._alone:
            self._leave_out_unrelated()
        if request.settings.priors:
            self._apply_priors()

    def _leave_out_unrelated(self) -> None:
        """Leave out the candidates that only the earlier prompts bring, if the prompt itself says what it is about."""
        information = PromptInformation(self._snapshot, self.query)
        own = information.own_places()
        if len(own) > MOST_LEANING:
            ranked = self.candidates.ranked
            self.candidates.ranked = [one for one in ranked if information.has_any(own, one.position)]

    def search(self, k: int) -> list[tuple[int, int]]:
        """Position and score of the best `k` candidates, best first, without the gate."""
        return [(candidate.position, candidate.score) for candidate in self.candidates.ranked[:k]]

    def choose(self, k: int, setting: str) -> list[Recalled]:
        """The memories to show, best first: without a gate the best `k`, else the memories that pass the gate among the
        best max(`k`, `JUDGED`), and none for a prompt that is only a courtesy."""
        least = self.least(setting)
        if least is None:
            return self.judge(k)[:k]
        judged = [] if self.is_courtesy else self.judge(max(k, JUDGED))
        return [recalled for recalled in judged if recalled[2] >= least]

    def least(self, setting: str) -> int | None:
        """The lowest logit, in 1/1024, of a memory that a setting shows for this prompt; None for "off".

        If earlier prompts count, it is the lower one of the values with them and without them.
        """
        least = gate_threshold(setting)
        if least is None:
            return None
        least += self._settings.gate_shift
        bests = [reading._best_judgment for reading in self._readings]
        return min([lowest_shown(least, best, has_questions=asked) for best, asked in bests])

    def judge(self, k: int) -> list[Recalled]:
        """The best `k` candidates with the gate's verdicts, best first, whether or not they pass.

        If earlier prompts count, the best `k` of the recall without them are judged too. A candidate of both recalls is
        taken from the recall that gives it the higher logit.
        """
        return self.judge_at({one.position for reading in self._readings for one in reading.candidates.ranked[:k]})

    def judge_at(self, wanted: "Container[int]") -> list[Recalled]:
        """The candidates at the wanted positions with the gate's verdicts, best first, as `judge` gives them."""
        judged: dict[int, Recalled] = {}
        for reading in self._readings:
            for recalled in reading._judge_some(wanted):
                known = judged.get(recalled[0])
                if known is None or recalled[2] >= known[2]:
                    judged[recalled[0]] = recalled
        return [*judged.values()] if self._alone is None else sorted(judged.values(), key=lambda one: -one[1])

    def judge_together(self, positions: "Sequence[int]") -> int | None:
        """The logit, in 1/1024, of several candidates as if they were one memory of the first one's category; None if
        one of them is no candidate."""
        found = []
        for reading in self._readings:
            group = [candidate for position in positions if (candidate := reading.find(position))]
            if len(group) == len(positions):
                found.append(reading.gate.judge_together(group).logit)
        return max(found, default=None)

    def first(self, count: int) -> set[int]:
        """The positions of the best `count` candidates, with and without the earlier prompts."""
        return {one.position for reading in self._readings for one in reading.candidates.ranked[:count]}

    def best_rank(self, position: int) -> int:
        """The best rank of a document with and without the earlier prompts, counted from 0. It is a candidate."""
        ranked = [[one.position for one in reading.candidates.ranked] for reading in self._readings]
        return min([positions.index(position) for positions in ranked if position in positions])

    def _judge_some(self, wanted: "Container[int]") -> list[Recalled]:
        """The candidates at the wanted positions with the gate's verdicts in this recall, best first."""
        some = [(one, self._judge(one).logit) for one in self.candidates.ranked if one.position in wanted]
        return [(one.position, one.score, logit, probability(logit)) for one, logit in some]

    def ranks(self, position: int) -> "Ranks | None":
        """The ranks and scores of the document at a position; None if no retriever has found it."""
        candidate = self.find(position)
        if candidate is None:
            return None
        lexical_rank = candidate.lexical_rank if candidate.lexical else None
        retrievers = candidate.lexical, lexical_rank, candidate.cosine, candidate.semantic_rank
        return self.candidates.ranked.index(candidate), candidate.score, candidate.fused, *retrievers

    def has_rival(self, whole: "KnownDocuments", eighths: int) -> bool:
        """Whether a document of `whole` that is not in this recall's snapshot, a part of it, has at least `eighths` of
        the best lexical score of `whole` (SPEC 45.10)."""
        acceptance = Acceptance(self._request.filters or ACTIVE_ONLY)
        for reading in self._readings:
            best, other = best_scores(whole, reading.query.terms, acceptance, self._snapshot)
            if other and 8 * other >= eighths * best:
                return True
        return False

    @property
    def _readings(self) -> "list[Recall]":
        """This recall, and the recall without the earlier prompts if they count."""
        return [self, self._alone] if self._alone else [self]

    @property
    def is_courtesy(self) -> bool:
        """Whether the prompt is only a courtesy that does not continue an earlier prompt."""
        return "chat" in self.cues and not self._goes_on

    @property
    def _goes_on(self) -> bool:
        """Whether the prompt says nothing but that the work before it goes on, such as "continue"."""
        has_history = bool(self._request.history or self._request.earlier)
        return "chat" in self.cues and "continues" in self.cues and has_history

    @property
    def gate(self) -> Gate:
        """The gate for the candidates, made at the first use."""
        if self._gate is None:
            self._gate = Gate(self._snapshot, self._request.prompt, self.cues, self.query, self.candidates)
        return self._gate

    def find(self, position: int) -> Candidate | None:
        """The candidate at a position; None if no retriever has found it."""
        for candidate in self.candidates.ranked:
            if candidate.position == position:
                return candidate
        return None

    def explain(self, position: int) -> "list[PartValues]":
        """The parts of a document's score, which sum to the score; empty if no retriever has found the document."""
        candidate = self.find(position)
        if candidate is None:
            return []
        scores = self.candidates.lexical_scores
        lexical, semantic, embedding = retriever_points(candidate, scores[0] if scores else 0, self._settings)
        parts: list[PartValues] = []
        if lexical:
            found = lexical_parts(self._snapshot, position, self.query.terms, self._request.descriptions)
            # The parts are scaled to the retriever's points, and rounded so that their sum is exactly these points.
            reached = before = 0
            for kind, token, matched, points in found:
                reached += points
                now = lexical * reached // candidate.lexical
                parts.append((kind, token, matched, now - before))
                before = now
        if semantic:
            by = " by a question" if candidate.cosine > candidate.cosines[0] else ""
            parts.append(("semantic", "", f"rank {candidate.semantic_rank + 1}{by}", semantic))
        if embedding:
            parts.append(("embedding", "", f"rank {candidate.embedding_rank + 1}", embedding))
        parts += [(name, "", "", points) for name, points in candidate.priors]
        return parts

    def features(self, position: int) -> list[Feature]:
        """Name, value and share of each feature of the gate's logit, the bias first; empty if no retriever found it."""
        candidate = self.find(position)
        if candidate is None:
            return []
        judgment = self._judge(candidate)
        margin = self._embedding_margin(candidate)
        embedding = [] if margin is None else [("embedding", margin, embedding_share(margin))]
        path = [("path", UNIT, PATH_SHARE)] if self._is_singled_out(position) else []
        of_model = [(name, judgment.features[name], share) for name, share in judgment.shares.items()]
        return [("bias", UNIT, BIAS), *of_model, *embedding, *path]

    def reading_of(self, position: int) -> "Recall":
        """This recall or the recall without earlier prompts, whichever has the higher logit for the document."""
        alone, candidate = self._alone, self.find(position)
        other = alone.find(position) if alone else None
        if alone is None or other is None:
            return self
        return self if candidate and self._judge(candidate).logit > alone._judge(other).logit else alone

    @property
    def _best_judgment(self) -> tuple[int, bool]:
        """The highest logit of the first candidates for which `asks_for` is true, and whether the first candidate with
        this logit has questions."""
        if self._best is None:
            first = [candidate for candidate in self.candidates.ranked[:JUDGED] if self.asks_for(candidate)]
            judged = [self._judge(candidate) for candidate in first]
            best = max(judged, key=lambda one: one.logit, default=None)
            self._best = (best.logit, best.features["has_questions"] > 0) if best else (-(1 << 30), False)
        return self._best

    def asks_for(self, candidate: Candidate) -> bool:
        """Whether a memory is valid now, or the prompt asks for the past."""
        validity = self._snapshot.documents[candidate.position].validity
        return "asks_past" in self.cues or standing_at(validity, self._request.now) == HOLDS

    def _judge(self, candidate: Candidate) -> Judgment:
        """The gate's verdict on a candidate."""
        known = self._judged.get(candidate.position)
        if known is None:
            margin = self._embedding_margin(candidate)
            more = 0 if margin is None else embedding_share(margin)
            if self._is_singled_out(candidate.position):
                more += PATH_SHARE
            known = self._judged[candidate.position] = self.gate.judge(candidate, more)
        return known

    def _embedding_margin(self, candidate: Candidate) -> int | None:
        """The standing of the candidate's model vector minus the background (SPEC 42.4), in 1/1024.

        None if the standing or the background is unknown.
        """
        background = self._standings.background if self._standings else None
        return None if background is None or candidate.standing is None else candidate.standing - background

    def _is_singled_out(self, position: int) -> bool:
        return self._situated is not None and self._situated.is_singled_out(position)

    def _apply_priors(self) -> None:
        """Give each candidate the points of its priors, and sort the candidates again."""
        for candidate in self.candidates.ranked:
            document = self._snapshot.documents[candidate.position]
            category = document.category
            situational = self._situated.points(candidate.position, category) if self._situated else []
            candidate.priors = prior_points(
                self.cues, category, document.updated_at, self._request.now, self._settings, situational
            )
        self.candidates.ranked.sort(key=lambda candidate: (-candidate.score, candidate.position))
