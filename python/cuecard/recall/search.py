"""The library's way to memories: what the hook would inject for a prompt, and search without its gate."""

import sys

from .._backend import twin
from ..errors import UsageError
from ..store.root import locate_project
from .environment import Environment
from .hit import Hit, Part
from .prompt_path import Answer, Config, Project, find_hits, load_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from .._pure.index_md import IndexMd

    Path = str | os.PathLike[str]

DEFAULT_LIMIT = 10


def recall_prompt(prompt: str, *, root: "Path | None" = None, strategy: str | None = None) -> list[Hit]:
    """What the hook would inject for a prompt, best first; see `Recaller.recall` and `Recaller` for errors."""
    return Recaller(root=root, strategy=strategy).recall(prompt)


def search(
    query: str, *, root: "Path | None" = None, strategy: str | None = None, limit: int = DEFAULT_LIMIT
) -> list[Hit]:
    """The memories that fit a query best; see `Recaller.search` and `Recaller` for errors."""
    return Recaller(root=root, strategy=strategy).search(query, limit=limit)


class Recaller:
    """The memories of a project, made ready for many queries.

    `root` is a project or its `.claude/memory`; without it, `CUECARD_ROOT` or the nearest project with memories
    from the working directory upwards. `strategy` goes before `CUECARD_STRATEGY`, and that before the project's
    configuration. Raises `StoreError` where there are no memories, `UsageError` for an unknown strategy.

    Configuration and index are read once, the index with the first query; each query reads the files of its 20
    best memories. Nothing is ever written: a missing or stale index is rebuilt in memory alone.
    """

    __slots__ = ("_answer", "_config", "_index", "_is_damaged", "_is_loaded", "_notes", "_project")

    def __init__(self, *, root: "Path | None" = None, strategy: str | None = None) -> None:
        if strategy is not None:
            twin.revision_of(strategy)
        environment = Environment()
        self._project = locate(environment, root)
        self._notes: dict[str, None] = {}
        self._answer = Answer()
        self._config = Config(self._project[1], environment, self._answer.notes)
        if strategy is not None:
            self._config.strategy = twin.find_strategy(strategy) or strategy
        self._index: IndexMd | None = None
        self._is_loaded = False
        self._is_damaged = False
        self._keep(self._answer.notes)

    @property
    def root(self) -> str:
        """The project's folder."""
        return self._project[0]

    @property
    def strategy(self) -> str:
        """The strategy that serves the queries."""
        return self._config.strategy

    @property
    def memory_count(self) -> int:
        """How many memories the index has; raises `StoreError` where it cannot be read."""
        index = self._load()
        return 0 if index is None else len(index)

    @property
    def notes(self) -> list[str]:
        """What the hook would log about the queries so far: a sentence each, none twice."""
        return list(self._notes)

    def recall(self, prompt: str) -> list[Hit]:
        """What the hook would inject for a prompt, best first; `why_silent` says why there is nothing.

        A host's limit on characters can cut the tail of what is printed. Raises `StoreError` where the index
        cannot be read.
        """
        if self._closed_gate(prompt):
            return []
        return self._find(prompt, self._config.max_inject)

    def search(self, query: str, *, limit: int = DEFAULT_LIMIT) -> list[Hit]:
        """At most `limit` memories that fit a query, best first, however short it is and whatever is switched off.

        Raises `UsageError` for a `limit` under 1, `StoreError` where the index cannot be read.
        """
        if limit < 1:
            raise UsageError(f"the limit is {limit}", "use 1 or more")
        return self._find(query, limit)

    def why_silent(self, prompt: str) -> str:
        """Why the hook says nothing to a prompt, in a few words; "" where it has an answer. Costs a recall."""
        closed = self._closed_gate(prompt)
        if closed or self._find(prompt, self._config.max_inject):
            return closed
        return "no memory matches"

    def _closed_gate(self, prompt: str) -> str:
        if twin.is_too_short(prompt):
            return "the prompt is under 10 characters"
        if not self._config.enabled:
            return "recall is switched off by `retrieval.enabled`"
        if not self._config.injects:
            return "recall is switched off by `retrieval.max_inject`"
        if self._load() is None:
            return "the project has no memories"
        if self._is_damaged:
            return "index.md is missing and a memory is damaged; the hook answers from the next prompt on"
        return ""

    def _find(self, query: str, limit: int) -> list[Hit]:
        index = self._load()
        if index is None:
            return []
        notes: list[str] = []
        found = find_hits(index, query, self._project, self._config, limit, notes)
        self._keep(notes)
        revision, descriptions = twin.revision_of(self.strategy), self._config.descriptions
        hits = []
        for position, score, recency in found:
            category, title, path, tags, line = index.entry(position)
            parts = [Part(*part) for part in index.explain(position, query, revision, descriptions)]
            if recency:
                parts.append(Part("recency", "", "", recency))
            hits.append(Hit(category, title, path, tuple(tags), score, line, tuple(parts)))
        return hits

    def _load(self) -> "IndexMd | None":
        if not self._is_loaded:
            self._index = load_index(self._project, self._answer, sys.maxsize)
            self._is_loaded = True
            if self._index is None and self._answer.rebuilt_index:
                # The hook waits for the next prompt here; a search makes do with the memories that are sound.
                self._is_damaged = True
                self._index = twin.IndexMd(self._answer.rebuilt_index[1].encode())
            self._keep(self._answer.notes)
        return self._index

    def _keep(self, notes: list[str]) -> None:
        self._notes.update(dict.fromkeys(notes))


def locate(environment: Environment, root: "Path | None") -> Project:
    """Folder and memory folder of the project that `root` or the environment names; `StoreError` without one."""
    return locate_project(root, environment.root, environment.home)
