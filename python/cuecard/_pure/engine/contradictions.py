"""Finds memories that contradict the shown memories; either of two memories can name the other (SPEC 33.4, 39.2)."""

from ..memory.contradictions import MOST, MOST_LOOKS, contradicted_by, contradiction_label
from ..memory.links import AGAINST
from ..memory.validity import HOLDS, holds_at
from .recalled_memory import Ranking, RecalledMemory
from .succession import naming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .recalled_memory import Files
    from .snapshot import Snapshot


def note_contradictions(files: "Files", memories: list[RecalledMemory], now: int) -> None:
    """Note in each memory which others contradict it; nothing is noted in a memory that is unreviewed or not valid."""
    snapshot = files.snapshot
    for memory in memories:
        own, is_told = memory.position, not memory.is_unreviewed and memory.holds == HOLDS
        named = _named_by(snapshot, memory.data if is_told else None, own)
        others = [*named, *naming(snapshot, AGAINST, own)] if is_told else []
        for position in [each for each in dict.fromkeys(others) if each != own][:MOST_LOOKS]:
            other = files.verify(position, Ranking(position)) if len(memory.contradictions) < MOST else None
            if other and not other.is_unreviewed and holds_at(other.data, now):
                # The links in the snapshot may be older than the file of the other memory.
                is_named = position in named or own in _named_by(snapshot, other.data, position)
                if is_named and files.successor(position) == position:
                    memory.contradictions.append(contradiction_label(other.parts[1], other.data))


def _named_by(snapshot: "Snapshot", data: bytes | None, position: int) -> list[int]:
    """The positions of the memories that the memory at a position, with this content, says it contradicts."""
    return contradicted_by(data, lambda path: snapshot.find_from(snapshot.store_of(position), path))
