"""A memory that was found, as its own file has it, and what a prompt is answered with (SPEC 23.3, 33.3, 52)."""

from ...memory.index_line import parse_index_line
from ...memory.validity import HOLDS
from ...settings.gate_model import PRECISE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..memory.stored_document import Described
    from .trust_check import Standing


class Ranking:
    """What the ranking says of a memory."""

    __slots__ = ("count", "found_as", "logit", "probability", "recency", "score")

    def __init__(self, found_as: int, score: int = 0) -> None:
        """`found_as` is the position at which it was found; another one where the memory has taken its place."""
        self.found_as = found_as
        # With the points of its recency.
        self.score = score
        # The points that the keyword retriever gives it for its recency.
        self.recency = 0
        # The gate's logit, in 1/1024; None for strategies without a gate.
        self.logit: int | None = None
        self.probability: int | None = None
        # How many `hybrid` was asked for when it was found.
        self.count = 0


class RecalledMemory(Ranking):
    """A memory that was found, and what the ranking says of it."""

    __slots__ = ("data", "holds", "parts", "position", "stamp", "standing", "status", "updated_at")

    def __init__(self, position: int, document: "Described", ranking: Ranking, data: bytes | None = None) -> None:
        """`document` is the memory as its file has it, or as the snapshot does for one that is not shown: then there is
        no `data`, the bytes of the file."""
        super().__init__(ranking.found_as, ranking.score)
        self.recency, self.count = ranking.recency, ranking.count
        self.logit, self.probability = ranking.logit, ranking.probability
        self.position = position
        # Category, title, path and tags. What does not read back was not stored.
        self.parts: tuple[str, str, str, list[str]] = parse_index_line(document[0]) or ("", "", "", [])
        self.status = document[1]
        # In microseconds since 1970; one without a time is the oldest of all.
        self.updated_at = -(2**63) if document[2] is None else document[2]
        self.stamp = document[4:]
        self.data = data
        # What it is at the time of the prompt.
        self.holds = HOLDS
        # Who vouches for it; None where nobody has asked.
        self.standing: Standing | None = None

    @property
    def seen(self) -> tuple[str, int, int]:
        """What a session notes of it: path, size and time of its file (nanoseconds since 1970)."""
        return self.parts[2], self.stamp[0], self.stamp[1]

    @property
    def is_more(self) -> bool:
        """Whether more than its title may be shown."""
        return self.logit is None or self.logit >= PRECISE

    @property
    def level(self) -> str | None:
        """Who vouches for it; None where nobody has asked."""
        return self.standing.level if self.standing else None

    @property
    def is_unreviewed(self) -> bool:
        """Whether it is known that nobody vouches for it."""
        return self.standing is not None and self.standing.is_unreviewed

    @property
    def is_withheld(self) -> bool:
        """Whether agents are not shown it."""
        return self.standing is not None and self.standing.is_withheld

    @property
    def gist(self) -> str:
        """What its file says in a sentence; "" for one that is not shown."""
        from ...memory.card import read_card

        card = read_card(self.data) if self.data is not None else None
        return card[2] if card else ""

    def heeds_paths(self, paths: list[str]) -> bool:
        """Whether the gate may heed that a prompt names these paths (SPEC 52.4)."""
        return self.standing is None or self.standing.heeds_paths(paths)


class Found:
    """What a prompt is answered with, best first, and what it is not, with the reasons; whether it is nothing but a
    courtesy."""

    def __init__(self) -> None:
        """Nothing."""
        self.memories: list[RecalledMemory] = []
        # The first of those that the gate holds back ("gate"), those whose place another one has taken ("superseded")
        # and those that address the model without anybody to vouch for them ("withheld").
        self.passed_over: list[tuple[RecalledMemory, str]] = []
        self.is_courtesy = False

    def add(self, memory: RecalledMemory, *, withholds: bool = True) -> None:
        """Add a memory to those that are shown, or to those withheld, unless it is there."""
        if any(other.position == memory.position for other in self.memories):
            return
        if not withholds or not memory.is_withheld:
            self.memories.append(memory)
        elif all(other.position != memory.position for other, _why in self.passed_over):
            self.passed_over.append((memory, "withheld"))
