"""Records which memory files a writer changes under the lock, and whether others change them too (SPEC 13.3, 23.4)."""

from contextlib import suppress

from ...basics.category import FOLDERS
from ...files import freshness


class Changes:
    """The memory files that a writer wrote or removed, and the modification times of the folders before and after.

    Create it under the lock, before anything changes.
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
        """Paths of files whose change began and did not end, so that their state is not known."""
        self.removed: set[str] = set()
        """Paths of files that were removed or replaced."""
        self.added: dict[str, tuple[str, str, bytes | None]] = {}
        """The files that were written, by path: category by folder, path, content."""
        # The time that each folder has if nobody but this writer has changed it.
        self._expected = dict(zip([folder for folder, _category in FOLDERS], times, strict=True))
        self._strange: set[str] = set()

    def __bool__(self) -> bool:
        """Whether any file was changed or may have been changed."""
        return bool(self.unsettled or self.removed)

    @property
    def paths(self) -> set[str]:
        """The paths of all files that were changed or may have been changed."""
        return self.unsettled | self.removed

    def about_to_change(self, path: str) -> None:
        """Record that a memory file is about to be written or removed.

        Until `settle_added` or `settle_removed` follows, the state of the file counts as unknown.
        """
        folder = _folder_of(path)
        if not self._own(folder) and self._time_of(folder) != self._expected[folder]:
            self._strange.add(folder)
        self.unsettled.add(path)

    def settle_removed(self, path: str) -> None:
        """Record that a memory file was removed."""
        self.unsettled.discard(path)
        self.removed.add(path)
        self.added.pop(path, None)
        folder = _folder_of(path)
        self._expected[folder] = self._time_of(folder)

    def settle_added(self, category: str, path: str, data: bytes) -> None:
        """Record that a memory file was written."""
        self.settle_removed(path)
        self.added[path] = (category, path, data)

    def settled_times(self) -> list[int | None]:
        """Return the folders' times now; None for a folder that another process has changed meanwhile."""
        times = freshness.folder_times(self._memory_dir)
        return [
            None
            if folder in self._strange or (changed != self._expected[folder] and not self._own(folder))
            else changed
            for (folder, _category), changed in zip(FOLDERS, times, strict=True)
        ]

    def _own(self, folder: str) -> bool:
        """Whether this writer has begun a change in the folder, so that its time does not show changes by others."""
        return any(_folder_of(path) == folder for path in self.unsettled)

    def _time_of(self, folder: str) -> int:
        return freshness.folder_time(self._memory_dir, folder)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]
