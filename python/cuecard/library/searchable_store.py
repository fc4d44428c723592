"""The store with search: what `cuecard.open` gives."""

from ..errors import UsageError
from ..recall.sent_log import log_pending
from ..store.writes import store
from .current_project import CurrentProject
from .loaded_project import HOST, LoadedProject, check_limit
from .prompt_recall import PromptRecall
from .rerank import check_rerank
from .search_filters import ACTIVE, read_filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..settings.options import GateSetting, Strategy
    from ..store.records.memory import Memory
    from .boost import Boost
    from .hit import Hit
    from .injection import Injection
    from .rerank import Rerank
    from .search_filters import DateBound, Names, Path
    from .trace import Trace

DEFAULT_K = 10


def open(root: "Path | None" = None) -> "Store":
    """The memories of a project, to be searched and written; see `Store` for `root` and errors."""
    return Store(root)


class Store(store.Store):
    """The memories of a project, to be searched and written.

    `root` is a project or its `.claude/memory`; without it, `CUECARD_ROOT` or the nearest project with memories
    from the working directory upwards. Raises `StoreError` where there are none; with `create` the first write makes
    the folder, in the repository of the working directory.

    Searches read and never write, notice what has changed since the last one, by writers and by hand, and may run in
    several threads at once. Every write takes the store's one lock, replaces whole files and brings what is derived
    from them up to date; raises `LockError` when others write for 30 seconds, `WriteError` when the machine does not
    take it. Whatever is raised, no memory is lost or half-written.
    """

    # What the last call has read.
    _current: CurrentProject | None = None

    def _embed(self, memory: "Memory") -> list[str]:
        notes = super()._embed(memory)
        log_pending()
        return notes

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_current": None}

    def search(
        self,
        text: str,
        k: int = DEFAULT_K,
        *,
        strategy: "Strategy | None" = None,
        categories: "Names" = (),
        tags: "Names" = (),
        status: "Names" = ACTIVE,
        since: "DateBound" = None,
        until: "DateBound" = None,
        path: "Path" = "",
        explain: bool = False,
        boost: "Boost | None" = None,
        rerank: "Rerank | None" = None,
    ) -> "list[Hit]":
        """At most `k` memories that fit a text, best first; their scores have parts only with `explain`.

        `strategy` goes before `CUECARD_STRATEGY`, and that before the project's configuration. Found is what is in any
        of the `categories`, has all of the `tags` and any of the statuses (`all` for every one), was updated from
        `since` up to and with `until`, and has a path that begins with `path` (`decisions/`). Dates are `datetime`,
        `date` or ISO text; without an offset they are UTC, and a day without a time is `until` its end.

        A `boost` is asked about each of the `retrieval.candidate_pool` best, a hit without parts: its score is then
        multiplied by the factor, 0 to 2, and rounded down; 0 drops it. The order follows. A `rerank` is called once
        with the text and these hits, after the boost if there is one, best first; the hits that it returns are the
        answer, in its order, of which the first `k` count. It can leave out and reorder, and adds nothing.

        The parts of `tfidf` are the ranks among all active memories: with filters they need not sum to the score.
        Raises `UsageError` for whatever of this is something else.
        """
        return self.search_many(
            [text],
            k,
            strategy=strategy,
            categories=categories,
            tags=tags,
            status=status,
            since=since,
            until=until,
            path=path,
            explain=explain,
            boost=boost,
            rerank=rerank,
        )[0]

    def search_many(
        self,
        texts: "Iterable[str]",
        k: int = DEFAULT_K,
        *,
        strategy: "Strategy | None" = None,
        categories: "Names" = (),
        tags: "Names" = (),
        status: "Names" = ACTIVE,
        since: "DateBound" = None,
        until: "DateBound" = None,
        path: "Path" = "",
        explain: bool = False,
        boost: "Boost | None" = None,
        rerank: "Rerank | None" = None,
    ) -> "list[list[Hit]]":
        """As `search`, for each of the texts, all from the memories as they are at the call."""
        if isinstance(texts, str):
            raise UsageError("the texts are one text", "use a list of texts, or `search`")
        check_limit(k)
        check_rerank(rerank)
        filters = read_filters(categories, tags, status, since, until, path)
        loaded = self._load()
        config = loaded.config(strategy)
        asked = (loaded.ask(text, config, filters=filters) for text in texts)
        return [loaded.find(query, k, None, boost, rerank, is_explained=explain) for query in asked]

    def recall(
        self,
        prompt: str,
        history: "Sequence[str]" = (),
        *,
        setting: "GateSetting | None" = None,
        limit: int | None = None,
        strategy: "Strategy | None" = None,
        explain: bool = False,
        boost: "Boost | None" = None,
        rerank: "Rerank | None" = None,
    ) -> "list[Hit]":
        """What the hook would inject for a prompt, best first; nothing where it would be silent.

        `history` are the session's prompts before it, the oldest first. `setting` (`precise`, `balanced`, `eager`,
        `off`), `limit` and `strategy` go before the project's; hits have a `probability` with `hybrid`, and parts with
        `explain`. A `boost` is asked about what the gate lets through, as in `search`: it reorders and drops, and
        never opens the gate. A `rerank` gets what is left, and gives what to keep, in its order. Raises `UsageError`
        for a setting, a strategy or a limit that is none.
        """
        return self._prompt_recall(strategy, setting, limit).recall(prompt, history, explain, boost, rerank)

    def inject(
        self,
        prompt: str,
        history: "Sequence[str]" = (),
        *,
        setting: "GateSetting | None" = None,
        limit: int | None = None,
        strategy: "Strategy | None" = None,
        host: str = HOST,
    ) -> "Injection":
        """The block that the hook gives a host (`claude-code`, `codex`, ...) for a prompt, and how each memory of
        `recall` stands in it: in full, with its gist, by its title, or left out and why.

        As in a session that has been shown nothing yet; the rest is as in `recall`. Reads the files of the memories.
        """
        return self._prompt_recall(strategy, setting, limit).inject(prompt, history, host)

    def trace(
        self,
        prompt: str,
        memory: str,
        history: "Sequence[str]" = (),
        *,
        setting: "GateSetting | None" = None,
        limit: int | None = None,
        strategy: "Strategy | None" = None,
    ) -> "Trace":
        """Why `recall` shows a memory for a prompt, or does not: every stage, number by number.

        `memory` is an id, `CATEGORY/ID` or a path; the rest is as in `recall`. Points are in 1/4096, what the gate
        adds up in 1/1024. Raises `UsageError` for strategies other than `hybrid`, `MissingError` where there is no
        such memory, `StoreError` where there are several.
        """
        return self._prompt_recall(strategy, setting, limit).trace(prompt, memory, history)

    def _prompt_recall(self, strategy: str | None, setting: str | None, limit: int | None) -> PromptRecall:
        loaded = self._load()
        return PromptRecall(loaded, loaded.config(strategy), setting, limit)

    def _load(self) -> LoadedProject:
        """The project as it is now."""
        current = self._current
        if current is None:
            current = self._current = CurrentProject((self.root, self.memory_dir))
        return current.load()
