"""Measures whether the block for a prompt says all parts of the decision that the prompt needs.

The memories of a set are written to a temporary store as `cuecard add` writes them, and each prompt is answered as the
hook answers it, with each memory counted as reviewed.
"""

import html
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import InputError, OverwriteError, ValidationError
from ..files.user_folder import remove_store_folder
from ..retrieval.project_store import ProjectStore
from ..retrieval.recall import open_recall
from .decision_set import CUTS, Decision, DecisionSet, GivenMemory
from .running import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import GateSetting, Strategy
    from ..retrieval.recall import Recall

WHOLE, PARTIAL, STALE, ABSENT = "whole", "partial", "stale", "absent"
STATES = (WHOLE, PARTIAL, STALE, ABSENT)
_SPEECH = {"bug": "bugs", "prompt": "prompts"}


@dataclass(frozen=True)
class Block:
    """The block for one prompt, compared with the decision that the prompt needs."""

    project: str
    decision: str
    cut: str
    kind: str
    prompt: str
    missing: tuple[str, ...]
    """The first text of each part that the block does not say."""
    stale: tuple[str, ...]
    """The texts in the block that do not hold any more."""
    state: str
    """`stale` if the block says what no longer holds; otherwise `whole`, `partial`, or `absent` if no part is said."""
    tokens: int
    text: str

    def as_dict(self) -> dict[str, Any]:
        """The block as an object for `--json`."""
        return {
            "project": self.project,
            "decision": self.decision,
            "cut": self.cut,
            "kind": self.kind,
            "prompt": self.prompt,
            "state": self.state,
            "missing": list(self.missing),
            "stale": list(self.stale),
            "tokens": self.tokens,
            "block": self.text,
        }


@dataclass(frozen=True)
class Tally:
    """How many of some blocks have each state, and their mean number of tokens."""

    asked: int
    states: dict[str, int]
    tokens: float

    def as_dict(self) -> dict[str, Any]:
        """The counts as an object for `--json`."""
        return {"asked": self.asked, **self.states, "tokens": round(self.tokens, 1)}


@dataclass(frozen=True)
class Wholeness:
    """The blocks for all prompts of some sets, in the order of cuts and decisions."""

    blocks: list[Block]
    memories: dict[str, dict[str, int]]
    """The number of memories in the store of each project, by cut."""

    def tally(self, cut: str, kind: str) -> Tally:
        """Counts of the blocks of a cut for the prompts of a kind (`bug` or `prompt`)."""
        found = [block for block in self.blocks if (block.cut, block.kind) == (cut, kind)]
        states = {state: sum([block.state == state for block in found]) for state in STATES}
        return Tally(len(found), states, sum([block.tokens for block in found]) / max(1, len(found)))

    @property
    def tallies(self) -> dict[tuple[str, str], Tally]:
        """The counts of each cut and kind that was asked."""
        keys = dict.fromkeys([(block.cut, block.kind) for block in self.blocks])
        return {(cut, kind): self.tally(cut, kind) for cut, kind in keys}

    def as_dict(self) -> dict[str, Any]:
        """The document for `--json`."""
        counts: dict[str, dict[str, Any]] = {}
        for (cut, kind), tally in self.tallies.items():
            counts.setdefault(cut, {})[_SPEECH[kind]] = tally.as_dict()
        return {"memories": self.memories, "counts": counts, "blocks": [block.as_dict() for block in self.blocks]}


def measure_wholeness(
    sets: Sequence[DecisionSet],
    *,
    setting: "GateSetting | None" = None,
    strategy: "Strategy | None" = None,
    progress: Progress | None = None,
) -> Wholeness:
    """The block for each prompt of each set, with each cut of its decisions.

    `setting` and `strategy` are as for recall. Raises `UsageError` for an unknown setting or strategy, and `InputError`
    with file and line for a memory that is not valid. Cost: writing all memories, and a recall for each prompt.
    """
    total = sum([len(decision.asked) * len(found.cuts) for found in sets for decision in found.decisions])
    blocks: list[Block] = []
    memories: dict[str, dict[str, int]] = {}
    for found in sets:
        for cut in found.cuts:
            given = found.memories(cut)
            with _written(given) as root:
                recall = open_recall(root, strategy=strategy, heeds_trust=False)
                memories.setdefault(found.project, {})[cut] = recall.memory_count
                for decision in found.decisions:
                    blocks += _ask(recall, decision, cut, setting)
                    if progress:
                        progress(len(blocks), total)
    return Wholeness(sorted(blocks, key=lambda block: (CUTS.index(block.cut), block.kind)), memories)


def _ask(recall: "Recall", decision: Decision, cut: str, setting: "GateSetting | None") -> Iterator[Block]:
    for kind, prompt in decision.asked:
        injection = recall.inject(prompt, setting=setting)
        missing, stale = compare(injection.block, decision)
        if stale:
            state = STALE
        elif missing:
            state = ABSENT if len(missing) == len(decision.facts) else PARTIAL
        else:
            state = WHOLE
        yield Block(
            project=decision.project,
            decision=decision.id,
            cut=cut,
            kind=kind,
            prompt=prompt,
            missing=missing,
            stale=stale,
            state=state,
            tokens=injection.tokens,
            text=injection.block,
        )


def compare(block: str, decision: Decision) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parts of the decision that a block does not say, and the stale texts that it contains.

    Case, runs of white space and entities make no difference.
    """
    said = _fold(html.unescape(block))
    missing = tuple([texts[0] for texts in decision.facts if not any(_fold(text) in said for text in texts)])
    return missing, tuple([text for text in decision.stale if _fold(text) in said])


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


@contextmanager
def _written(memories: Sequence[GivenMemory]) -> Iterator[str]:
    """The root of a temporary store with these memories."""
    with TemporaryDirectory(prefix="cuecard-eval-") as folder:
        store = ProjectStore(folder, create=True)
        try:
            for memory in memories:
                _add(store, memory)
            yield folder
        finally:
            # The journal of this store is in the user's data folder.
            with suppress(OSError):
                remove_store_folder(store.memory_dir)


def _add(store: ProjectStore, memory: GivenMemory) -> None:
    try:
        # Measuring a file must not vouch for its texts on this machine.
        store.add(memory.fields, trust="unreviewed")
    except (ValidationError, OverwriteError) as error:
        raise InputError(f"{memory.place}: {error.what}", error.hint, field="memory") from None
