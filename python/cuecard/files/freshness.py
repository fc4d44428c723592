"""Whether `index.md` is as new as the memory files, told by a handful of `stat`s (SPEC 13.2)."""

import time

from ..basics.category import FOLDERS
from .folder import DIRECTORY, KIND, Folder
from .store_files import open_store

INDEX = "index.md"
# A time so far ahead of the clock comes from a clock that was put back, and says nothing about what came later.
FUTURE_NS = 60_000_000_000
# Changes this young may have others behind them that the same tick of a coarse clock hides: the index is dated that
# much before them.
YOUNG_NS = 2_000_000_000
BEFORE_NS = 10_000_000
# Some file systems keep the times that they are given less exactly than their own.
INEXACT_NS = 1_000
# The marks in the place of a folder's time: there is no folder; or it is so young that nobody can be sure of it.
MISSING = -1
UNSURE = 0

FolderTimes = tuple[int, ...]


def folder_times(memory_dir: str) -> FolderTimes:
    """When each category folder last gained, lost or replaced a file, in ns since 1970; 0 where there is none."""
    try:
        store = open_store(memory_dir)
    except (OSError, ValueError):
        return (0,) * len(FOLDERS)
    with store:
        return tuple([_folder_time(store, folder) for folder, _category in FOLDERS])


def present_times(memory_dir: str) -> FolderTimes:
    """The folders' times, those from before the clock was put back made present: no index could be newer.

    Under the lock alone. Raises OSError.
    """
    for folder, changed in zip(FOLDERS, folder_times(memory_dir), strict=True):
        if is_ahead(changed):
            with open_store(memory_dir) as store, store.folder(folder[0]) as ahead:
                ahead.date_now()
    return folder_times(memory_dir)


def is_stale(memory_dir: str, times: FolderTimes) -> bool:
    """Whether memories changed after the index was made, or may have. A missing index is not stale."""
    made = index_time(memory_dir)
    newest = max(times)
    return made != 0 and (newest > made + INEXACT_NS or is_ahead(max(newest, made)))


def is_in_step(memory_dir: str, times: FolderTimes) -> bool:
    """Whether the index bears the very time that one made from these folders gets: nobody else has touched it."""
    return abs(index_time(memory_dir) - max(times)) <= INEXACT_NS


def is_ahead(changed: int) -> bool:
    """Whether a time comes from before the clock was put back."""
    return changed > time.time_ns() + FUTURE_NS


def watermark(times: FolderTimes) -> int:
    """The time to give an index made without the lock from files listed after `times`: a later change is newer.

    Where the last change is so young that another may share its time, the index is dated before it and made
    once more at the next look.
    """
    newest = max(times)
    return newest - BEFORE_NS if newest > time.time_ns() - YOUNG_NS else newest


def folder_time(memory_dir: str, folder: str) -> int:
    """When a category folder last changed, in ns since 1970; 0 where there is none."""
    try:
        with open_store(memory_dir) as store:
            return _folder_time(store, folder)
    except (OSError, ValueError):
        return 0


def index_time(memory_dir: str) -> int:
    """When `index.md` last changed, in ns since 1970; 0 where there is none."""
    try:
        with open_store(memory_dir) as store:
            return store.status(INDEX).st_mtime_ns
    except (OSError, ValueError):
        return 0


def _folder_time(store: Folder, folder: str) -> int:
    """A link in the place of a folder is not followed: it counts as no folder."""
    try:
        status = store.status(folder)
    except OSError:
        return 0
    return status.st_mtime_ns if status.st_mode & KIND == DIRECTORY else 0
