"""Asks the engine about one prompt. Only this file of the package calls recall."""

import time
from contextlib import ExitStack
from dataclasses import dataclass

from ..errors import InputError, UsageError
from ..files.locate import locate
from ..files.memory_files import list_records
from ..retrieval.recall import Recall, open_recall
from .holdout_store import store_without
from .judged_prompts import JudgedPrompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import GateSetting, Strategy

# The settings of the gate, from the setting that injects least to the setting that injects most. Without the gate
# (`OFF`) the best memories are always injected.
SETTINGS: "tuple[GateSetting, ...]" = ("precise", "balanced", "eager")
OFF: "GateSetting" = "off"
LIMIT = 5


@dataclass(frozen=True)
class EngineAnswer:
    """The memories that the engine injects for a prompt, and the cost in milliseconds and tokens."""

    memories: tuple[str, ...]
    """The names of the memories, best first."""
    probabilities: tuple[float | None, ...]
    ms: float
    tokens: int
    is_first: bool
    """Whether `ms` includes the time for reading the project's memories."""


class Engine:
    """Answers many prompts about one project with one strategy and one setting of the gate.

    Use it in a `with` statement: the copies of the store for prompts that leave memories out are removed at its end.
    """

    def __init__(
        self,
        root: str | None = None,
        *,
        setting: "GateSetting | None" = None,
        strategy: "Strategy | None" = None,
        limit: int = LIMIT,
    ) -> None:
        """Open the project at `root`. If `setting` or `strategy` is None, the project's settings decide.

        Raises `UsageError` for an unknown setting or strategy or a limit under 1, `StoreError` without a project.
        """
        if setting not in (*SETTINGS, OFF, None):
            named = " or ".join([f"`{name}`" for name in (*SETTINGS, OFF)])
            raise UsageError(f"unknown setting `{setting}`", f"use {named}", field="setting", found=f"`{setting}`")
        if limit < 1:
            raise UsageError(f"the limit {limit} is too small", "use 1 or more", field="limit", found=str(limit))
        self._setting, self._limit, self._strategy = setting, limit, strategy
        self._recall = open_recall(root, strategy=self._strategy, heeds_trust=False)
        self.root, self._memory_dir = locate(root)
        self.paths = name_memories(self._memory_dir)
        """The paths of all memory files of the project, whatever their status, by the names of the memories."""
        self._names = {path: name for name, path in self.paths.items()}
        self._partial: tuple[tuple[str, ...], Recall] | None = None
        self._open = ExitStack()
        self._is_fresh = True

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_raised: object) -> None:
        self._open.close()

    @property
    def strategy(self) -> str:
        """The strategy in use."""
        return self._recall.strategy

    def answer(self, prompt: JudgedPrompt) -> EngineAnswer:
        """The answer to a prompt. Raises the errors of `Recall.recall`."""
        recall, is_first = self._choose(prompt.without)
        begin = time.perf_counter_ns()
        hits = recall.recall(prompt.text, prompt.history, setting=self._setting, limit=self._limit)
        ms = (time.perf_counter_ns() - begin) / 1e6
        names = tuple([self._names.get(hit.path, hit.path) for hit in hits])
        injection = recall.inject(prompt.text, prompt.history, setting=self._setting, limit=self._limit)
        return EngineAnswer(names, tuple([hit.probability for hit in hits]), ms, injection.tokens, is_first)

    def _choose(self, without: tuple[str, ...]) -> tuple[Recall, bool]:
        """The `Recall` for a prompt that leaves these memories out, and whether it has not read its memories yet."""
        if not without:
            is_first, self._is_fresh = self._is_fresh, False
            return self._recall, is_first
        if self._partial is None or self._partial[0] != without:
            # Keep only one copy of the store at a time: hundreds of copies would fill a small disk.
            self._open.close()
            paths = [self.paths[name] for name in without]
            root = self._open.enter_context(store_without(self.root, self._memory_dir, paths))
            self._partial = without, open_recall(root, strategy=self._strategy, heeds_trust=False)
            return self._partial[1], True
        return self._partial[1], False


def name_memories(memory_dir: str) -> dict[str, str]:
    """The paths of all memory files by name: the id, or `CATEGORY/ID` if several categories have the id."""
    records = list_records(memory_dir)
    stems = [path.rpartition("/")[2].removesuffix(".json") for _category, path in records]
    shared = {stem for stem in stems if stems.count(stem) > 1} if len(set(stems)) < len(stems) else set()
    return {
        f"{category}/{stem}" if stem in shared else stem: path
        for (category, path), stem in zip(records, stems, strict=True)
    }


def check_memories(prompts: list[JudgedPrompt], engine: Engine) -> None:
    """Raise `InputError` if a prompt judges or leaves out a memory that the project does not have."""
    for prompt in prompts:
        for name in (*prompt.judgments, *prompt.without):
            if name not in engine.paths:
                where = f"{prompt.place}: " if prompt.place else ""
                what = f"{where}the project has no memory `{name}`"
                hint = f"check that these prompts belong to `{engine.root}`, and remove judgments of deleted memories"
                raise InputError(what, hint, field="judgments", expected="an id of the project", found=f"`{name}`")
