"""A project's settings and memories, loaded once, and the search in them (SPEC 22.7, 23)."""

import sys
from _thread import allocate_lock
from contextlib import suppress

from .._backend import (
    ASKED,
    HEEDED,
    HOLDS,
    IGNORED,
    MARKED,
    NAMED,
    SHOWN,
    Budget,
    KeptTerms,
    SituationSources,
    budget_of,
    describe_validity,
    engine,
    estimate_tokens,
    find_hits,
    gate_threshold,
    is_sibling,
    load_index,
    outcomes_of_lines,
    render,
    revision_of,
)
from ..basics.json_reader import read_json_object
from ..errors import StoreError, UsageError
from ..files.environment import Environment
from ..files.scopes import USER
from ..files.store_files import StoreFiles, store_of
from ..files.trust_levels import UNREVIEWED
from ..models.sent_log import log_sent
from ..store.scopes.scoped_stores import stores_of_project
from .boost import boosted
from .config import HYBRID, Config
from .hit import Hit, Part
from .injection import Injected, Injection
from .query_embedding import LastQuerySimilarities, add_query_similarities
from .rerank import reranked
from .snapshot_recall import OFF, ProjectSnapshot, PromptQuery
from .trace import JUDGED, Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._backend import Filters, IndexEntry, IndexLine, IndexMd, RecalledMemory, ScorePart, Snapshot
    from ..basics.options import HostName
    from ..files.root import Project
    from ..files.scopes import ScopedStore
    from ..models.judging import Memo
    from .boost import Boost, Explain, ExplainedHit
    from .rerank import Rerank
    from .snapshot_recall import Chosen

# The host whose limit on characters applies if no host asks.
HOST: "HostName" = "claude-code"
COURTESY = "the prompt is nothing but a courtesy"


