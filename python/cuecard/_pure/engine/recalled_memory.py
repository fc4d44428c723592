"""A memory that was found, with the content of its file, and the answer to a prompt (SPEC 23.3, 33.3, 45)."""

from ..memory.index_line import parse_index_line
from ..memory.validity import HOLDS
from ..requests.results import FileStamp, IndexLine
from ..settings.gate_model import PRECISE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ..requests.request import Request
    from ..requests.results import Beside, StoredMemory
    from .snapshot import Snapshot, StoreSource
    from .trust_check import Standing

    class Files(Protocol):
        """The files of a snapshot's memories: a `SnapshotRecall`, which itself needs the modules that take one."""

        snapshot: Snapshot

        def verify(self, position: int, ranking: "Ranking") -> "RecalledMemory | None":
            """The memory at a position; None if it must not be shown."""

        def successor(self, position: int) -> int:
            """The position of the memory that supersedes the one at `position`."""

        def is_of_another_part(self, position: int) -> bool:
            """Whether a recall of another part looks at the document at a position."""

        def heed_anchors(self, memory: "RecalledMemory", request: Request) -> None:
            """Remove from an unreviewed memory the gate's points for anchors that do not name a single file."""


class Ranking:
    """The rank values of a memory: its scores and the gate's verdict."""

    def __init__(self, found_as: int, score: int = 0) -> None:
        """`found_as` is the position of the memory that the search found, which this memory may have superseded."""
        self.found_as = found_as
        # The score, including the points for recency.
        self.score = score
        # The points that the keyword retriever gives for recency.
        self.recency = 0
        # The gate's logit, in 1/1024; None for strategies without a gate.
        self.logit: int | None = None
        self.probability: int | None = None
        # The number of memories that the hybrid search was asked for.
        self.count = 0


class RecalledMemory(Ranking):
    """A memory that was found, with its rank values."""

    def __init__(self, position: int, document: "StoredMemory", ranking: Ranking, data: bytes | None = None) -> None:
        """`document` describes the memory's file, and `data` are the file's bytes. For a memory that is not shown,
        `document` comes from the snapshot and `data` is None."""
        super().__init__(ranking.found_as, ranking.score)
        self.recency, self.count = ranking.recency, ranking.count
        self.logit, self.probability = ranking.logit, ranking.probability
        self.position = position
        # Category, title, path and tags; every stored index line can be parsed.
        self.parts = parse_index_line(document.line) or IndexLine("", "", "", [])
        self.status = document.status
        # In microseconds since 1970; a memory without a time counts as the oldest.
        self.updated_at = -(2**63) if document.updated_at is None else document.updated_at
        self.stamp = document.size, document.modified
        self.data = data
        # The surer memory of the same subject beside which this one is shown (SPEC 28.4); None if there is none.
        self.beside: Beside | None = None
        # Whether the memory is valid at the time of the prompt, and the texts about memories that contradict it.
        self.holds = HOLDS
        self.contradictions: list[str] = []
        # The store that the memory comes from; None if only one store is searched.
        self.origin: StoreSource | None = None
        # The trust in the memory; None if it was not looked up.
        self.standing: Standing | None = None

    @property
    def seen(self) -> FileStamp:
        """The file, as a session remembers the memory."""
        path = f"{self.scope}:{self.parts.path}" if self.scope else self.parts.path
        return FileStamp(path, *self.stamp)

    @property
    def root(self) -> str | None:
        """The folder of the project of the memory's store; None if only one store is searched."""
        return self.origin.root if self.origin else None

    @property
    def scope(self) -> str:
        """The scope of the memory's store; "" for the project's own."""
        return self.origin.label if self.origin else ""

    @property
    def is_more(self) -> bool:
        """Whether more than the title of the memory may be shown."""
        return self.beside is not None or self.logit is None or self.logit >= PRECISE

    @property
    def level(self) -> str | None:
        """The level of trust in the memory; None if it was not looked up."""
        return self.standing.level if self.standing else None

    @property
    def is_unreviewed(self) -> bool:
        """Whether trust was looked up and nobody vouches for the memory."""
        return self.standing is not None and self.standing.is_unreviewed

    @property
    def is_withheld(self) -> bool:
        """Whether the memory is withheld from agents."""
        return self.standing is not None and self.standing.is_withheld

    @property
    def gist(self) -> str:
        """The gist of the memory, one sentence; "" for a memory that is not shown."""
        from ..memory.card import read_card

        card = read_card(self.data)
        return card[2] if card else ""

    def heeds_paths(self, paths: list[str]) -> bool:
        """Whether the gate may count that the prompt names these paths (SPEC 45.4)."""
        return self.standing is None or self.standing.heeds_paths(paths)


class Found:
    """The answer to a prompt: the memories to show, best first, and the memories passed over with the reasons.
    `is_courtesy` says whether the prompt is only a courtesy. `least` is the lowest logit, in 1/1024, of a memory that
    the gate shows for this prompt; None without a gate, and for a courtesy."""

    def __init__(self) -> None:
        self.memories: list[RecalledMemory] = []
        # The first memories that the gate rejects ("gate"), superseded memories ("superseded"), and memories that
        # address the model while nobody vouches for them ("withheld").
        self.passed_over: list[tuple[RecalledMemory, str]] = []
        self.is_courtesy = False
        self.least: int | None = None

    def count_passing(self) -> int:
        """How many of the memories pass the gate by themselves."""
        return sum([memory.beside is None or memory.beside.passes for memory in self.memories])

    def add(self, memory: RecalledMemory, *, withholds: bool = True) -> None:
        """Add a memory to the shown or to the withheld memories, unless it is already there."""
        if any(other.position == memory.position for other in self.memories):
            return
        if not withholds or not memory.is_withheld:
            self.memories.append(memory)
        elif all(other.position != memory.position for other, _why in self.passed_over):
            self.passed_over.append((memory, "withheld"))
