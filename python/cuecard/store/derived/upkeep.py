"""Brings `index.md` and the snapshot up to date after a writer's changes, under its lock (SPEC 13.3, 23.4)."""

from ..._backend import engine, read_effective_settings
from ...files.freshness import MISSING, UNSURE
from .changes import Changes
from .index_upkeep import IndexUpkeep
from .leftovers import sweep_derived, sweep_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._backend import Loaded


class Upkeep:
    """The state of the derived files before a change of the store; `finish` brings them up to date after the change.

    An object is created and used under the lock of the store.
    """

    def __init__(self, root: str, memory_dir: str) -> None:
        """Read the state of the project at `root` before anything changes."""
        self._project = root, memory_dir
        self._index = IndexUpkeep(self._project)
        if not self._index.is_usable:
            sweep_folders(memory_dir)
        self.changes = Changes(memory_dir)
        """The record of changes, to which the writer must report every change of a memory file."""

    def finish(self) -> list[str]:
        """Bring index and snapshot up to date. Returns a sentence for each failure; the next prompt then repairs it."""
        sweep_derived(self._project[1])
        loaded, problem = None, "a folder of memories cannot be listed"
        try:
            loaded = follow(self._project, self.changes)
        except OSError as error:
            problem = str(error.strerror or error)
        problems = [] if loaded else [f"the snapshot is not up to date: {problem}; the next prompt repairs it"]
        problem = self._index.finish(self.changes, loaded.snapshot if loaded else None)
        problems += [problem] if problem else []
        return problems + (write_snapshot(loaded) if loaded else [])


def follow(project: tuple[str, str], changes: Changes) -> "Loaded | None":
    """Return the snapshot after a writer's changes, without writing it; None if a folder cannot be listed."""
    before = [changed or MISSING for changed in changes.before]
    after = [UNSURE if changed is None else changed or MISSING for changed in changes.settled_times()]
    written = before, after, sorted(changes.paths)
    return engine.load_snapshot(project[0], read_effective_settings(project[1]).settings.numbers, None, written)


def write_snapshot(loaded: "Loaded") -> list[str]:
    """Write the files of a snapshot. Returns why it failed; empty if it did not."""
    try:
        loaded.write()
    except OSError as error:
        return [f"the snapshot cannot be written: {error.strerror or error}; the next prompt repairs it"]
    return []


def refresh(root: str, memory_dir: str) -> list[str]:
    """Bring a missing or stale index and snapshot up to date, under the lock. Returns a sentence for each failure."""
    return Upkeep(root, memory_dir).finish()
