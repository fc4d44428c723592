"""What a writer does to memory files under the lock, and what others seem to do to them meanwhile (SPEC 13.3, 23.4)."""

from contextlib import suppress

from ...basics.category import FOLDERS
from ...files import freshness


class Changes:
    """The memory files that a writer wrote or removed, and the folders' times before and after.

    To be made under the lock, before anything changes.
    """

    def __init__(self, memory_dir: str) -> None:
        """Collect the changes of the store at `memory_dir`."""
        self._memory_dir = memory_dir
        times = freshness.folder_times(memory_dir)
        if any(freshness.is_ahead(changed) for changed in times):
            with suppress(OSError):
                times = freshness.present_times(memory_dir)
        self.before = times
        """The folders' times before the first change."""
        self.unsettled: set[str] = set()
        """Paths of which nobody knows whether they are as they were."""
        self.removed: set[str] = set()
        """Paths that went or were replaced."""
        self.added: dict[str, tuple[str, str, bytes | None]] = {}
        """What was written, by path: category by folder, path, content."""
        # A folder's time is what it was at first or after the writer's last change, or somebody else was there.
        self._expected = dict(zip([folder for folder, _category in FOLDERS], times, strict=True))
        self._strange: set[str] = set()

    def __bool__(self) -> bool:
        """Whether anything was changed, or may have been."""
        return bool(self.unsettled or self.removed)

    @property
    def paths(self) -> set[str]:
        """Every path that was touched."""
        return self.unsettled | self.removed

    def about_to_change(self, path: str) -> None:
        """A memory file is about to be written or to go; where nothing follows, its state is found out."""
        folder = _folder_of(path)
        if not self._own(folder) and self._time_of(folder) != self._expected[folder]:
            self._strange.add(folder)
        self.unsettled.add(path)

    def settle_removed(self, path: str) -> None:
        """A memory file went."""
        self.unsettled.discard(path)
        self.removed.add(path)
        self.added.pop(path, None)
        folder = _folder_of(path)
        self._expected[folder] = self._time_of(folder)

    def settle_added(self, category: str, path: str, data: bytes) -> None:
        """A memory file was written."""
        self.settle_removed(path)
        self.added[path] = (category, path, data)

    def settled_times(self) -> list[int | None]:
        """The folders' times as they are now; None for one that somebody else has changed meanwhile."""
        times = freshness.folder_times(self._memory_dir)
        return [
            None
            if folder in self._strange or (changed != self._expected[folder] and not self._own(folder))
            else changed
            for (folder, _category), changed in zip(FOLDERS, times, strict=True)
        ]

    def _own(self, folder: str) -> bool:
        """Whether a change in the folder has begun, so that its time says nothing of others."""
        return any(_folder_of(path) == folder for path in self.unsettled)

    def _time_of(self, folder: str) -> int:
        return freshness.folder_time(self._memory_dir, folder)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]
