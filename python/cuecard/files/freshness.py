"""Tells with a few `stat` calls whether `index.md` is as new as the memory files (SPEC 13.2)."""

import time

from ..basics.category import FOLDERS
from .folder import DIRECTORY, KIND, Folder
from .store_files import open_store

INDEX = "index.md"
# A file whose time is further ahead of the clock than this was written before the clock was set back.
FUTURE_NS = 60_000_000_000
# If the last change is less than YOUNG_NS old, a later change could get the same time from a coarse clock. Then the
# index is dated BEFORE_NS before that change.
YOUNG_NS = 2_000_000_000
BEFORE_NS = 10_000_000
# Some file systems store a time set by a program less exactly than their own times.
INEXACT_NS = 1_000
# Values instead of a folder's time: the folder is missing, or its last change is so recent that a later change could
# have the same time.
MISSING = -1
UNSURE = 0

FolderTimes = tuple[int, ...]


def folder_times(memory_dir: str) -> FolderTimes:
    """The times (ns since 1970) when a file was last added, removed or replaced in each category folder.

    The time of a missing folder is 0.
    """
    try:
        store = open_store(memory_dir)
    except (OSError, ValueError):
        return (0,) * len(FOLDERS)
    with store:
        return tuple([_folder_time(store, folder) for folder, _category in FOLDERS])


def present_times(memory_dir: str) -> FolderTimes:
    """The folders' times, after each folder with a time in the future (the clock was set back) was dated to now.

    Otherwise no index could be newer than such a folder. Call this only while the store is locked. Raises OSError.
    """
    for folder, changed in zip(FOLDERS, folder_times(memory_dir), strict=True):
        if is_ahead(changed):
            with open_store(memory_dir) as store, store.folder(folder[0]) as ahead:
                ahead.date_now()
    return folder_times(memory_dir)


def is_stale(memory_dir: str, times: FolderTimes) -> bool:
    """Whether memories have or may have changed after the index was written. A missing index is not stale."""
    made = index_time(memory_dir)
    newest = max(times)
    return made != 0 and (newest > made + INEXACT_NS or is_ahead(max(newest, made)))


def is_in_step(memory_dir: str, times: FolderTimes) -> bool:
    """Whether only cuecard has written the index: its time is the newest of the folders' times `times`."""
    return abs(index_time(memory_dir) - max(times)) <= INEXACT_NS


def is_ahead(changed: int) -> bool:
    """Whether a time is so far in the future that it was written before the clock was set back."""
    return changed > time.time_ns() + FUTURE_NS


def watermark(times: FolderTimes) -> int:
    """The modification time for an index made without the lock, so that each later change counts as newer.

    `times` were read before the files were listed. If the last change is so recent that a later change could have the
    same time, the index is dated before the last change, and is therefore made again at the next check.
    """
    newest = max(times)
    return newest - BEFORE_NS if newest > time.time_ns() - YOUNG_NS else newest


def folder_time(memory_dir: str, folder: str) -> int:
    """When a category folder last changed, in ns since 1970; 0 if it does not exist."""
    try:
        with open_store(memory_dir) as store:
            return _folder_time(store, folder)
    except (OSError, ValueError):
        return 0


def index_time(memory_dir: str) -> int:
    """When `index.md` last changed, in ns since 1970; 0 if it does not exist."""
    try:
        with open_store(memory_dir) as store:
            return store.status(INDEX).st_mtime_ns
    except (OSError, ValueError):
        return 0


def _folder_time(store: Folder, folder: str) -> int:
    """When a folder of an open store last changed, in ns since 1970; 0 if it is missing or a link."""
    try:
        status = store.status(folder)
    except OSError:
        return 0
    return status.st_mtime_ns if status.st_mode & KIND == DIRECTORY else 0
