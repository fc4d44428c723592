"""A project's snapshot, asked for the memories that are shown."""

import time

from .._backend import engine
from ..protocol.host import budget_of
from ..protocol.request import Question, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Packed, RecalledMemory, Snapshot, Traced
    from ..files.root import Project
    from ..models.vectors.prompt_vector import QuerySimilarities
    from ..protocol.request import Filters, Situation
    from ..situation.session_file import SessionFile
    from .config import Config

# The outcomes of memories that are shown.
SHOWN = ("full", "gist", "title", "line")
# The gate's setting that lets everything through.
OFF = "off"


def note_shown(session: "SessionFile", memories: "list[RecalledMemory]", outcomes: list[str]) -> None:
    """Note in a session what of some memories is shown."""
    for memory, outcome in zip(memories, outcomes, strict=True):
        if outcome in SHOWN:
            session.note(memory.seen, is_title=outcome == "title")


class PromptQuery:
    """A prompt, and all that counts for what it is answered with."""

    __slots__ = ("config", "filters", "history", "now", "prompt", "review", "setting", "similarities", "situation")

    def __init__(self, prompt: str, config: "Config", review: str, filters: "Filters | None" = None) -> None:
        """A prompt that is asked now, alone, of a project with these settings, without a gate; `review` as in a
        `Question`."""
        self.prompt = prompt
        self.config = config
        self.review = review
        self.filters = filters
        # The session's prompts before it, the oldest first.
        self.history: list[str] = []
        self.setting = OFF
        self.situation: Situation | None = None
        self.now = time.time_ns() // 1000
        # What an embedder says of it; None where the settings name none.
        self.similarities: QuerySimilarities | None = None

    @property
    def embedded(self) -> list[tuple[int, int]] | None:
        """Position and cosine of the documents with a model vector; None where the built-in table serves."""
        return self.similarities.embedded if self.similarities else None

    @property
    def paths(self) -> list[str]:
        """The paths that it names."""
        return self.situation[0] if self.situation else []

    def request(self, k: int) -> Request:
        """What the snapshot is asked for the best `k`."""
        config = self.config
        of_project = (config.recall, config.descriptions, config.synonyms)
        return Request(self.prompt, k, *of_project, self.history, self.now, self.filters, self.situation, self.embedded)


class JudgeRun:
    """What the judge did: how many it kept of how many, or why it failed, and how long it took in microseconds."""

    __slots__ = ("asked", "failure", "kept", "micros")

    def __init__(self, asked: int, kept: int, micros: int, failure: str = "") -> None:
        """Record how many candidates were asked about and kept; a failure has kept none."""
        self.asked = asked
        self.kept = kept
        self.micros = micros
        self.failure = failure

    @property
    def words(self) -> str:
        """What it did, as the words that follow "the judge"."""
        if self.failure:
            return f"has failed: {self.failure}"
        return f"keeps {self.kept or 'none'} of {self.asked}"


class Chosen:
    """What a prompt is answered with, best first; what was passed over and why ("gate", "superseded", "withheld" or, by
    the judge, "judge"); whether the prompt is nothing but a courtesy; and what the judge did, None where it was not
    asked."""

    __slots__ = ("is_courtesy", "judgment", "memories", "passed_over")

    def __init__(
        self,
        memories: "list[RecalledMemory]",
        passed_over: "list[tuple[RecalledMemory, str]]",
        *,
        is_courtesy: bool,
    ) -> None:
        self.memories = memories
        self.passed_over = passed_over
        self.is_courtesy = is_courtesy
        self.judgment: JudgeRun | None = None


class ProjectSnapshot:
    """The snapshot of a project, and what is found to be wrong with the files of its memories."""

    __slots__ = ("notes", "project", "snapshot")

    def __init__(self, snapshot: "Snapshot", project: "Project", notes: list[str]) -> None:
        """What is wrong is added to `notes`: a sentence each."""
        self.snapshot = snapshot
        self.project = project
        self.notes = notes

    def choose(self, query: PromptQuery, limit: int) -> Chosen:
        """At most `limit` memories for a prompt, each as its own file has it."""
        return self._choose(query, limit, query.setting, self.notes)

    def choose_ungated(self, query: PromptQuery, limit: int) -> Chosen:
        """The same with a gate that lets everything through; what is wrong with files is not noted once more."""
        return self._choose(query, limit, OFF, [])

    def verify(self, position: int, review: str) -> "RecalledMemory | None":
        """The memory at a position as its own file has it, whatever its status; None where it must not be shown."""
        memory, notes = engine.verify_memory(self.snapshot, self.project[0], position, review)
        self.notes += notes
        return memory

    def pack(self, query: PromptQuery, memories: "list[RecalledMemory]", host: str) -> "Packed":
        """The block of some memories for a host, what becomes of each, and the estimated tokens."""
        limits = query.config.recall.max_tokens, budget_of(host)
        return engine.pack_memories(self.project[0], query.prompt, memories, *limits)

    def trace(self, position: int, query: PromptQuery, count: int) -> "Traced":
        """What hybrid recall makes of the document at a position, where `count` were asked for."""
        return self.snapshot.trace(position, query.request(count))

    def _choose(self, query: PromptQuery, limit: int, setting: str, notes: list[str]) -> Chosen:
        question = Question(query.request(limit), query.config.strategy, setting, query.review)
        memories, passed_over, is_courtesy, more = engine.recall_memories(self.snapshot, self.project[0], question)
        notes += more
        return Chosen(memories, passed_over, is_courtesy=is_courtesy)
