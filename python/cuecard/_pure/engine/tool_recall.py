"""Finds the memories to show at a tool event: binding memories that are anchored to a file, and memories that help
after a failed command (SPEC 37)."""

import time

from ..memory.file_anchors import anchors_file
from ..memory.validity import holds_at
from .contradictions import note_contradictions
from .placing import HEEDED, IGNORED
from .recalled_memory import Found, Ranking, RecalledMemory
from .snapshot_recall import SnapshotRecall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..present.packing import Packed, PackItem
    from ..requests.request import Question
    from .snapshot import Snapshot

    IsKnown = Callable[[RecalledMemory], bool]
    PathsOfStores = list[tuple[list[int], list[str]]]

# The categories that bind the agent when it touches a file, the stricter first.
OF_FILE = ("CONSTRAINT", "DECISION")
# For a file, trust is looked up for at most this number of memories that the session has not been shown.
MOST_LOOKS = 16
# The logit (in 1/1024) for a memory that is anchored to the file; it counts as certain.
ANCHORED = 4096


def recall_for_files(
    snapshot: "Snapshot", root: str, paths: "PathsOfStores", most: int, is_known: "IsKnown | None", notes: list[str]
) -> Found | None:
    """The constraints and decisions that are valid and anchored to one of the files, constraints first, then the latest
    first; None if there are none.

    `root` is the project. `paths` has for the places of some stores the paths of the files, relative to the folder to
    which these stores' anchors are relative. `is_known` returns whether the session has been shown a memory; at most
    `most` memories that it has not been shown are found, without withheld ones. If `is_known` is None, every memory
    counts as reviewed. Problems of files are added to `notes`.
    """
    files = SnapshotRecall(snapshot, root, HEEDED if is_known else IGNORED, notes)
    places = [most]
    found = files.in_parts(lambda part: _find_in_part(part, paths, is_known, places))
    return found if found.memories or found.passed_over else None


def _find_in_part(
    files: SnapshotRecall, paths: "PathsOfStores", is_known: "IsKnown | None", places: list[int]
) -> Found:
    """The memories of one part of the documents. The number in `places` is reduced by the memories found that the
    session has not been shown."""
    snapshot, now = files.snapshot, time.time_ns() // 1000
    # For each memory the positions whose anchors count for it: of the memory itself and of memories that it supersedes.
    anchored: dict[int, list[int]] = {}
    # Trust is looked up later, for the few memories that may be shown.
    files.asks_trust = False
    named = [(stores, path) for stores, of_stores in paths for path in of_stores]
    for position in [
        found for stores, path in named for found in snapshot.anchored(path) if snapshot.store_of(found) in stores
    ]:
        head = files.successor(position)
        if not files.is_of_another_part(position) and not files.is_of_another_part(head):
            anchored.setdefault(head, []).append(position)
    ordered: list[tuple[int, int, RecalledMemory]] = []
    for position in anchored:
        if snapshot.documents[position].category not in OF_FILE:
            continue
        memory = files.verify(position, Ranking(position))
        if memory and memory.parts[0] in OF_FILE and holds_at(memory.data, now):
            ordered.append((OF_FILE.index(memory.parts[0]), memory.updated_at, memory))
    ordered.sort(key=lambda one: (one[0], -one[1]))
    memories = [memory for _strictness, _updated, memory in ordered]
    if is_known:
        memories = _trusted(memories, anchored, files, is_known, (paths, places))
    found = Found()
    for memory in memories:
        found.add(memory)
    new = [memory for memory in found.memories if not is_known or not is_known(memory)]
    note_contradictions(files, new, now)
    return found


def _trusted(
    memories: list[RecalledMemory],
    anchored: dict[int, list[int]],
    files: SnapshotRecall,
    is_known: "IsKnown",
    asked: "tuple[PathsOfStores, list[int]]",
) -> list[RecalledMemory]:
    """The memories that the session has been shown, and the first other memories whose anchors count (SPEC 45.4)."""
    files.asks_trust = True
    kept: list[RecalledMemory] = []
    (paths, places), looks = asked, MOST_LOOKS
    for memory in memories:
        if is_known(memory):
            kept.append(memory)
            continue
        if not places[0] or not looks:
            continue
        looks -= 1
        memory.standing = files.standing_of(memory)
        if files.is_vouched_part and memory.is_unreviewed:
            continue
        if any(_is_anchored(position, memory, files, paths) for position in anchored[memory.position]):
            kept.append(memory)
            places[0] -= not memory.is_withheld
    return kept


def _is_anchored(position: int, head: RecalledMemory, files: SnapshotRecall, paths: "PathsOfStores") -> bool:
    """Whether the anchor of the memory at a position counts for one of the files."""
    # The anchor of a memory that cannot be shown does not count.
    memory = head if position == head.position else files.verify(position, Ranking(position))
    standing = memory.standing if memory else None
    if standing is None or not standing.is_unreviewed:
        return standing is not None
    store = files.snapshot.store_of(position)
    return any(anchors_file(standing.anchors, path) for stores, named in paths if store in stores for path in named)


def recall_for_failure(snapshot: "Snapshot", root: str, question: "Question", notes: list[str]) -> Found:
    """The memories that hybrid recall finds for the output of a failed command and that pass the gate.

    A superseded memory is replaced by the memory that supersedes it, if the filters accept the category of the latter.
    Problems of files are added to `notes`.
    """
    return SnapshotRecall(snapshot, root, question.review, notes).choose(question)


def pack_anchored(root: str, memories: list[RecalledMemory], max_tokens: int, budget_chars: int) -> "Packed":
    """Pack memories that are anchored to a file, as `pack_memories` does; each counts as certain."""
    from ..present.packing import pack
    from .pack_items import items_of

    items: list[PackItem] = [(*item[:5], ANCHORED, None) for item in items_of(root, memories)]
    return pack(items, max_tokens, budget_chars)
