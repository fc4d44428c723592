"""The public interface: `open` returns a `Store`; the other functions call its methods for the nearest project.

Modules for writing, importing and statistics are loaded by the first call that needs them.
"""

from .retrieval.loaded_project import LoadedProject
from .retrieval.options import PromptOptions, RecallOptions, SearchOptions
from .retrieval.project_store import ProjectStore
from .retrieval.recall import DEFAULT_K, Recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

    from .basics.options import Category, ImportKind
    from .capture.comparing.consolidation import Consolidation
    from .importers.outcomes import ImportOutcome
    from .importers.run import Progress
    from .observe.event_statistics import EventStatistics
    from .retrieval.hit import Hit
    from .retrieval.injection import Injection
    from .retrieval.options import Path
    from .retrieval.trace import Trace
    from .store.derived.reindex import Reindexed
    from .store.log.events import EventLog
    from .store.writes.collect import Collection


class Store(ProjectStore):
    """The memories of a project: search and recall them as the hook does, write, import and maintain them.

    `root` is a project folder or its `.claude/memory`. Without `root`, the store is that of `CUECARD_ROOT`, or of the
    nearest project with memories from the working directory upwards. Raises `StoreError` if there are no memories;
    with `create`, the first write creates the folder in the repository of the working directory instead.

    Reading writes no memory, and several threads may read at once. Each call sees all changes since the last call,
    also those made by hand. Every write takes the store's lock, replaces whole files and updates the index. It raises
    `LockError` if other processes hold the lock for 30 seconds, and `WriteError` if the system refuses the write.
    After any error, no memory is lost or half-written.

    Cost: opening reads nothing. The first search maps the index into memory; each search reads about 15 files. A
    write costs about as much as reading the memories that it changes.
    """

    def read_once(self) -> Recall:
        """A `Recall` that loads the memories once, at its first search, and does not see later changes.

        This is faster for many searches.
        """
        return Recall(LoadedProject(self.project))

    def import_(
        self,
        source: "Path",
        *,
        kind: "ImportKind | None" = None,
        dry_run: bool = False,
        progress: "Progress | None" = None,
    ) -> "list[ImportOutcome]":
        """Import a file, or a folder with its subfolders, as memories; returns the outcome for each part of the source.

        Without `kind`, the kind of the source is detected. Imported memories are unreviewed until the user accepts
        them. A repeated import writes only what has changed in the source. With `dry_run` nothing is written. Raises
        `UsageError` for an unknown kind, `InputError` if the source is missing or unusable; a problem with one part
        is an outcome and is not raised. Cost: every memory and every file of the source is read.
        """
        from .importers.run import import_source

        return import_source(self, str(source), kind, dry_run, progress)

    def consolidate(
        self, category: "Category | None" = None, *, apply: bool = False, contradictions: bool = False
    ) -> "Consolidation":
        """Find pairs of active memories in a category, or in every category, that repeat or contradict each other.

        With `apply`, the newer of two memories that repeat each other replaces the older, which is retired; with
        `contradictions` too, this also applies to pairs that contradict each other. `restore` undoes a retirement.
        Raises `UsageError` for an unknown category. Cost: each memory is compared with all others of its category,
        which takes about ten seconds for 10,000 memories.
        """
        from .capture.comparing.consolidation import find_pairs, link

        found = find_pairs(self, category)
        if apply:
            link(self, found, contradictions)
        return found

    def log(self) -> "EventLog":
        """The hook's logged decisions for this project, the oldest first; `EventLog.select` filters them.

        Unreadable lines are counted. Raises nothing. Cost: the log, which has at most some megabytes, is read.
        """
        from .store.log.events import read_events

        return read_events(self.memory_dir)

    def stats(self, *, since: str = "30d") -> "EventStatistics":
        """Statistics of the hook's answers: how many, how fast, and with which memories.

        `since` is a span before now (`12h`, `7d`) or a date; any other text raises `UsageError`. Times are in
        microseconds. Cost: the log and every memory are read.
        """
        from .observe.event_statistics import summarize_since

        return summarize_since(self, since)

    def gc(self, *, dry_run: bool = False) -> "Collection":
        """Delete the memories that were retired longer ago than the grace period.

        If there are more session summaries than `categories.session_summary.max_retained`, the oldest are retired. With
        `dry_run` nothing is changed. Raises `LockError` and `WriteError`. Cost: every memory is read.
        """
        from .store.writes.collect import collect_garbage

        return collect_garbage(self.root, self.memory_dir, is_dry_run=dry_run)

    def index(self) -> "Reindexed":
        """Rebuild `index.md` and the snapshot from the memory files; the result lists the files that were left out.

        Raises `LockError` and `WriteError`. Cost: every memory is read.
        """
        from .store.derived.reindex import reindex

        return reindex(self.root, self.memory_dir)


def open(root: "Path | None" = None, *, create: bool = False) -> Store:
    """Open the store of a project; `Store` describes `root`, `create` and the errors."""
    return Store(root, create=create)


def search(
    text: str, k: int = DEFAULT_K, *, root: "Path | None" = None, **options: "Unpack[SearchOptions]"
) -> "list[Hit]":
    """Call `Store.search` for the project of `root`, or for the nearest project."""
    return Store(root).search(text, k, **options)


def recall(
    prompt: str, history: "Sequence[str]" = (), *, root: "Path | None" = None, **options: "Unpack[RecallOptions]"
) -> "list[Hit]":
    """Call `Store.recall` for the project of `root`, or for the nearest project."""
    return Store(root).recall(prompt, history, **options)


# The name of `recall` before it was free; it stays for one release.
recall_prompt = recall


def inject(
    prompt: str, history: "Sequence[str]" = (), *, root: "Path | None" = None, **options: "Unpack[PromptOptions]"
) -> "Injection":
    """Call `Store.inject` for the project of `root`, or for the nearest project."""
    return Store(root).inject(prompt, history, **options)


def trace(
    prompt: str,
    memory: str,
    history: "Sequence[str]" = (),
    *,
    root: "Path | None" = None,
    **options: "Unpack[PromptOptions]",
) -> "Trace":
    """Call `Store.trace` for the project of `root`, or for the nearest project."""
    return Store(root).trace(prompt, memory, history, **options)
