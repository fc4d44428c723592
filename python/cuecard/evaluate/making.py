"""Makes a first set of judged prompts from a project's memories and transcripts."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import InputError, UsageError
from ..files.locate import locate
from ..store.records.memory import Memory, read_memories
from .engine import name_memories
from .judged_prompts import JudgedPrompt
from .memory_prompts import prompts_of_memories
from .transcript_prompts import prompts_of_transcripts

LIMIT = 300


@dataclass(frozen=True)
class Made:
    """Judged prompts that a program has made and no person has reviewed."""

    root: str
    prompts: list[JudgedPrompt]
    notes: list[str]
    """Notes for the user about the prompts; each note is a sentence."""


def make(
    *,
    root: str | None = None,
    transcripts: Sequence["str | os.PathLike[str]"] = (),
    project: str | None = None,
    limit: int = LIMIT,
    seed: int = 0,
) -> Made:
    """Make judged prompts from the active memories, and from the transcripts at the given paths.

    There are at most `limit` prompts from memories, at most `limit` typed prompts after which an agent used a memory,
    and at most `limit` typed prompts after which the agent used no memory. The same files and seed give the same
    prompts. `project` is the project's name in the prompts, by default the name of its folder. Raises `StoreError`
    without a project, `InputError` if the project has no memories or a path has no transcripts, and `UsageError` for a
    limit under 1.
    """
    if limit < 1:
        raise UsageError(f"the limit {limit} is too small", "use 1 or more", field="limit", found=str(limit))
    folder, memory_dir = locate(root)
    name = project or Path(os.path.realpath(folder)).name or "project"
    memories = _active_memories(folder, memory_dir)
    if not memories:
        raise InputError(f"`{folder}` has no active memories", "write some first: `cuecard add --help`")
    prompts = prompts_of_memories(memories, project=name, limit=limit, seed=seed)
    notes: list[str] = []
    if transcripts:
        more, notes = prompts_of_transcripts(transcripts, memories, root=folder, project=name, limit=limit)
        prompts += more
    if not prompts:
        raise InputError(f"the memories of `{folder}` have too few words for prompts", "give them longer titles")
    width = max(3, len(str(len(prompts))))
    numbered = [replace(prompt, id=f"{name}-{number:0{width}}") for number, prompt in enumerate(prompts, 1)]
    return Made(folder, numbered, notes)


def _active_memories(root: str, memory_dir: str) -> dict[str, Memory]:
    """The active memories by name, in the order of folders and ids."""
    names = {path: name for name, path in name_memories(memory_dir).items()}
    memories = read_memories(root, memory_dir)
    return {names[memory.path]: memory for memory in memories if memory.status == "active"}
