"""A project's settings and memories as they were at one moment, and what is found in them (SPEC 22.7, 23)."""

import sys
import time
from _thread import allocate_lock

from .._backend import twin
from ..errors import StoreError, UsageError
from ..store.snapshot_file import Budget, load_snapshot
from .environment import Environment
from .hit import Hit, Part
from .index_recall import find_hits, load_index
from .prompt_path import HYBRID, Answer, Config
from .snapshot_recall import Asked, find_memories, recall_memories
from .trace import Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._pure.filters import Filters
    from .._pure.index_md import IndexMd
    from .._pure.snapshot import Snapshot
    from .prompt_path import Project

# The gate's setting that lets everything through.
OFF = "off"


class LoadedProject:
    """The settings and memories of a project, each read when it is first asked for; threads may share it.

    Nothing is ever written: what is missing or out of step is made good in memory alone.
    """

    __slots__ = ("_configs", "_index", "_is_damaged", "_lock", "_notes", "_project", "_snapshot")

    def __init__(self, project: "Project") -> None:
        """Of a project's folder and memory folder."""
        self._project = project
        self._configs: dict[str | None, Config] = {}
        self._notes: dict[str, None] = {}
        self._lock = allocate_lock()
        # Empty until they are read; None where there is none.
        self._snapshot: tuple[()] | tuple[Snapshot | None] = ()
        self._index: tuple[()] | tuple[IndexMd | None] = ()
        self._is_damaged = False

    @property
    def root(self) -> str:
        """The project's folder."""
        return self._project[0]

    @property
    def notes(self) -> list[str]:
        """What the hook would log: a sentence each, none twice."""
        return list(self._notes)

    def config(self, strategy: str | None = None) -> Config:
        """The settings, a strategy put before the environment's and theirs. Raises UsageError for an unknown one."""
        found = self._configs.get(strategy)
        if found is None:
            environment, notes = Environment(), list[str]()
            if strategy is not None:
                check_strategy(strategy)
                environment.strategy = strategy
            found = self._configs[strategy] = Config(self._project[1], environment, notes)
            self._keep(notes)
        return found

    def count(self, config: Config) -> int:
        """How many memories can be found; reads each. Raises StoreError where `index.md` is needed and unreadable."""
        snapshot = None if config.is_classic else self._load_snapshot(config)
        if snapshot:
            return len(snapshot.active_lines())
        index = self._load_index()
        return 0 if index is None else len(index)

    def is_silenced(self, config: Config) -> bool:
        """Whether the hook waits for the next prompt because `index.md` is missing and a memory is damaged."""
        if config.is_classic or self._load_snapshot(config) is None:
            self._load_index()
            return self._is_damaged
        return False

    def find(
        self,
        text: str,
        limit: int,
        config: Config,
        filters: "Filters | None" = None,
        is_explained: bool = True,
        history: "Sequence[str]" = (),
        setting: str = OFF,
    ) -> list[Hit]:
        """At most `limit` memories for a text, best first.

        As the plugin would where the settings say so, from `index.md`; it has no dates and no statuses, so filters
        are answered from the snapshot all the same. `history`, the prompts before the text, and the gate's `setting`
        count for `hybrid` only. Raises StoreError where `index.md` is needed and unreadable, UsageError for a setting.
        """
        notes: list[str] = []
        snapshot = None if config.is_classic and filters is None else self._load_snapshot(config)
        if snapshot and config.strategy == HYBRID:
            asked = Asked(text, list(history), setting)
            hits = self._recall(snapshot, asked, limit, config, filters, is_explained, notes)
        elif snapshot:
            hits = self._find_in_snapshot(snapshot, text, limit, config, filters, is_explained, notes)
        else:
            hits = self._find_in_index(text, limit, config, is_explained, notes)
        self._keep(notes)
        return hits

    def trace(self, text: str, path: str, limit: int, config: Config, history: "Sequence[str]", setting: str) -> Trace:
        """Why hybrid recall shows the memory at a path for a text, or does not.

        Raises UsageError for another strategy or setting, StoreError where there is no such memory.
        """
        snapshot = self._load_snapshot(config)
        if config.strategy != HYBRID or snapshot is None:
            raise UsageError(f"`{config.strategy}` has no stages to trace", f"use the strategy `{HYBRID}`")
        least = twin.gate_threshold(setting)
        position = snapshot.find(path)
        if position is None:
            raise StoreError(f"there is no memory at `{path}`", "`cuecard list` shows what there is")
        now = time.time_ns() // 1000
        traced = snapshot.trace(
            position, text, list(history), limit, config.descriptions, config.synonyms, config.recall, now
        )
        return Trace(traced, setting, least, limit)

    def _recall(
        self,
        snapshot: "Snapshot",
        asked: Asked,
        limit: int,
        config: Config,
        filters: "Filters | None",
        is_explained: bool,
        notes: list[str],
    ) -> list[Hit]:
        hits = []
        for memory in recall_memories(snapshot, asked, self._project, config, limit, notes, filters):
            line = twin.parse_index_line(memory.line)
            if line is None:
                continue
            category, title, path, tags = line
            parts: list[Part] = []
            if is_explained:
                traced = snapshot.trace(
                    memory.position,
                    asked.prompt,
                    asked.history,
                    limit,
                    config.descriptions,
                    config.synonyms,
                    config.recall,
                    asked.now,
                )
                parts = _parts(traced[3], 0)
            probability = None if memory.probability is None else memory.probability / 1024
            hits.append(Hit(category, title, path, tuple(tags), memory.score, tuple(parts), probability))
        return hits

    def _find_in_snapshot(
        self,
        snapshot: "Snapshot",
        text: str,
        limit: int,
        config: Config,
        filters: "Filters | None",
        is_explained: bool,
        notes: list[str],
    ) -> list[Hit]:
        hits = []
        for memory in find_memories(snapshot, text, self._project, config, limit, notes, filters):
            line = twin.parse_index_line(memory.line)
            if line is None:
                continue
            category, title, path, tags = line
            parts: list[Part] = []
            if is_explained:
                explained = snapshot.explain(
                    memory.position, text, config.strategy, config.descriptions, config.synonyms
                )
                parts = _parts(explained, memory.recency)
            hits.append(Hit(category, title, path, tuple(tags), memory.score, tuple(parts)))
        return hits

    def _find_in_index(self, text: str, limit: int, config: Config, is_explained: bool, notes: list[str]) -> list[Hit]:
        index = self._load_index()
        if index is None:
            return []
        revision = twin.revision_of(config.strategy)
        hits = []
        for position, score, recency in find_hits(index, text, self._project, config, limit, notes):
            category, title, path, tags, _line = index.entry(position)
            parts: list[Part] = []
            if is_explained:
                parts = _parts(index.explain(position, text, revision, config.descriptions), recency)
            hits.append(Hit(category, title, path, tuple(tags), score, tuple(parts)))
        return hits

    def _load_snapshot(self, config: Config) -> "Snapshot | None":
        with self._lock:
            if not self._snapshot:
                loaded = load_snapshot(self._project, config.numbers, Budget())
                if loaded:
                    self._keep(loaded.notes)
                else:
                    self._keep(["the memories cannot be listed; answering from index.md"])
                self._snapshot = (loaded.snapshot if loaded else None,)
            return self._snapshot[0]

    def _load_index(self) -> "IndexMd | None":
        with self._lock:
            if not self._index:
                answer = Answer()
                index = load_index(self._project, answer, sys.maxsize)
                if index is None and answer.rebuilt_index:
                    # The hook waits for the next prompt here; a search makes do with the memories that are sound.
                    self._is_damaged = True
                    index = twin.IndexMd(answer.rebuilt_index[1].encode())
                self._keep(answer.notes)
                self._index = (index,)
            return self._index[0]

    def _keep(self, notes: list[str]) -> None:
        self._notes.update(dict.fromkeys(notes))


def check_strategy(strategy: str) -> None:
    """Raises UsageError where there is no such strategy."""
    twin.revision_of(strategy)


def check_limit(limit: int) -> None:
    """Raises UsageError where nothing could be found."""
    if limit < 1:
        raise UsageError(f"the limit is {limit}", "use 1 or more")


def _parts(explained: list[tuple[str, str, str, int]], recency: int) -> list[Part]:
    parts = [Part(*part) for part in explained]
    return [*parts, Part("recency", "", "", recency)] if recency else parts
