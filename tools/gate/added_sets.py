"""Reads judged prompts that are kept in `tests/data`, while the memories of their projects are elsewhere.

`orders` has prompts that order an edit or an act, `talk` has long conversational prompts, and `multi` has prompts that
want several memories. Each has a folder with `prompts.jsonl` for a project, by the name of the project's folder.
`tests/data/orders/README.md` and `tests/data/judged/multi/README.md` describe them.
"""

import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judged import ROOT, Case, read_all, read_cases, read_memories, read_rows

# The folder of each set.
SETS = {"orders": "orders", "talk": "talk", "multi": "judged/multi"}
# The weight of a prompt of each set in the training, in the whole store and in each smaller one. The weights are low,
# so that recall for the prompts of the judged projects stays as good.
WEIGHTS = {"orders": 0.4, "talk": 0.02, "multi": 0.3}
# The numbers of memories to which a store is cut down for talk. The rate of false injections depends on the number.
TALK_SIZES = (10, 40, 100)
# The number of memories to which a store is padded with memories of other projects. Such a store is only measured.
PADDED = 600


def read_training(folders: Sequence[Path]) -> list[Case]:
    """All cases to which the gate is fitted: those of the judged projects, then those of the added sets."""
    added = [
        case
        for folder in folders
        for name in SETS
        for has_questions in (False, True)
        for size in (None, *(TALK_SIZES if name == "talk" else ()))
        for case in read_set(name, folder, size, has_questions=has_questions)
    ]
    return [*read_all(folders), *added]


def read_measured(folders: Sequence[Path]) -> list[Case]:
    """The cases of `orders` and `talk` in padded stores, and of `orders` in small ones, with the weight 0.

    They are measured, and the gate is never fitted to them.
    """
    found = []
    for folder in folders:
        others = [other for other in folders if other != folder]
        for has_questions in (False, True):
            padding = [
                {**memory, "id": f"{other.name}--{memory['id']}", "cuecard": _questions_of(memory)}
                for other in others
                for memory in read_memories(other, has_questions=has_questions)
            ]
            for name in ("orders", "talk"):
                found += read_set(name, folder, PADDED, has_questions=has_questions, padding=padding)
            for size in TALK_SIZES:
                found += read_set("orders", folder, size, has_questions=has_questions)
    return [replace(case, weight=0) for case in found]


def read_set(
    name: str,
    folder: Path,
    size: int | None = None,
    *,
    has_questions: bool = False,
    padding: Sequence[dict[str, Any]] = (),
) -> list[Case]:
    """The cases of a set for the project in `folder`, over all its memories or, with `size`, over this number of them.

    A set has no cases for a project about which it has no prompts. `padding` fills up a project that is too small.
    """
    path = ROOT / "tests" / "data" / SETS[name] / folder.name / "prompts.jsonl"
    if not path.exists():
        return []
    prompts = read_rows(path)
    memories = read_memories(folder, has_questions=has_questions)
    cases: list[Case] = []
    if size is None:
        cases += read_cases(folder.name, memories, prompts, None, has_questions=has_questions)
    elif padding:
        padded = memories + subset(padding, max(0, size - len(memories)))
        cases += read_cases(folder.name, padded, prompts, None, has_questions=has_questions)
    else:
        # Prompts with the same judged memories share a store. All prompts without a need share one.
        for judged in dict.fromkeys(tuple(sorted(prompt["judgments"])) for prompt in prompts):
            sharing = [prompt for prompt in prompts if tuple(sorted(prompt["judgments"])) == judged]
            store = subset(memories, size, judged)
            cases += read_cases(folder.name, store, sharing, None, has_questions=has_questions)
    return [replace(case, weight=WEIGHTS[name], source=name, size=size) for case in cases]


def subset(memories: Sequence[dict[str, Any]], size: int, kept: Sequence[str] = ()) -> list[dict[str, Any]]:
    """At most `size` memories in their order: those named in `kept`, then the ones whose ids have the lowest CRC-32.

    A smaller subset is contained in a larger one.
    """
    by_hash = sorted(memories, key=lambda memory: (memory["id"] not in kept, zlib.crc32(memory["id"].encode())))
    chosen = {memory["id"] for memory in by_hash[:size]}
    return [memory for memory in memories if memory["id"] in chosen]


def _questions_of(memory: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in memory["cuecard"].items() if key == "questions"}
