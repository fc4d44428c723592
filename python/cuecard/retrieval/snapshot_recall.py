"""Searches the snapshot of a project for the memories that answer a prompt."""

import time

from .._backend import ASKED, IGNORED, NAMED, Question, Request, budget_of, engine, name_memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Filters, JudgeRun, Packed, RecalledMemory, ScorePart, Situation, Snapshot, Traced, Verdict
    from ..files.root import Project
    from ..models.judging import Memo
    from ..models.vectors.prompt_vector import QuerySimilarities
    from .config import Config

# The gate's setting that lets every candidate through.
OFF = "off"


class PromptQuery:
    """A prompt with everything else that decides which memories are shown for it."""

    def __init__(self, prompt: str, config: "Config", review: str, filters: "Filters | None" = None) -> None:
        """Create a query for a prompt that is asked now, without history or situation, and with the gate off.

        `review` has the same meaning as in `Question`.
        """
        self.prompt = prompt
        self.config = config
        self.review = review
        self.filters = filters
        self.past = ASKED
        # Texts that count as older prompts, and what the session keeps of its own; the oldest first.
        self.history: list[str] = []
        self.earlier: list[str] = []
        # The texts of earlier prompts that models may read.
        self.texts: list[str] = []
        self.setting = OFF
        self.situation: Situation | None = None
        self.now = time.time_ns() // 1000
        # The embedder's answer; None if the settings name no embedder.
        self.similarities: QuerySimilarities | None = None

    @property
    def embedded(self) -> list[tuple[int, int]] | None:
        """Position and cosine of each document with a model vector; None if the built-in table is used."""
        return self.similarities.embedded if self.similarities else None

    @property
    def paths(self) -> list[str]:
        """The paths that the prompt names."""
        return self.situation[0] if self.situation else []

    def request(self, k: int) -> Request:
        """Return the request to the snapshot for the `k` best memories."""
        config = self.config
        of_project = (config.recall, config.descriptions, config.synonyms)
        situation = self.situation, self.embedded, self.earlier
        return Request(self.prompt, k, *of_project, self.history, self.now, self.filters, *situation)


class Chosen:
    """The memories that answer a prompt, best first, and the memories that were passed over, each with the reason.

    A reason is `NAMED`, "gate", "superseded", "withheld", "judge" or "verdict". `is_courtesy` says whether the prompt
    is only a courtesy such as "thanks". `least` is the lowest logit of a memory that the gate shows for this prompt;
    None without a gate, and for a courtesy. `judgment` is None if the judge was not asked.
    """

    def __init__(
        self,
        memories: "list[RecalledMemory]",
        passed_over: "list[tuple[RecalledMemory, str]]",
        *,
        is_courtesy: bool,
        least: int | None = None,
    ) -> None:
        self.memories = memories
        self.passed_over = passed_over
        self.is_courtesy = is_courtesy
        self.least = least
        self.judgment: JudgeRun | None = None

    @property
    def named(self) -> "list[RecalledMemory]":
        """The memories whose titles are named, because the prompt has no answer and they may concern it."""
        return [memory for memory, why in self.passed_over if why == NAMED]

    @property
    def judge_words(self) -> str:
        """What the judge did, as a phrase that follows "the judge", such as "keeps 2 of 8"; "" if it was not asked."""
        if self.judgment is None:
            return ""
        run = self.judgment
        return f"has failed: {run.failure}" if run.failure else f"keeps {run.kept or 'none'} of {run.asked}"


class ProjectSnapshot:
    """The snapshot of a project, and notes about problems with the files of its memories."""

    def __init__(self, snapshot: "Snapshot", project: "Project", notes: list[str]) -> None:
        """Problems with the files of memories are added to `notes`, one sentence each."""
        self.snapshot = snapshot
        self.project = project
        self.notes = notes

    def choose(self, query: PromptQuery, limit: int) -> Chosen:
        """Return at most `limit` memories for a prompt, each with the content that its own file has now."""
        question = Question(query.request(limit), query.config.strategy, query.setting, query.review, query.past)
        answer = engine.recall_memories(self.snapshot, self.project[0], question)
        self.notes += answer.notes
        return Chosen(answer.memories, answer.passed_over, is_courtesy=answer.is_courtesy, least=answer.least)

    def judge(self, chosen: Chosen, query: PromptQuery, limit: int, before: list[str], memo: "Memo") -> None:
        """Replace the memories in `chosen` with those that the judge of the settings keeps, if they name one.

        `before` are the texts of the session's earlier prompts. `memo` keeps the last answer of the judge.
        """
        settings = query.config.judge
        if settings is None:
            return
        from ..models.judging import ask_once

        def ask(candidates: "list[RecalledMemory]") -> "Verdict":
            return ask_once(settings, query.prompt, before, candidates, memo)

        ungated = Question(query.request(settings.pool), query.config.strategy, OFF, query.review, query.past)
        values = chosen.memories, chosen.passed_over, chosen.is_courtesy
        judged = engine.judge_memories(self.snapshot, self.project[0], ungated, values, limit, ask)
        chosen.memories, chosen.passed_over, chosen.judgment = judged.memories, judged.passed_over, judged.run
        self.notes += judged.notes

    def verify(self, position: int, review: str) -> "RecalledMemory | None":
        """Read the memory at a position from its own file, whatever its status; None if it must not be shown."""
        memory, notes = engine.verify_memory(self.snapshot, self.project[0], position, review)
        self.notes += notes
        return memory

    def pack(self, query: PromptQuery, chosen: Chosen, host: str) -> "Packed":
        """Return the block of the memories for a host: the chosen ones, or if there are none, a line of titles."""
        limits = query.config.recall.max_tokens, budget_of(host)
        if chosen.named:
            return name_memories(chosen.named, *limits)
        return engine.pack_memories(self.project[0], chosen.memories, *limits, query.prompt)

    def trace(self, position: int, query: PromptQuery, count: int) -> "Traced":
        """Return the trace of the document at a position in a hybrid search for `count` memories."""
        return self._part_with(position, query).trace(position, query.request(count))

    def explain(self, position: int, query: PromptQuery, count: int) -> "list[ScorePart]":
        """Return the parts of a memory's score in a search for `count` memories, by a strategy without a gate."""
        return self._part_with(position, query).explain(position, query.request(count), query.config.strategy)

    def least_for(self, memory: "RecalledMemory", chosen: Chosen, query: PromptQuery, limit: int) -> int | None:
        """Return the lowest logit with which the gate shows a memory for a prompt, beside the memories of its part."""
        if self.snapshot.vouched_part(self.project[0], query.review) is None or not memory.is_unreviewed:
            return chosen.least
        question = Question(query.request(limit), query.config.strategy, query.setting, IGNORED, query.past)
        return engine.recall_memories(self.snapshot, self.project[0], question).least

    def _part_with(self, position: int, query: PromptQuery) -> "Snapshot":
        """Return the part of the snapshot in which recall finds the document at a position (SPEC 45.10)."""
        part = self.snapshot.vouched_part(self.project[0], query.review)
        return part if part and part.document(position) else self.snapshot
