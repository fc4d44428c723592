"""Heeds what the user has said of memories that were shown (SPEC 49).

A memory that was wrong for a similar prompt is not shown again, and near-ties are reordered.
"""

from ...files.user_folder import read_kept
from ..requests.request import ASKED
from .recalled_memory import Found, RecalledMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..rank.recall import Recalled
    from ..rank.verdicts import Verdicts
    from ..requests.request import Question
    from .snapshot import Snapshot

FILE = "verdicts"
# The writer keeps the file far below this size. A larger file is ignored.
MAX_BYTES = 1 << 20


def read_verdicts(memory_dir: str, question: "Question") -> "Verdicts | None":
    """The verdicts that count for a question; None if there are none."""
    request = question.request
    if question.strategy != "hybrid" or question.past != ASKED or request.filters is not None:
        return None
    data = read_kept(memory_dir, FILE, limit=MAX_BYTES)
    if data is None:
        return None
    # Loaded only where there are verdicts.
    from ..rank.verdicts import Verdicts

    return Verdicts(data)


def reorder(verdicts: "Verdicts", snapshot: "Snapshot", judged: "list[Recalled]") -> "list[Recalled]":
    """The judged memories, with near-ties in the order that the verdicts give them."""
    if verdicts.has_no_priors:
        return judged

    def prior(position: int) -> int:
        document = snapshot.stored(position)
        return verdicts.prior(document.path, document.trust) if document else 0

    return sorted(judged, key=lambda found: -(found[1] + prior(found[0])))


def pass_over_wrong(verdicts: "Verdicts", found: Found, kept: "Callable[[], str]") -> None:
    """Pass over the memories that were wrong for a similar prompt, and the memories shown only beside one of them.

    Such memories are not named either. `kept` returns what is kept of the prompt, and is called only if a verdict names
    one of the memories.
    """
    memories = [*found.memories, *[memory for memory, why in found.passed_over if why == "named"]]
    meant = [memory for memory in memories if verdicts.names(memory.parts[2])]
    if not meant:
        return
    from ..memory.trust_hash import trust_hash
    from .named import keep_named

    terms = kept()
    hashes = {memory.position: trust_hash(memory.data or b"") or "" for memory in meant}
    wrong = {one.position for one in meant if verdicts.is_wrong(one.parts[2], hashes[one.position], terms)}
    keep_named(found, lambda memory: memory.position not in wrong)
    passed, found.memories = take_out(found.memories, wrong)
    found.passed_over[:0] = [(memory, "verdict") for memory in passed]


def take_out(memories: list[RecalledMemory], out: set[int]) -> tuple[list[RecalledMemory], list[RecalledMemory]]:
    """The memories at these positions with those that are shown only beside one of them, and all others."""

    def is_beside(memory: RecalledMemory) -> bool:
        return memory.beside is not None and memory.beside[0] in out

    def goes(memory: RecalledMemory) -> bool:
        is_sibling = memory.beside is not None and not memory.beside[2]
        return memory.position in out or (is_sibling and is_beside(memory))

    taken = [memory for memory in memories if goes(memory)]
    left = [memory for memory in memories if not goes(memory)]
    for memory in left:
        if is_beside(memory):
            memory.beside = None
    return taken, left
