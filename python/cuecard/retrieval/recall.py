"""Searches a project's memories, and answers prompts as the hook does."""

from .._backend import gate_threshold, is_continued, is_slash_command, is_too_short, typed_text
from ..basics.chars import WHITESPACE
from ..errors import UsageError
from ..files.locate import locate
from ..store.scopes.scoped_stores import find_in_stores
from .config import HYBRID
from .injection import Injection
from .loaded_project import HOST, LoadedProject, check_limit
from .options import PromptOptions, RecallOptions, SearchOptions, check_names
from .rerank import check_rerank
from .search_filters import read_filters
from .snapshot_recall import OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Unpack

    from .._backend import Filters
    from ..basics.options import HostName, Strategy
    from .config import Config
    from .hit import Hit
    from .options import Path
    from .snapshot_recall import PromptQuery
    from .trace import Trace

DEFAULT_K = 10


class Recall:
    """The memories of a project, loaded once, at the first call of a method.

    Settings and memories are read once; each answer reads the files of the memories that it shows. Only the event log
    is written. `Store` has the same methods, but each call of them uses the current memories.
    """

    def __init__(self, loaded: LoadedProject, config: "Config | None" = None) -> None:
        """`config` overrides the project's settings."""
        self.root = loaded.root
        """The project's folder."""
        self._loaded = loaded
        self._settings = config

    def search(self, text: str, k: int = DEFAULT_K, **options: "Unpack[SearchOptions]") -> "list[Hit]":
        """Up to `k` memories that fit a text best, best first.

        A search has no gate: it finds memories for texts of any length, also if recall is switched off. Hits have parts
        only with `explain`. The parts of `tfidf` are the ranks among all active memories, so with filters they need not
        sum to the score. Raises `UsageError` for an invalid value, `StoreError` if memories cannot be read, `TypeError`
        for an unknown option. Cost: one pass over the index, and the files of the memories found.
        """
        return self.search_many([text], k, **options)[0]

    def search_many(
        self, texts: "Iterable[str]", k: int = DEFAULT_K, **options: "Unpack[SearchOptions]"
    ) -> "list[list[Hit]]":
        """Like `search`, for several texts and the same state of the memories. Returns the hits of each text."""
        if isinstance(texts, str):
            raise UsageError("`texts` is a single string", "use a list of strings, or `search`")
        check_names(options, SearchOptions)
        check_limit(k)
        boost, rerank = options.get("boost"), options.get("rerank")
        check_rerank(rerank)
        filters = read_filters(options)
        loaded = self._load()
        config = self._config(loaded, options.get("strategy"))
        asked = (loaded.ask(text, config, filters=filters) for text in texts)
        is_explained = bool(options.get("explain"))
        return [loaded.find(query, k, None, boost, rerank, is_explained=is_explained) for query in asked]

    def recall(self, prompt: str, history: "Sequence[str]" = (), **options: "Unpack[RecallOptions]") -> "list[Hit]":
        """The memories that the hook would inject for a prompt, best first; empty if it would print nothing.

        `history` are the session's earlier prompts, the oldest first. Hits have a `probability` with the strategy
        `hybrid`. A host's limit on characters can cut off the last memories in the hook's output. Raises what `search`
        raises.
        """
        check_names(options, PromptOptions, RecallOptions)
        boost, rerank = options.get("boost"), options.get("rerank")
        check_rerank(rerank)
        asked = _Asked(self, prompt, history, options)
        if asked.find_obstacle():
            return []
        is_explained = bool(options.get("explain"))
        return asked.loaded.find(
            asked.query(), asked.limit, asked.judged_history, boost, rerank, is_explained=is_explained
        )

    def inject(
        self,
        prompt: str,
        history: "Sequence[str]" = (),
        host: "HostName" = HOST,
        **options: "Unpack[PromptOptions]",
    ) -> Injection:
        """The block that the hook prints for a host and a prompt, and how each memory of `recall` appears in it.

        A memory appears in full, with its gist, by its title, or not at all; `Injected.outcome` says which. The block
        is for a session that has not been shown any memory yet. Raises what `search` raises. Cost: a recall, and the
        files of its memories.
        """
        check_names(options, PromptOptions)
        asked = _Asked(self, prompt, history, options)
        if asked.find_obstacle():
            return Injection("", 0, ())
        return asked.loaded.inject(asked.query(), asked.limit, history, host)

    def trace(
        self,
        prompt: str,
        memory: str,
        history: "Sequence[str]" = (),
        filters: "Filters | None" = None,
        **options: "Unpack[PromptOptions]",
    ) -> "Trace":
        """Explain why `recall` shows a memory for a prompt, or why it does not, with the numbers of every stage.

        `memory` is an id, `CATEGORY/ID` or a path. Points are in units of 1/4096, the gate's features in units of
        1/1024. `filters` are the filters of a search, from `read_filters`. Raises `UsageError` for a strategy other
        than `hybrid`, `MissingError` if there is no such memory, `StoreError` if several match. Cost: two recalls.
        """
        check_names(options, PromptOptions)
        asked = _Asked(self, prompt, history, options)
        _store, _category, path = find_in_stores(asked.loaded.stores, memory)
        return asked.loaded.trace(asked.query(filters), path, asked.limit, history, asked.find_obstacle())

    def why_silent(self, prompt: str, history: "Sequence[str]" = (), **options: "Unpack[PromptOptions]") -> str:
        """Why the hook prints nothing for a prompt, in a few words; "" if it prints memories.

        Raises what `search` raises. Cost: a recall, and two more if the gate rejects every memory.
        """
        asked = _Asked(self, prompt, history, options)
        obstacle = asked.find_obstacle()
        if obstacle or self.recall(prompt, history, **options):
            return obstacle
        loaded, config = asked.loaded, asked.config
        is_gated = config.strategy == HYBRID and asked.setting != OFF
        ungated = loaded.ask(prompt, config, history) if is_gated else None
        near = loaded.find(ungated, 1, is_explained=False) if ungated else []
        if near:
            found = self.trace(prompt, near[0].path, history, **options)
            judge = f"the judge {found.judge}" if found.judge.startswith("keeps none") else ""
            if found.outcome == "verdict":
                return "you have said that what matches is wrong for such a prompt; `cuecard wrong --list` shows it"
            if found.outcome == "withheld":
                return "what matches is withheld; `cuecard trust` shows it"
            return found.silence or judge or f"no memory is sure enough for `{asked.setting}`"
        return "no memory matches" if loaded.count(config) else "the project has no memories"

    @property
    def strategy(self) -> str:
        """The strategy that is used if a call names no strategy."""
        return self._config(self._load()).strategy

    @property
    def setting(self) -> str:
        """The gate's setting that is used if a call names no setting: `precise`, `balanced`, `eager` or `off`."""
        return self._config(self._load()).recall.gate_setting

    @property
    def memory_count(self) -> int:
        """The number of active memories. Cost: reads every memory. Raises `StoreError` if memories cannot be read."""
        loaded = self._load()
        return loaded.count(self._config(loaded))

    @property
    def notes(self) -> list[str]:
        """The sentences that the hook would log about the answers so far, without repetitions."""
        return self._load().notes

    def _load(self) -> LoadedProject:
        """The loaded project that answers a call."""
        return self._loaded

    def _config(self, loaded: LoadedProject, strategy: "Strategy | None" = None) -> "Config":
        """The settings for a call. `strategy` is the strategy that the call names, if any."""
        return loaded.config(strategy) if strategy is not None or self._settings is None else self._settings


