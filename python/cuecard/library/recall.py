"""What a project's memories answer: searches, and prompts as the hook answers them."""

from .._backend import engine
from ..errors import UsageError
from ..files.environment import Environment
from ..files.locate import locate
from ..protocol.host import is_machine_made, is_slash_command, is_too_short
from ..protocol.session import is_continued
from ..recall.config import HYBRID
from ..recall.snapshot_recall import OFF
from .injection import Injection
from .loaded_project import HOST, LoadedProject, check_limit
from .options import PromptOptions, RecallOptions, SearchOptions, check_names
from .rerank import check_rerank
from .search_filters import read_filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Unpack

    from ..protocol.request import Filters
    from ..recall.config import Config
    from ..recall.snapshot_recall import PromptQuery
    from ..settings.options import HostName, Strategy
    from .hit import Hit
    from .options import Path
    from .trace import Trace

DEFAULT_K = 10


class Recall:
    """The memories of a project as they are when the first question comes, for many questions.

    Settings and memories are read once; each answer looks at the files of the memories that it shows. Nothing is
    written but to the log of events. `Store` has the same methods for the memories as they are at each call.
    """

    def __init__(self, loaded: LoadedProject, config: "Config | None" = None) -> None:
        """`config` takes precedence over the project's settings."""
        self.root = loaded.root
        """The project's folder."""
        self._loaded = loaded
        self._settings = config

    def search(self, text: str, k: int = DEFAULT_K, **options: "Unpack[SearchOptions]") -> "list[Hit]":
        """The at most `k` memories that fit a text best, best first.

        There is no gate: it answers however short the text is and whatever recall is switched off. Hits have parts only
        with `explain`; those of `tfidf` are the ranks among all active memories, so with filters they need not sum to
        the score. Raises `UsageError` for a value outside of its list, `StoreError` where memories cannot be read,
        `TypeError` for an unknown option. Cost: one pass over the index, and the files of the memories found.
        """
        return self.search_many([text], k, **options)[0]

    def search_many(
        self, texts: "Iterable[str]", k: int = DEFAULT_K, **options: "Unpack[SearchOptions]"
    ) -> "list[list[Hit]]":
        """As `search`, for each of the texts, all from the memories as they are at the call."""
        if isinstance(texts, str):
            raise UsageError("the texts are one text", "use a list of texts, or `search`")
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
        """What the hook would inject for a prompt, best first; nothing where it would be silent.

        `history` are the session's prompts before it, the oldest first. Hits have a `probability` with the strategy
        `hybrid`. A host's limit on characters can cut the tail of what is printed. Raises as `search` does.
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
        """The block that the hook gives a host for a prompt, and how each memory of `recall` stands in it.

        Each is there in full, with its gist, by its title, or left out; `Injected.outcome` says which. As in a session
        that has been shown nothing yet. Raises as `search` does. Cost: a recall, and the files of its memories.
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
        """Why `recall` shows a memory for a prompt, or does not: every stage, number by number.

        `memory` is an id, `CATEGORY/ID` or a path. Points are in 1/4096, what the gate adds up in 1/1024. `filters` are
        those of a search, as `read_filters` makes them. Raises `UsageError` for a strategy other than `hybrid`,
        `MissingError` where there is no such memory, `StoreError` where there are several. Cost: two recalls.
        """
        from ..store.records.find_memory import find_memory

        check_names(options, PromptOptions)
        asked = _Asked(self, prompt, history, options)
        _category, path = find_memory(*asked.loaded.project, memory)
        return asked.loaded.trace(asked.query(filters), path, asked.limit, history, asked.find_obstacle())

    def why_silent(self, prompt: str, history: "Sequence[str]" = (), **options: "Unpack[PromptOptions]") -> str:
        """Why the hook says nothing to a prompt, in a few words; "" where it has an answer.

        Raises as `search` does. Cost: a recall, and two more where the gate keeps everything back.
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
            if found.outcome == "withheld":
                return "what matches is withheld; `cuecard trust` shows it"
            return found.silence or judge or f"no memory is sure enough for `{asked.setting}`"
        return "no memory matches" if loaded.count(config) else "the project has no memories"

    @property
    def strategy(self) -> str:
        """The strategy that answers where a call names none."""
        return self._config(self._load()).strategy

    @property
    def setting(self) -> str:
        """The setting of the gate where a call names none: `precise`, `balanced`, `eager` or `off`."""
        return self._config(self._load()).recall.gate_setting

    @property
    def memory_count(self) -> int:
        """How many active memories there are. Reads each; raises `StoreError` where they cannot be read."""
        loaded = self._load()
        return loaded.count(self._config(loaded))

    @property
    def notes(self) -> list[str]:
        """What the hook would log about the answers since the memories were read: a sentence each, none twice."""
        return self._load().notes

    def _load(self) -> LoadedProject:
        """What answers the call."""
        return self._loaded

    def _config(self, loaded: LoadedProject, strategy: "Strategy | None" = None) -> "Config":
        """The settings of a call that names a strategy, or none."""
        return loaded.config(strategy) if strategy is not None or self._settings is None else self._settings


class _Asked:
    """A prompt of one call, with the settings that hold for it."""

    def __init__(
        self, recall: Recall, prompt: str, history: "Sequence[str]", options: "PromptOptions | RecallOptions"
    ) -> None:
        """Raises UsageError for options outside of their lists, and for a history that is one text."""
        if isinstance(history, str):
            raise UsageError("the history is one text", "use a list of prompts, the oldest first")
        setting, limit = options.get("setting"), options.get("limit")
        if limit is not None:
            check_limit(limit)
        self.loaded = recall._load()
        self.config = recall._config(self.loaded, options.get("strategy"))
        self.setting = self.config.recall.gate_setting if setting is None else setting
        self.limit = self.config.max_inject if limit is None else limit
        # The judge is not asked where a call lets everything through: its caller wants to see it all.
        self.judged_history = None if setting == OFF else history
        self._prompt, self._history = prompt, history
        engine.Settings.gate_threshold(self.setting)

    def query(self, filters: "Filters | None" = None) -> "PromptQuery":
        """The prompt as the retrievers take it."""
        return self.loaded.ask(self._prompt, self.config, self._history, self.setting, filters, is_prompt=True)

    def find_obstacle(self) -> str:
        """Why the prompt gets no answer whatever matches, in a few words; "" where nothing is in the way.

        One that goes on with those before it is answered however short it is.
        """
        prompt, config = self._prompt, self.config
        if is_too_short(prompt) and not self._goes_on():
            return "the prompt is under 10 characters"
        if is_slash_command(prompt):
            return "the prompt is a slash command, which is the host's own"
        if is_machine_made(prompt):
            return "the prompt was made by a program"
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


def open_recall(root: "Path | None" = None, *, strategy: "Strategy | None" = None, heeds_trust: bool = True) -> Recall:
    """The memories of a project, to be read once; `root` is as in `Store`.

    Without `heeds_trust` every memory counts as reviewed. Raises `StoreError` where there are no memories, `UsageError`
    for an unknown strategy.
    """
    loaded = LoadedProject(locate(Environment(), root), heeds_trust=heeds_trust)
    return Recall(loaded, loaded.config(strategy))
