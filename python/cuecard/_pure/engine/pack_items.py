"""Reads from the files of memories the values that a block shows (SPEC 39)."""

import os

from ...basics.json_reader import object_in, read_json_object
from ...files.folder import KIND, REGULAR
from ..memory.card import card_for
from ..memory.file_anchors import is_concrete
from ..memory.pointer import read_pointer
from ..present.packing import NOT_HOLDING, POINTER, UNREVIEWED, pack
from ..requests.results import Packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..memory.card import Card
    from ..memory.pointer import Pointer
    from ..present.packing import PackItem
    from .recalled_memory import RecalledMemory

# A file counts as changed if it is newer than the memory about it by more than this time, in nanoseconds.
SLACK = 60_000_000_000
PREFERENCE = "PREFERENCE"
NO_CARD: "Card" = ("", "", "", "", [], "", "")


def pack_memories(
    root: str, memories: "list[RecalledMemory]", max_tokens: int, budget_chars: int, prompt: str | None = None
) -> Packed:
    """The block for memories of the project at `root` (SPEC 39).

    Reads the modification times of the files that the memories are about. Of a memory with sections, the block shows
    the one that fits the prompt.
    """
    return Packed(*pack(items_of(root, memories, prompt), max_tokens, budget_chars))


def items_of(root: str, memories: "list[RecalledMemory]", prompt: str | None = None) -> "list[PackItem]":
    """The `PackItem` of each memory, which `pack` takes. There is no prompt for an event of a tool."""
    owns = [object_in(read_json_object(memory.data), "cuecard") for memory in memories]
    terms: list[tuple[str, int]] = []
    if prompt and any("sections" in own for own in owns):
        # Loaded here, because few memories have sections.
        from ..text.prompt_terms import query_terms

        terms = [(term, weight) for term, weight, _word in query_terms(prompt, [])]
    items = [
        _item_of(memory.origin.root if memory.origin else root, memory, own, terms)
        for memory, own in zip(memories, owns, strict=True)
    ]
    return _shorten_preferences(memories, items)


def _shorten_preferences(memories: "list[RecalledMemory]", items: "list[PackItem]") -> "list[PackItem]":
    """The items, where of the user's own preferences only the surest has its text (SPEC 48.10)."""
    own = [
        place
        for place, memory in enumerate(memories)
        if memory.origin and memory.origin.is_users and items[place][0] == PREFERENCE
    ]
    for place in sorted(own, key=lambda place: -items[place][5])[1:]:
        category, title, name, card, *rest = items[place]
        items[place] = category, title, name, (*card[:3], "", card[4], card[5], ""), *rest  # type: ignore[assignment]
    return items


def _item_of(root: str, memory: "RecalledMemory", own: dict[str, object], terms: list[tuple[str, int]]) -> "PackItem":
    category, title, path, _tags = memory.parts
    card = card_for(memory.data, terms) or NO_CARD
    anchors, labels = card[4], trust_labels(memory)
    if memory.is_unreviewed:
        # Without its text the memory cannot be shown in full. Evidence that nobody has checked is left out too.
        card = (*card[:3], "", anchors, "", "")
        anchors = [anchor for anchor in anchors if is_concrete(anchor)]
    if memory.holds in NOT_HOLDING:
        labels.append(NOT_HOLDING[memory.holds])
    labels += memory.contradictions
    labels += _changed_since(root, anchors, memory.stamp[1])
    pointer = read_pointer(own)
    if pointer:
        # The document says the rest, so the memory takes one line, and does not look like a rule or a runbook.
        category = POINTER
        card = (*card[:3], "", card[4], card[5], "")
        labels += [f"source: {pointer.place}", *_state_of_document(root, pointer, memory.stamp[1])]
    return category, title, id_of(path), card, labels, memory.logit or 0, memory.beside.logit if memory.beside else None


def id_of(path: str) -> str:
    """The name of a memory's file without `.json`."""
    return path.rpartition("/")[2].removesuffix(".json")


def trust_labels(memory: "RecalledMemory") -> list[str]:
    """The labels that say that nobody vouches for a memory, and from which scope it comes."""
    labels = [UNREVIEWED] if memory.is_unreviewed else []
    return [*labels, f"scope: {memory.scope}"] if memory.scope else labels


def _changed_since(root: str, anchors: list[str], modified: int) -> list[str]:
    """A label that names files which changed after the memory's own file; empty if no file did."""
    changed = [anchor for anchor in anchors if _is_below(anchor) and _modified(root, anchor) - modified > SLACK]
    if not changed:
        return []
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return [f"{changed[0]}{more} changed since"]


def _state_of_document(root: str, pointer: "Pointer", noted: int) -> list[str]:
    """A label if the document of a pointer is gone or has changed. Looks at size and time, and reads nothing."""
    try:
        place, base = os.path.realpath(os.path.join(root, pointer.path)), os.path.realpath(root)
        status = os.stat(place)
    except (OSError, ValueError):
        return ["source is gone"]
    if os.path.commonpath([place, base]) != base or status.st_mode & KIND != REGULAR:
        return ["source is gone"]
    has_size = pointer.size is None or pointer.size == status.st_size
    seen = None if pointer.time is None else max(pointer.time * 1000, noted)
    is_newer = seen is not None and status.st_mtime_ns - seen > SLACK
    return ["source changed since"] if not has_size or is_newer else []


def _is_below(anchor: str) -> bool:
    return not os.path.isabs(anchor) and ".." not in anchor.replace("\\", "/").split("/")


def _modified(root: str, anchor: str) -> int:
    """The time of a file's last change, in nanoseconds since 1970; 0 if it is not a regular file."""
    try:
        status = os.stat(os.path.join(root, anchor))
    except (OSError, ValueError):
        return 0
    return status.st_mtime_ns if status.st_mode & KIND == REGULAR else 0