class _Asked:
    """A prompt of one call, with the settings for that call."""

    def __init__(
        self, recall: Recall, prompt: str, history: "Sequence[str]", options: "PromptOptions | RecallOptions"
    ) -> None:
        """Raises UsageError for invalid options, and for a history that is a string."""
        if isinstance(history, str):
            raise UsageError("`history` is a single string", "use a list of prompts, the oldest first")
        setting, limit = options.get("setting"), options.get("limit")
        if limit is not None:
            check_limit(limit)
        self.loaded = recall._load()
        self.config = recall._config(self.loaded, options.get("strategy"))
        self.setting = self.config.recall.gate_setting if setting is None else setting
        self.limit = self.config.max_inject if limit is None else limit
        # The judge is not asked if a call switches the gate off: the caller wants to see every memory.
        self.judged_history = None if setting == OFF else history
        self._prompt, self._history = typed_text(prompt), history
        self._not_typed = "" if self._prompt else _why_not_typed(prompt)
        gate_threshold(self.setting)

    def query(self, filters: "Filters | None" = None) -> "PromptQuery":
        """The prompt as a query for the retrievers."""
        return self.loaded.ask(self._prompt, self.config, self._history, self.setting, filters, is_prompt=True)

    def find_obstacle(self) -> str:
        """Why the prompt gets no answer even if memories match, in a few words; "" if there is no such reason.

        A prompt that continues the prompts before it may be short.
        """
        prompt, config = self._prompt, self.config
        if self._not_typed:
            return self._not_typed
        if is_too_short(prompt) and not self._goes_on():
            return "the prompt is under 10 characters"
        if not config.enabled:
            return "recall is switched off by `retrieval.enabled`"
        if not config.injects:
            return "recall is switched off by `retrieval.max_inject`"
        if self.loaded.is_silenced(config):
            return "index.md is missing and a memory is damaged; the hook answers from the next prompt on"
        return ""

    def _goes_on(self) -> bool:
        config = self.config
        has_session = config.strategy == HYBRID and not config.is_classic and config.recall.session
        return has_session and is_continued(list(self._history), self._prompt)


def _why_not_typed(prompt: str) -> str:
    """Why the user typed nothing of a prompt, in a few words; "" if it is empty."""
    if is_slash_command(prompt):
        return "the prompt is a slash command, which only the host handles"
    return "the prompt was made by a program" if prompt.strip(WHITESPACE) else ""


def open_recall(root: "Path | None" = None, *, strategy: "Strategy | None" = None, heeds_trust: bool = True) -> Recall:
    """The memories of a project, loaded once; `root` is as in `Store`.

    Without `heeds_trust` every memory counts as reviewed. Raises `StoreError` if there are no memories, `UsageError`
    for an unknown strategy.
    """
    loaded = LoadedProject(locate(root), heeds_trust=heeds_trust)
    return Recall(loaded, loaded.config(strategy))
