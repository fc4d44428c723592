"""The library's way to memories: what the hook would inject for a prompt, and search without its gate."""

from ..files.environment import Environment
from ..files.locate import locate
from .loaded_project import HOST, LoadedProject, as_strategy, check_limit
from .prompt_recall import PromptRecall
from .rerank import check_rerank

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from ..protocol.request import Filters
    from ..settings.options import GateSetting, Strategy
    from .boost import Boost
    from .hit import Hit
    from .injection import Injection
    from .rerank import Rerank
    from .trace import Trace

    Path = str | os.PathLike[str]

DEFAULT_LIMIT = 10


def recall_prompt(
    prompt: str,
    history: "Sequence[str]" = (),
    *,
    root: "Path | None" = None,
    strategy: "Strategy | None" = None,
    setting: "GateSetting | None" = None,
) -> "list[Hit]":
    """What the hook would inject for a prompt, best first; see `Recaller.recall` and `Recaller` for errors."""
    return Recaller(root=root, strategy=strategy).recall(prompt, history, setting=setting)


def search(
    query: str, *, root: "Path | None" = None, strategy: "Strategy | None" = None, limit: int = DEFAULT_LIMIT
) -> "list[Hit]":
    """The memories that fit a query best; see `Recaller.search` and `Recaller` for errors."""
    return Recaller(root=root, strategy=strategy).search(query, limit=limit)


class Recaller:
    """The memories of a project as they are now, made ready for many queries.

    `root` is a project or its `.claude/memory`; without it, `CUECARD_ROOT` or the nearest project with memories
    from the working directory upwards. `strategy` goes before `CUECARD_STRATEGY`, and that before the project's
    configuration. Without `heeds_trust` every memory counts as reviewed. Raises `StoreError` where there are no
    memories, `UsageError` for an unknown strategy.

    Configuration and memories are read once, the memories with the first query; each query looks at the files of the
    memories that it shows. No memory is ever written: what is missing or out of step is made good in memory alone. Only
    a snapshot of which prompts have made a part is completed on disk.
    """

    __slots__ = ("_config", "_loaded")

    def __init__(
        self, *, root: "Path | None" = None, strategy: "Strategy | None" = None, heeds_trust: bool = True
    ) -> None:
        as_strategy(strategy)
        self._loaded = LoadedProject(locate(Environment(), root), heeds_trust=heeds_trust)
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
        boost: "Boost | None" = None,
        rerank: "Rerank | None" = None,
    ) -> "list[Hit]":
        """What the hook would inject for a prompt, best first; `why_silent` says why there is nothing.

        `history` are the session's prompts before it, the oldest first; `setting` and `limit` go before the project's.
        A `boost` gives each hit that the gate lets through a factor of 0 to 2 for its score (see `boost.boosted`): it
        reorders and drops, and never opens the gate; a `rerank` then says which are kept, and in which order. A host's
        limit on characters can cut the tail of what is printed. Raises `StoreError` where the memories cannot be read,
        `UsageError` for an unknown setting or a limit under 1.
        """
        return PromptRecall(self._loaded, self._config, setting, limit).recall(
            prompt, history, is_explained, boost, rerank
        )

    def inject(
        self,
        prompt: str,
        history: "Sequence[str]" = (),
        *,
        setting: str | None = None,
        limit: int | None = None,
        host: str = HOST,
    ) -> "Injection":
        """The block that the hook gives a host for a prompt, and how each memory of `recall` stands in it.

        As in a session that has been shown nothing yet. Reads the files of the memories. Raises as `recall` does, and
        `UsageError` for an unknown host.
        """
        return PromptRecall(self._loaded, self._config, setting, limit).inject(prompt, history, host)

    def trace(
        self,
        prompt: str,
        memory: str,
        history: "Sequence[str]" = (),
        *,
        setting: str | None = None,
        limit: int | None = None,
        filters: "Filters | None" = None,
    ) -> "Trace":
        """Why `recall` shows a memory for a prompt, or does not, stage by stage.

        `memory` is an id, `CATEGORY/ID` or a path (`decisions/cache.json`); `filters` are those of a search, the
        rest is as in `recall`. Costs two recalls. Raises `UsageError` for strategies other than `hybrid` and unknown
        settings, `MissingError` where there is no such memory, `StoreError` where there are several.
        """
        return PromptRecall(self._loaded, self._config, setting, limit).trace(prompt, memory, history, filters)

    def search(
        self,
        query: str,
        *,
        limit: int = DEFAULT_LIMIT,
        filters: "Filters | None" = None,
        is_explained: bool = True,
        boost: "Boost | None" = None,
        rerank: "Rerank | None" = None,
    ) -> "list[Hit]":
        """At most `limit` memories that fit a query, best first, however short it is and whatever is switched off.

        `search_filters.read_filters` makes filters; without `is_explained` the hits have no parts. A `boost` gives
        each of the `candidate_pool` best a factor of 0 to 2 for its score (see `boost.boosted`), a `rerank` behind it
        says which of them are kept, and in which order (see `rerank.reranked`). Raises `UsageError` for a `limit` under
        1, `StoreError` where the memories cannot be read.
        """
        check_limit(limit)
        check_rerank(rerank)
        asked = self._loaded.ask(query, self._config, filters=filters)
        return self._loaded.find(asked, limit, None, boost, rerank, is_explained=is_explained)

    def why_silent(
        self,
        prompt: str,
        history: "Sequence[str]" = (),
        *,
        setting: str | None = None,
        limit: int | None = None,
    ) -> str:
        """Why the hook says nothing to a prompt, in a few words; "" where it has an answer. Costs a recall."""
        return PromptRecall(self._loaded, self._config, setting, limit).why_silent(prompt, history)
