"""The text that the hook adds to a prompt for the agent, and how each memory appears in the text."""

from .._backend import SHOWN_OUTCOMES
from ..basics.light_dataclass import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hit import Hit


@dataclass(frozen=True)
class Injected:
    """A memory that recall found, and how it appears in the block that the hook prints.

    The outcome of a shown memory is `full` (with its text), `gist` (a line with its gist), `title` (its title) or
    `line`. A `line` is the line of the index if there is no gate, or else a line for a memory that says no more than
    its title. A `sibling` is a line with what a memory says, beside a surer memory of its subject. The outcome of a
    memory that is left out is `duplicate` (another shown memory says nearly the same) or `budget` (there is no room). A
    `named` memory did not pass the gate, and the block is a line with its title.
    """

    hit: "Hit"
    outcome: str

    @property
    def is_shown(self) -> bool:
        """Whether the block contains the memory in any form."""
        return self.outcome in SHOWN_OUTCOMES

    def as_dict(self) -> dict[str, object]:
        """The path of the memory, and its outcome, ready for JSON."""
        return {"path": self.hit.path, "outcome": self.outcome}


@dataclass(frozen=True)
class Injection:
    """What the hook prints for a prompt: the block, and the memories that recall found, best first.

    The block is "" if no memory is shown or named; `tokens` is its estimated number of tokens (SPEC 31).
    """

    block: str
    tokens: int
    memories: tuple[Injected, ...]

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {"block": self.block, "tokens": self.tokens, "memories": [memory.as_dict() for memory in self.memories]}
