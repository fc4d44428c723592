"""Reads judged prompts that are kept in `tests/data`, while the memories of their projects are elsewhere.

`orders` has prompts that order an edit or an act, `talk` has long conversational prompts; each has a folder with
`prompts.jsonl` for a project, by the name of the project's folder. `tests/data/orders/README.md` describes both.
"""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judged import ROOT, SMALL_WEIGHT, Case, read_cases, read_memories, read_rows

SETS = ("orders", "talk")
# The numbers of memories to which a store is cut down for talk. The rate of false injections depends on the number.
TALK_SIZES = (10, 40, 100)


def read_added(folders: Sequence[Path], sets: Sequence[str]) -> list[Case]:
    """The cases of some sets for some projects, with and without questions: in whole stores, and talk in small ones.

    A set has no cases for a project about which it has no prompts.
    """
    return [
        case
        for folder in folders
        for name in sets
        for has_questions in (False, True)
        for size in (None, *(TALK_SIZES if name == "talk" else ()))
        for case in read_set(name, folder, size, has_questions=has_questions)
    ]


def read_set(name: str, folder: Path, size: int | None = None, *, has_questions: bool = False) -> list[Case]:
    """The cases of a set for the project in `folder`, over all its memories or, with `size`, over a subset of them."""
    path = ROOT / "tests" / "data" / name / folder.name / "prompts.jsonl"
    if not path.exists():
        return []
    prompts = read_rows(path)
    memories = read_memories(folder, has_questions=has_questions)
    cases: list[Case] = []
    if size is None:
        cases += read_cases(folder.name, memories, prompts, None, has_questions=has_questions)
        return cases
    # Prompts with the same judged memories share a store. All prompts without a need share one.
    for judged in dict.fromkeys(tuple(sorted(prompt["judgments"])) for prompt in prompts):
        sharing = [prompt for prompt in prompts if tuple(sorted(prompt["judgments"])) == judged]
        store = subset(memories, size, judged)
        cases += read_cases(
            folder.name, store, sharing, None, has_questions=has_questions, weight=SMALL_WEIGHT / len(TALK_SIZES)
        )
    return cases


def subset(memories: Sequence[dict[str, Any]], size: int, kept: Sequence[str] = ()) -> list[dict[str, Any]]:
    """At most `size` memories in their order: those named in `kept`, then the ones whose ids have the lowest CRC-32.

    A smaller subset is contained in a larger one.
    """
    by_hash = sorted(memories, key=lambda memory: (memory["id"] not in kept, zlib.crc32(memory["id"].encode())))
    chosen = {memory["id"] for memory in by_hash[:size]}
    return [memory for memory in memories if memory["id"] in chosen]
