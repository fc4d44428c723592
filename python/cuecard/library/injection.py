"""What a prompt puts before the agent: the block, and how each memory stands in it."""

from ..recall.snapshot_recall import SHOWN
from .value import Value, fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hit import Hit


class Injected(Value):
    """A memory that recall found, and its outcome.

    Shown with its text (`full`), in a line with its gist (`gist`), by its title (`title`), or as a `line`: without a
    gate that of the index, else where there is nothing to say beside the title. Or left out: one that is shown says
    nearly the same (`duplicate`), or there is no room (`budget`).
    """

    __slots__ = ("hit", "outcome")

    hit: "Hit"
    outcome: str

    def __init__(self, hit: "Hit", outcome: str) -> None:
        fill(self, hit, outcome)

    @property
    def is_shown(self) -> bool:
        """Whether the agent sees anything of it."""
        return self.outcome in SHOWN

    def as_dict(self) -> dict[str, object]:
        """Which memory it is, and its outcome, ready for JSON."""
        return {"path": self.hit.path, "outcome": self.outcome}


class Injection(Value):
    """The block that the agent reads, "" where nothing is shown; its tokens, estimated (SPEC 31); and the memories
    that recall found, best first."""

    __slots__ = ("block", "tokens", "memories")

    block: str
    tokens: int
    memories: tuple[Injected, ...]

    def __init__(self, block: str, tokens: int, memories: tuple[Injected, ...]) -> None:
        fill(self, block, tokens, tuple(memories))

    def as_dict(self) -> dict[str, object]:
        """Everything by name, ready for JSON."""
        return {"block": self.block, "tokens": self.tokens, "memories": [memory.as_dict() for memory in self.memories]}
