"""Reads from the files of memories the values that a block shows (SPEC 39)."""

import os

from ..memory.card import read_card
from ..memory.file_anchors import is_concrete
from ..present.packing import NOT_HOLDING, UNREVIEWED, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..memory.card import Card
    from ..present.packing import Packed, PackItem
    from .recalled_memory import RecalledMemory

# A file counts as changed if it is newer than the memory about it by more than this time, in nanoseconds.
SLACK = 60_000_000_000
KIND, REGULAR = 0o170000, 0o100000
NO_CARD: "Card" = ("", "", "", "", [], "", "")


def pack_memories(root: str, memories: "list[RecalledMemory]", max_tokens: int, budget_chars: int) -> "Packed":
    """The block for memories of the project at `root`, the outcome of each memory, and the estimated tokens (SPEC 39).

    Reads the modification times of the files that the memories are about.
    """
    return pack(items_of(root, memories), max_tokens, budget_chars)


def items_of(root: str, memories: "list[RecalledMemory]") -> "list[PackItem]":
    """The `PackItem` of each memory, which `pack` takes."""
    return [_item_of(root, memory) for memory in memories]


def _item_of(root: str, memory: "RecalledMemory") -> "PackItem":
    category, title, path, _tags = memory.parts
    card = (read_card(memory.data) if memory.data is not None else None) or NO_CARD
    anchors, labels = card[4], []
    if memory.is_unreviewed:
        # Without its text the memory cannot be shown in full. Evidence that nobody has checked is left out too.
        card = (*card[:3], "", anchors, "", "")
        anchors = [anchor for anchor in anchors if is_concrete(anchor)]
        labels = [UNREVIEWED]
    if memory.holds in NOT_HOLDING:
        labels.append(NOT_HOLDING[memory.holds])
    labels += memory.contradictions
    labels += _changed_since(root, anchors, memory.stamp[1])
    name = path.rpartition("/")[2].removesuffix(".json")
    return category, title, name, card, labels, memory.logit or 0, memory.beside[1] if memory.beside else None


def _changed_since(root: str, anchors: list[str], modified: int) -> list[str]:
    """A label that names files which changed after the memory's own file; empty if no file did."""
    changed = [anchor for anchor in anchors if _is_below(anchor) and _modified(root, anchor) - modified > SLACK]
    if not changed:
        return []
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return [f"{changed[0]}{more} changed since"]


def _is_below(anchor: str) -> bool:
    return not os.path.isabs(anchor) and ".." not in anchor.replace("\\", "/").split("/")


def _modified(root: str, anchor: str) -> int:
    """The time of a file's last change, in nanoseconds since 1970; 0 if it is not a regular file."""
    try:
        status = os.stat(os.path.join(root, anchor))
    except (OSError, ValueError):
        return 0
    return status.st_mtime_ns if status.st_mode & KIND == REGULAR else 0