class LoadedProject:
    """The settings and memories of a project, each loaded at its first use. Threads may share this object.

    It writes only the event log, the log of texts sent to endpoints, and a snapshot that it has completed. Other
    missing or outdated data is rebuilt in memory.
    """

    def __init__(self, project: "Project", *, heeds_trust: bool = True) -> None:
        """Take the project's folder and memory folder. Without `heeds_trust` every memory counts as reviewed."""
        self._heeds_trust = heeds_trust
        self._project = project
        self._configs: dict[str | None, Config] = {}
        self._notes: dict[str, None] = {}
        self._lock = allocate_lock()
        # An empty tuple until loaded; then one item, which is None if there is no file.
        self._snapshot: tuple[()] | tuple[Snapshot | None] = ()
        self._index: tuple[()] | tuple[IndexMd | None] = ()
        self._stores: tuple[ScopedStore, ...] = ()
        self._is_damaged = False
        # The last answers of the judge.
        self._judged: Memo = {}
        # The last similarities of the embedder.
        self._similarities = LastQuerySimilarities()

    @property
    def root(self) -> str:
        """The project's folder."""
        return self._project[0]

    @property
    def project(self) -> "Project":
        """The project's folder and its memory folder."""
        return self._project

    @property
    def stores(self) -> "list[ScopedStore]":
        """The stores that count for the project, its own first (SPEC 48)."""
        if not self._stores:
            counting = [store for store in stores_of_project(self._project) if not store.left_out]
            self._stores = tuple(counting)
        return list(self._stores)

    @property
    def notes(self) -> list[str]:
        """The sentences that the hook would log, without repetitions."""
        return list(self._notes)

    def config(self, strategy: str | None = None) -> Config:
        """The settings; `strategy` replaces the configured strategy. Raises UsageError for an unknown strategy."""
        found = self._configs.get(strategy)
        if found is None:
            environment, notes = Environment(), list[str]()
            if strategy is not None:
                revision_of(strategy)
                environment.options["--strategy"] = strategy
            found = self._configs[strategy] = Config(self._project[1], environment, notes)
            self._keep(notes)
        return found

    def count(self, config: Config) -> int:
        """The number of memories that can be found. Cost: reads every memory.

        Raises StoreError if `index.md` is needed and unreadable.
        """
        snapshot = None if config.is_classic else self._load_snapshot(config)
        if snapshot:
            return len(snapshot.active_lines)
        index = self._load_index()
        return 0 if index is None else len(index.entries)

    def is_silenced(self, config: Config) -> bool:
        """Whether the hook would skip a prompt now, because `index.md` is missing and a memory is damaged."""
        if config.is_classic or self._load_snapshot(config) is None:
            self._load_index()
            return self._is_damaged
        return False

    def find(
        self,
        query: PromptQuery,
        limit: int,
        before: "Sequence[str] | None" = None,
        boost: "Boost | None" = None,
        rerank: "Rerank | None" = None,
        *,
        is_explained: bool = True,
    ) -> list[Hit]:
        """Up to `limit` memories for a query from `ask`, best first.

        In classic mode `index.md` is searched as in the claude-memory plugin. It has no dates and statuses, so a search
        with filters always uses the snapshot. `boost` and `rerank` get the memories that pass the gate, or without a
        gate the `candidate_pool` best memories. The configured judge is asked only for `hybrid`, and only if `before`,
        the session's prompts, is not None. Raises StoreError if `index.md` is needed and unreadable, UsageError for an
        invalid setting.
        """
        config, wanted = query.config, limit
        if boost or rerank:
            is_gated = config.strategy == HYBRID and query.setting != OFF
            wanted = max(limit, JUDGED if is_gated else config.recall.candidate_pool)
        snapshot = None if config.is_classic and query.filters is None else self._load_snapshot(config)
        notes: list[str] = []
        siblings = 0
        if snapshot:
            store = ProjectSnapshot(snapshot, self._project, notes)
            memories = self._choose(store, query, wanted, before).memories
            if boost or rerank:
                memories = [memory for memory in memories if not is_sibling(memory)]
            siblings = sum(map(is_sibling, memories))
            found = self._explained(store, query, wanted, memories)
        else:
            found = self._find_in_index(query.prompt, wanted, config, notes)
        self._keep(notes)
        if boost:
            found = boosted(found, boost)
        if rerank:
            found = reranked(query.prompt, found, rerank)
        # Siblings come in addition to the wanted memories.
        found = found[: limit + siblings]
        return (
            [hit.with_score(hit.score, tuple(explain())) for hit, explain in found]
            if is_explained
            else [hit for hit, _explain in found]
        )

    def ask(
        self,
        text: str,
        config: Config,
        history: "Sequence[str]" = (),
        setting: str = OFF,
        filters: "Filters | None" = None,
        *,
        is_prompt: bool = False,
    ) -> PromptQuery:
        """The query for a text, with the situation that the text and the project describe.

        `history`, the prompts before the text or what a session keeps of them, and the gate's `setting` are used by
        `hybrid` only. With `is_prompt`, memories withheld from agents are left out; otherwise they are marked.
        """
        query = PromptQuery(text, config, self._review(config, is_prompt=is_prompt), filters)
        query.past = ASKED if is_prompt else SHOWN
        query.setting = setting
        snapshot = None if config.is_classic and filters is None else self._load_snapshot(config)
        if config.strategy != HYBRID or snapshot is None:
            return query
        sources = SituationSources(text, self._project, config.recall)
        query.history = [*sources.before, *_texts_of(history)]
        query.texts = _texts_of(history)
        query.earlier = [line for line in history if isinstance(line, KeptTerms)]
        query.situation = sources.situation
        if config.embedding:
            notes: list[str] = []
            add_query_similarities(query, ProjectSnapshot(snapshot, self._project, notes), self._similarities)
            self._keep(notes)
            log_sent(self._project[1])
        return query

    def inject(self, query: PromptQuery, limit: int, before: "Sequence[str]", host: "HostName") -> Injection:
        """The block that the hook would print for a prompt in a session that has not been shown any memory yet.

        Raises StoreError if `index.md` is needed and unreadable, UsageError for an invalid setting or host.
        """
        config, budget_chars = query.config, budget_of(host)
        snapshot = None if config.is_classic else self._load_snapshot(config)
        if snapshot is None or config.strategy != HYBRID:
            hits = self.find(query, limit, is_explained=False)
            lines = [(hit.category, hit.title, hit.path, list(hit.tags)) for hit in hits]
            labels = [UNREVIEWED if hit.trust == UNREVIEWED else "" for hit in hits]
            block = render(lines, config.shown_descriptions, "safe", budget_chars, labels)
            outcomes = outcomes_of_lines(block, len(hits))
            tokens = estimate_tokens(block)
        else:
            store = ProjectSnapshot(snapshot, self._project, [])
            chosen = self._choose(store, query, limit, before)
            self._keep(store.notes)
            found = chosen.memories or chosen.named
            hits = [self._hit_of(memory, query) for memory in found]
            block, outcomes, tokens = store.pack(query, chosen, host)
        return Injection(block, tokens, tuple(map(Injected, hits, outcomes)))

    def trace(self, query: PromptQuery, path: str, limit: int, before: "Sequence[str]", silence: str) -> Trace:
        """Explain why hybrid recall shows the memory at `path` for a text, or why it does not.

        `silence` is the reason why the text gets no answer at all; "" if it gets one. Raises UsageError for another
        strategy or an unknown setting, StoreError if there is no such memory.
        """
        config, setting = query.config, query.setting
        snapshot = self._load_snapshot(config)
        if config.strategy != HYBRID or config.is_classic or snapshot is None:
            raise UsageError(f"`{config.strategy}` has no stages to trace", f"use the strategy `{HYBRID}`")
        usual = gate_threshold(setting)
        if usual is not None:
            usual += config.recall.gate_shift
        least = usual
        store = ProjectSnapshot(snapshot, self._project, [])
        position = snapshot.find(path)
        memory = None if position is None else store.verify(position, query.review)
        if position is None or memory is None:
            raise StoreError(f"`{path}` cannot be found by recall", "see what `cuecard health` says about it")
        place, outcome, judge, found = None, "", "", None
        if not silence:
            chosen = self._choose(store, query, limit, before)
            least = store.least_for(memory, chosen, query, limit)
            least = usual if least is None else least
            judge = chosen.judge_words
            shown = [memory.position for memory in chosen.memories]
            if position in shown:
                place = shown.index(position)
                found = chosen.memories[place].logit
                outcome = store.pack(query, chosen, HOST).outcomes[place]
            else:
                lost = [why for other, why in chosen.passed_over if other.position == position and why != "gate"]
                outcome = lost[0] if lost else ""
                if outcome == NAMED:
                    named = [other.position for other in chosen.named]
                    told = store.pack(query, chosen, HOST).outcomes[named.index(position)]
                    outcome = NAMED if told == NAMED else ""
        self._keep(store.notes)
        traced = store.trace(position, query, limit)
        heeds_paths = memory.heeds_paths(query.paths)
        features = tuple([feature for feature in traced.features if heeds_paths or feature.name != "path"])
        own = sum([feature.share for feature in features])
        is_for_subject = found is not None and least is not None and own < least <= found
        # A courtesy is answered only if it asks to continue with the subject of the history.
        if "chat" in traced.cues and least is not None and not silence and not (before and "continues" in traced.cues):
            silence = COURTESY
        similarities = query.similarities
        return Trace(
            category=memory.parts.category,
            title=memory.parts.title,
            path=path,
            tags=tuple(memory.parts.tags),
            status=memory.status,
            cues=tuple(traced.cues),
            terms=tuple(traced.terms),
            ranks=traced.ranks,
            parts=tuple([Part(*part) for part in traced.parts]),
            features=features,
            setting=setting,
            least=least,
            usual=usual,
            wanted=limit,
            place=place,
            outcome=outcome,
            silence=silence,
            judge=judge,
            subject_logit=found if is_for_subject else None,
            embedder=similarities.embedder if similarities else "static",
            embedder_note=similarities.note if similarities else "",
            trust=memory.level or "",
            is_withheld=memory.is_withheld,
        )

    def _explained(
        self, store: ProjectSnapshot, query: PromptQuery, limit: int, memories: "list[RecalledMemory]"
    ) -> "list[ExplainedHit]":
        strategy = query.config.strategy

        def explain(memory: "RecalledMemory") -> "Explain":
            if strategy == HYBRID:
                return lambda: _parts(store.trace(memory.found_as, query, memory.count).parts, 0)
            return lambda: _parts(store.explain(memory.found_as, query, limit), memory.recency)

        return [(self._hit_of(memory, query), explain(memory)) for memory in memories]

    def _choose(
        self, store: ProjectSnapshot, query: PromptQuery, limit: int, before: "Sequence[str] | None"
    ) -> "Chosen":
        """The memories that recall shows. If `before`, the session's prompts, is not None, the judge is asked too."""
        chosen = store.choose(query, limit)
        if query.config.strategy == HYBRID and query.config.judge and before is not None:
            store.judge(chosen, query, limit, _texts_of(before), self._judged)
            log_sent(self._project[1])
        return chosen

    def _review(self, config: Config, *, is_prompt: bool) -> str:
        """Whether the trust level of memories is ignored, heeded, or only marked: `IGNORED`, `HEEDED` or `MARKED`."""
        if not self._heeds_trust or not config.recall.reviews_trust or config.is_classic:
            return IGNORED
        return HEEDED if is_prompt else MARKED

    def _find_in_index(self, text: str, limit: int, config: Config, notes: list[str]) -> "list[ExplainedHit]":
        index = self._load_index()
        if index is None:
            return []
        revision = revision_of(config.strategy)

        def explain(position: int, recency: int) -> "Explain":
            return lambda: _parts(index.explain(position, text, revision, config.descriptions), recency)

        entries = index.entries
        return [
            (_hit(entries[position], score), explain(position, recency))
            for position, score, recency in find_hits(index, text, self._project, config, limit, notes)
        ]

    def _load_snapshot(self, config: Config) -> "Snapshot | None":
        with self._lock:
            if not self._snapshot:
                loaded = engine.load_snapshot(self.root, config.numbers, Budget())
                if loaded:
                    self._keep(loaded.notes)
                    if loaded.completes:
                        # Without this, the hook would need many more prompts to complete the snapshot.
                        with suppress(OSError):
                            loaded.write()
                else:
                    self._keep(["the memories cannot be listed; answering from index.md"])
                self._snapshot = (self._join(loaded.snapshot, config) if loaded else None,)
            return self._snapshot[0]

    def _join(self, snapshot: "Snapshot", config: Config) -> "Snapshot":
        """The snapshot with those of the other stores that count for the project."""
        first, *others = self.stores
        joined = [(snapshot, first.root, "", False, False)]
        for store in others:
            loaded = engine.load_snapshot(store.root, config.numbers, Budget())
            if loaded:
                joined.append((loaded.snapshot, store.root, store.label, store.scope == USER, store.is_counterpart))
        return type(snapshot).join(joined) if len(joined) > 1 else snapshot

    def _load_index(self) -> "IndexMd | None":
        with self._lock:
            if not self._index:
                read = load_index(self._project, sys.maxsize, engine.IndexMd)
                index = read.index
                if index is None and read.rebuilt:
                    # The hook skips this prompt; a search answers from the undamaged memories.
                    self._is_damaged = True
                    index = engine.IndexMd(read.rebuilt.encode())
                self._keep(read.notes)
                self._index = (index,)
            return self._index[0]

    def _hit_of(self, memory: "RecalledMemory", query: PromptQuery) -> Hit:
        """A memory as a hit, with its trust level if it has one, and with the reason if it is not valid."""
        found = _hit(memory.parts, memory.score, memory.probability)
        if memory.scope:
            found = found.with_scope(memory.scope)
        if memory.holds != HOLDS:
            memory_dir = store_of(memory.root) if memory.root else self._project[1]
            with StoreFiles(memory_dir) as files:
                record = read_json_object(files.read_if_any(found.path))
            found = found.with_validity(describe_validity(record, query.now) if record else "")
        return found.with_trust(memory.level, memory.is_withheld) if memory.level else found

    def _keep(self, notes: list[str]) -> None:
        self._notes.update(dict.fromkeys(notes))


def check_limit(limit: int) -> None:
    """Raise UsageError if a limit is below 1."""
    if limit < 1:
        raise UsageError(f"the limit {limit} is too small", "use 1 or more")


def _hit(line: "IndexLine | IndexEntry", score: int, probability: int | None = None) -> Hit:
    """A hit from the parts of an index line. `probability` is in units of 1/1024."""
    chance = None if probability is None else probability / 1024
    return Hit(line.category, line.title, line.path, tuple(line.tags), score, (), chance)


def _parts(explained: "list[ScorePart]", recency: int) -> list[Part]:
    parts = [Part(*part) for part in explained]
    return [*parts, Part("recency", "", "", recency)] if recency else parts


def _texts_of(history: "Sequence[str]") -> list[str]:
    """The earlier prompts of which the text is known."""
    return [text for text in history if not isinstance(text, KeptTerms)]
