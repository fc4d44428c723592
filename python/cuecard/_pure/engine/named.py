"""Memories whose titles are named where none is sure enough: between showing and silence (SPEC 28.5)."""

from ...basics.gate_table import CONSTANTS
from ..memory.validity import holds_at
from ..present.named_line import pack_named
from ..requests.request import NAMED
from ..requests.results import Packed
from .pack_items import id_of, trust_labels
from .recalled_memory import Found, Ranking, RecalledMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..rank.recall import Recalled
    from ..requests.request import Request
    from .recalled_memory import Files


# How many memories are named at most, and how many files are read to find them.
MOST_NAMED = 2
MOST_LOOKS = 6
# How much lower than the setting asks for a logit may be of a memory that is named, in 1/1024.
NAMED_BELOW = CONSTANTS["named_below"]
GATE = "gate"


def find_named(files: "Files", found: Found, judged: "Sequence[Recalled]", request: "Request") -> None:
    """Where no memory passes, mark the surest of those that nearly do. Each is read from its own file, holds, is not
    withheld, and no memory has taken its place."""
    if found.memories or found.least is None:
        return
    limit = found.least - NAMED_BELOW
    near = sorted([one for one in judged if one[2] >= limit], key=lambda one: -one[2])
    named: list[RecalledMemory] = []
    for position, score, logit, probability in near[:MOST_LOOKS]:
        is_full = len(named) == MOST_NAMED
        if is_full or files.is_of_another_part(position) or files.successor(position) != position:
            continue
        ranking = Ranking(position, score)
        ranking.logit, ranking.probability, ranking.count = logit, probability, request.k
        memory = files.verify(position, ranking)
        if memory is None:
            continue
        files.heed_anchors(memory, request)
        is_near = memory.logit is not None and memory.logit >= limit
        if is_near and holds_at(memory.data, request.now) and not memory.is_withheld:
            named.append(memory)
    positions = {memory.position for memory in named}
    others = [one for one in found.passed_over if one[1] != GATE or one[0].position not in positions]
    found.passed_over = [*[(memory, NAMED) for memory in named], *others]


def limit_named(found: Found) -> None:
    """Leave at most as many memories named as a line has room for, and none where a memory is shown. Those that the
    user vouches for were found first."""
    kept = [] if found.memories else named_of(found)[:MOST_NAMED]
    keep_named(found, lambda memory: memory in kept)


def keep_named(found: Found, is_kept: "Callable[[RecalledMemory], bool]") -> None:
    """Leave only some memories named; the others count as kept back by the gate."""
    found.passed_over = [
        (memory, GATE if why == NAMED and not is_kept(memory) else why) for memory, why in found.passed_over
    ]


def name_memories(memories: list[RecalledMemory], max_tokens: int, budget_chars: int) -> Packed:
    """The line with the titles of memories that may concern a prompt (SPEC 39.9)."""
    items = [(memory.parts.title, id_of(memory.parts.path), trust_labels(memory)) for memory in memories]
    return Packed(*pack_named(items, max_tokens, budget_chars))


def named_of(found: Found) -> list[RecalledMemory]:
    """The memories that are named."""
    return [memory for memory, why in found.passed_over if why == NAMED]
