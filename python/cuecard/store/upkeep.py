"""Brings `index.md` and the snapshot up to date with what a writer did, inside the writer's lock (SPEC 13.3, 23.4)."""

from .changes import Changes
from .index_upkeep import IndexUpkeep
from .leftovers import sweep_derived, sweep_folders
from .snapshot_file import Loaded, Project, write_snapshot
from .snapshot_upkeep import bring_up_to_date


class Upkeep:
    """What a writer sees of the derived files before its change, so that afterwards they can follow.

    To be made and used under the lock.
    """

    def __init__(self, root: str, memory_dir: str) -> None:
        """Of the project at `root`, before anything changes."""
        self._project: Project = (root, memory_dir)
        self._index = IndexUpkeep(self._project)
        if not self._index.is_usable:
            sweep_folders(memory_dir)
        self.changes = Changes(memory_dir)
        """To be told of every change."""

    def finish(self) -> list[str]:
        """Bring both up to date; why that failed, a sentence each. The next reader mends them then."""
        sweep_derived(self._project[1])
        loaded: Loaded | None = None
        problems = []
        try:
            loaded = bring_up_to_date(self._project, self.changes)
        except OSError as error:
            problems.append(f"the snapshot is not up to date: {error.strerror or error}; the next reader mends it")
        problem = self._index.finish(self.changes, loaded.snapshot if loaded else None)
        problems += [problem] if problem else []
        if loaded:
            problems += write_snapshot(self._project[1], loaded.base, loaded.delta)
        return problems


def refresh(root: str, memory_dir: str) -> list[str]:
    """Bring what is missing or stale up to date, under the lock; why that failed, none where it did not."""
    return Upkeep(root, memory_dir).finish()
