"""The public face: `open` gives a `Store`, and each shortcut is one of its methods for the nearest project.

Reading loads little; what writing, importing and looking back need is loaded with the first call of it.
"""

from .library.current_project import CurrentProject
from .library.loaded_project import LoadedProject
from .library.options import PromptOptions, RecallOptions, SearchOptions
from .library.recall import DEFAULT_K, Recall
from .recall.sent_log import log_pending
from .store.writes.store_writer import StoreWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

    from .capture.consolidation import Consolidation
    from .importers.run import ImportOutcome, Progress
    from .library.hit import Hit
    from .library.injection import Injection
    from .library.options import Path
    from .library.trace import Trace
    from .observe.event_statistics import EventStatistics
    from .observe.events import EventLog
    from .settings.options import Category, ImportKind
    from .store.derived.reindex import Reindexed
    from .store.writes.collect import Collection
    from .store.writes.written import Written


class Store(StoreWriter, Recall):
    """The memories of a project: searched, recalled as the hook does, written, imported and looked after.

    `root` is a project or its `.claude/memory`; without it, `CUECARD_ROOT` or the nearest project with memories
    from the working directory upwards. Raises `StoreError` where there are none; with `create` the first write makes
    the folder, in the repository of the working directory.

    Reading writes no memory, notices what has changed since the last call, by writers and by hand, and may be done in
    several threads at once. Every write takes the store's one lock, replaces whole files and brings what is derived
    from them up to date; it raises `LockError` when others write for 30 seconds, `WriteError` when the machine does not
    take it. Whatever is raised, no memory is lost or half-written.

    Cost: opening reads nothing. The first search maps the index and each search then looks at some 15 files; a write
    costs about as much as reading the memories that it concerns.
    """

    def __init__(self, root: "Path | None" = None, *, create: bool = False) -> None:
        StoreWriter.__init__(self, root, create=create)
        self._settings = None
        self._current = CurrentProject(self.project)

    def read_once(self) -> Recall:
        """The same searches and recalls over the memories as they are at the first of them, for many questions."""
        return Recall(LoadedProject(self.project))

    def import_(
        self,
        source: "Path",
        *,
        kind: "ImportKind | None" = None,
        dry_run: bool = False,
        progress: "Progress | None" = None,
    ) -> "list[ImportOutcome]":
        """Make memories of a file, or of a folder and all below it; says what became of each part.

        `kind` goes before what the files look like. What is imported is unreviewed until the user accepts it. A second
        time, only what has changed in the source is written. Nothing is written with `dry_run`. Raises `UsageError` for
        an unknown kind, `InputError` where the source is missing or of no use; what is wrong with a part is an outcome.
        Cost: every memory and every file of the source is read.
        """
        from .importers.run import import_source

        return import_source(self, str(source), kind, dry_run, progress)

    def consolidate(
        self, category: "Category | None" = None, *, apply: bool = False, contradictions: bool = False
    ) -> "Consolidation":
        """Find the active memories of a category, or of each, that say the same, or the opposite.

        With `apply` the newer of two that say the same takes the place of the older, which is retired; with
        `contradictions` also the newer of two that oppose each other. `restore` brings a memory back. Raises
        `UsageError` for an unknown category. Cost: each memory is compared with each of its category, some ten seconds
        for 10,000.
        """
        from .capture.consolidation import find_pairs, link

        found = find_pairs(self, category)
        if apply:
            link(self, found, contradictions)
        return found

    def log(self) -> "EventLog":
        """What the hook has decided for this project, the oldest first; `select` of the result narrows it.

        Lines that cannot be read are counted. Raises nothing. Cost: the log is read, at most some megabytes.
        """
        from .observe.events import read_events

        return read_events(self.memory_dir)

    def stats(self, *, since: str = "30d") -> "EventStatistics":
        """How often, how fast and with which memories the hook has answered.

        `since` is a span before now (`12h`, `7d`) or a date; raises `UsageError` for anything else. Times are in
        microseconds. Cost: the log and every memory are read.
        """
        from .observe.event_statistics import summarize_since

        return summarize_since(self, since)

    def gc(self, *, dry_run: bool = False) -> "Collection":
        """Delete the memories that were retired longer ago than the grace period.

        Session summaries beyond `categories.session_summary.max_retained` are retired. Nothing is changed with
        `dry_run`. Raises `LockError` and `WriteError`. Cost: every memory is read.
        """
        from .store.writes.collect import collect_garbage

        return collect_garbage(self.root, self.memory_dir, is_dry_run=dry_run)

    def index(self) -> "Reindexed":
        """Make `index.md` and the snapshot again from the memory files, and say what was left out.

        Raises `LockError` and `WriteError`. Cost: every memory is read.
        """
        from .store.derived.reindex import reindex

        return reindex(self.root, self.memory_dir)

    def _load(self) -> LoadedProject:
        return self._current.load()

    def _told(self, written: "Written") -> "Written":
        log_pending()
        return written

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_current"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._current = CurrentProject(self.project)


def open(root: "Path | None" = None, *, create: bool = False) -> Store:
    """The memories of a project; see `Store` for `root`, `create` and errors."""
    return Store(root, create=create)


def search(
    text: str, k: int = DEFAULT_K, *, root: "Path | None" = None, **options: "Unpack[SearchOptions]"
) -> "list[Hit]":
    """`Store.search` in the nearest project, or that of `root`."""
    return Store(root).search(text, k, **options)


def recall_prompt(
    prompt: str, history: "Sequence[str]" = (), *, root: "Path | None" = None, **options: "Unpack[RecallOptions]"
) -> "list[Hit]":
    """`Store.recall` in the nearest project, or that of `root`; `cuecard.recall` is the package of the stages."""
    return Store(root).recall(prompt, history, **options)


def inject(
    prompt: str, history: "Sequence[str]" = (), *, root: "Path | None" = None, **options: "Unpack[PromptOptions]"
) -> "Injection":
    """`Store.inject` in the nearest project, or that of `root`."""
    return Store(root).inject(prompt, history, **options)


def trace(
    prompt: str,
    memory: str,
    history: "Sequence[str]" = (),
    *,
    root: "Path | None" = None,
    **options: "Unpack[PromptOptions]",
) -> "Trace":
    """`Store.trace` in the nearest project, or that of `root`."""
    return Store(root).trace(prompt, memory, history, **options)
