"""Retires the memories that a new memory supersedes, which it names in `cuecard.supersedes` (SPEC 18.6)."""

from dataclasses import dataclass, field
from itertools import pairwise

from ...errors import InputError, StoreError
from ..intake.intake import admit_stored
from ..records import history, lifecycle
from ..records.find_memory import find_places
from ..records.memory import Memory, read_memory
from ..records.references import names_in
from .transaction import Transaction

# Further names are ignored, because each is looked up under the lock.
MAX_NAMES = 100


@dataclass
class Superseded:
    """The memories that a record supersedes."""

    memories: list[Memory] = field(default_factory=list)
    """The active memories that the record names, in its order, without duplicates."""
    warnings: list[str] = field(default_factory=list)
    """Sentences about names whose memory cannot be found, read or retired."""
    ids: list[str] = field(default_factory=list)
    """The ids of the memories that were retired."""


def find_superseded(project: tuple[str, str], own_paths: tuple[str, ...], names: list[str]) -> Superseded:
    """Find the memories that `names` stand for. Call it under the lock, before anything is written.

    `own_paths` are the paths of the superseding record before and after the write. Raises `InputError` if the record
    names itself, or a memory that supersedes it directly or through other memories.
    """
    superseded = Superseded()
    if len(names) > MAX_NAMES:
        superseded.warnings.append(f"of the {len(names)} memories to supersede only the first {MAX_NAMES} count")
    for name in names[:MAX_NAMES]:
        places = find_places(*project, name)
        if len(places) != 1:
            count = f"there are {len(places)} memories" if places else "there is no memory"
            superseded.warnings.append(f"{count} `{name}` to supersede")
            continue
        try:
            memory = read_memory(*project, *places[0])
        except StoreError as error:
            superseded.warnings.append(f"`{name}` stays as it is: {error.what}")
            continue
        _refuse_cycle(project, own_paths, memory)
        if memory.status == "active" and memory.path not in [known.path for known in superseded.memories]:
            superseded.memories.append(memory)
    return superseded


def retire_superseded(transaction: Transaction, superseded: Superseded, newer: Memory, now: str) -> None:
    """Retire superseded memories at the time `now`. `newer` is the superseding memory, which is written already."""
    for memory in superseded.memories:
        if not transaction.trust.may_retire(newer, memory):
            superseded.warnings.append(
                f"`{memory.id}` stays active, because nobody vouches for the memory that replaces it"
            )
            continue
        retired = lifecycle.apply("retire", memory.record, f"superseded by {newer.id}", now)
        try:
            # The old record may contain text that the intake would not admit today.
            mended = admit_stored(retired or memory.record).fields
            history.fit(mended)
            transaction.write(memory.category, memory.path, mended)
        except StoreError as error:
            superseded.warnings.append(f"`{memory.id}` stays active: {error.what}")
        else:
            superseded.ids.append(memory.id)


def _refuse_cycle(project: tuple[str, str], own_paths: tuple[str, ...], named: Memory) -> None:
    """Raise `InputError` if `named` supersedes a memory at one of `own_paths`, directly or through other memories."""
    ways, known = [[named]], {named.path}
    if named.path in own_paths:
        raise _cycle("a memory cannot supersede itself", named.id)
    while ways:
        way = ways.pop()
        for name in names_in(way[-1].record, "supersedes")[:MAX_NAMES]:
            places = find_places(*project, name)
            if len(places) != 1:
                continue
            path = places[0][1]
            if path in own_paths:
                names = [*[f"`{memory.id}`" for memory in way], "this memory"]
                why = " and ".join([f"{one} supersedes {other}" for one, other in pairwise(names)])
                raise _cycle(f"this memory cannot supersede `{named.id}`, because {why}", named.id)
            if path not in known:
                known.add(path)
                try:
                    ways.append([*way, read_memory(*project, *places[0])])
                except StoreError:
                    continue


def _cycle(what: str, name: str) -> InputError:
    hint = f"remove `{name}` from `cuecard.supersedes`"
    return InputError(
        what, hint, field="cuecard.supersedes", expected="memories older than this one", found=f"`{name}`"
    )
