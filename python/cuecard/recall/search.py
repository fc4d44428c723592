"""The library's way to memories: what the hook would inject for a prompt, and search without its gate."""

from .._backend import twin
from ..store.root import locate_project
from .environment import Environment
from .loaded_project import LoadedProject, check_limit, check_strategy
from .prompt_path import HYBRID

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from .._pure.filters import Filters
    from .hit import Hit
    from .prompt_path import Project
    from .trace import Trace

    Path = str | os.PathLike[str]

DEFAULT_LIMIT = 10
STORE_PREFIX = ".claude/memory/"


def recall_prompt(
    prompt: str,
    history: "Sequence[str]" = (),
    *,
    root: "Path | None" = None,
    strategy: str | None = None,
    setting: str | None = None,
) -> "list[Hit]":
    """What the hook would inject for a prompt, best first; see `Recaller.recall` and `Recaller` for errors."""
    return Recaller(root=root, strategy=strategy).recall(prompt, history, setting=setting)


def search(
    query: str, *, root: "Path | None" = None, strategy: str | None = None, limit: int = DEFAULT_LIMIT
) -> "list[Hit]":
    """The memories that fit a query best; see `Recaller.search` and `Recaller` for errors."""
    return Recaller(root=root, strategy=strategy).search(query, limit=limit)


class Recaller:
    """The memories of a project as they are now, made ready for many queries.

    `root` is a project or its `.claude/memory`; without it, `CUECARD_ROOT` or the nearest project with memories
    from the working directory upwards. `strategy` goes before `CUECARD_STRATEGY`, and that before the project's
    configuration. Raises `StoreError` where there are no memories, `UsageError` for an unknown strategy.

    Configuration and memories are read once, the memories with the first query; each query looks at the files of the
    memories that it shows. Nothing is ever written: what is missing or out of step is made good in memory alone.
    """

    __slots__ = ("_config", "_loaded")

    def __init__(self, *, root: "Path | None" = None, strategy: str | None = None) -> None:
        if strategy is not None:
            check_strategy(strategy)
        self._loaded = LoadedProject(locate(Environment(), root))
        self._config = self._loaded.config(strategy)

    @property
    def root(self) -> str:
        """The project's folder."""
        return self._loaded.root

    @property
    def strategy(self) -> str:
        """The strategy that serves the queries."""
        return self._config.strategy

    @property
    def memory_count(self) -> int:
        """How many active memories there are; raises `StoreError` where they cannot be read. Reads each."""
        return self._loaded.count(self._config)

    @property
    def notes(self) -> list[str]:
        """What the hook would log about the queries so far: a sentence each, none twice."""
        return self._loaded.notes

    @property
    def setting(self) -> str:
        """The gate's setting for the project: `precise`, `balanced`, `eager` or `off`."""
        return self._config.recall.gate_setting

    def recall(
        self,
        prompt: str,
        history: "Sequence[str]" = (),
        *,
        setting: str | None = None,
        limit: int | None = None,
        is_explained: bool = True,
    ) -> "list[Hit]":
        """What the hook would inject for a prompt, best first; `why_silent` says why there is nothing.

        `history` are the session's prompts before it, the oldest first; `setting` and `limit` go before the project's.
        A host's limit on characters can cut the tail of what is printed. Raises `StoreError` where the memories
        cannot be read, `UsageError` for an unknown setting or a limit under 1.
        """
        if limit is not None:
            check_limit(limit)
        if self._closed_gate(prompt):
            return []
        most = self._config.max_inject if limit is None else limit
        return self._loaded.find(
            prompt,
            most,
            self._config,
            is_explained=is_explained,
            history=history,
            setting=self.setting if setting is None else setting,
        )

    def trace(self, prompt: str, path: str, history: "Sequence[str]" = (), *, setting: str | None = None) -> "Trace":
        """Why `recall` shows the memory at a path (`decisions/cache.json`) for a prompt, or does not, stage by stage.

        Raises `UsageError` for strategies other than `hybrid` and unknown settings, `StoreError` where there is no
        such memory.
        """
        whole = path if path.startswith(STORE_PREFIX) else f"{STORE_PREFIX}{path}"
        most = self._config.max_inject
        return self._loaded.trace(prompt, whole, most, self._config, history, setting or self.setting)

    def search(
        self,
        query: str,
        *,
        limit: int = DEFAULT_LIMIT,
        filters: "Filters | None" = None,
        is_explained: bool = True,
    ) -> "list[Hit]":
        """At most `limit` memories that fit a query, best first, however short it is and whatever is switched off.

        `search_filters.read_filters` makes filters; without `is_explained` the hits have no parts. Raises `UsageError`
        for a `limit` under 1, `StoreError` where the memories cannot be read.
        """
        check_limit(limit)
        return self._loaded.find(query, limit, self._config, filters, is_explained)

    def why_silent(self, prompt: str) -> str:
        """Why the hook says nothing to a prompt, in a few words; "" where it has an answer. Costs a recall."""
        closed = self._closed_gate(prompt)
        if closed or self.recall(prompt, is_explained=False):
            return closed
        if self.strategy == HYBRID and self._loaded.find(prompt, 1, self._config, is_explained=False):
            return f"no memory is sure enough for `{self.setting}`"
        return "no memory matches" if self.memory_count else "the project has no memories"

    def _closed_gate(self, prompt: str) -> str:
        if twin.is_too_short(prompt):
            return "the prompt is under 10 characters"
        if not self._config.enabled:
            return "recall is switched off by `retrieval.enabled`"
        if not self._config.injects:
            return "recall is switched off by `retrieval.max_inject`"
        if self._loaded.is_silenced(self._config):
            return "index.md is missing and a memory is damaged; the hook answers from the next prompt on"
        return ""


def locate(environment: Environment, root: "Path | None") -> "Project":
    """Folder and memory folder of the project that `root` or the environment names; `StoreError` without one."""
    return locate_project(root, environment.root, environment.home)
