"""Whether `index.md` is as new as the memory files, told by a handful of `stat`s (SPEC 13.2)."""

import time

from .._pure.category import FOLDERS
from ..system import os

# A time so far ahead of the clock comes from a clock that was put back, and says nothing about what came later.
FUTURE_NS = 60_000_000_000
# Changes this young may have others behind them that the same tick of a coarse clock hides: the index is dated that
# much before them.
YOUNG_NS = 2_000_000_000
BEFORE_NS = 10_000_000
# Some file systems keep the times that they are given less exactly than their own.
INEXACT_NS = 1_000

FolderTimes = tuple[int, ...]


def folder_times(memory_dir: str) -> FolderTimes:
    """When each category folder last gained, lost or replaced a file, in ns since 1970; 0 where there is none."""
    return tuple([time_of(os.path.join(memory_dir, folder)) for folder, _category in FOLDERS])


def present_times(memory_dir: str) -> FolderTimes:
    """The folders' times, those from before the clock was put back made present: no index could be newer.

    Under the lock alone. Raises OSError.
    """
    for folder, changed in zip(FOLDERS, folder_times(memory_dir), strict=True):
        if is_ahead(changed):
            os.utime(os.path.join(memory_dir, folder[0]))
    return folder_times(memory_dir)


def is_stale(memory_dir: str, times: FolderTimes) -> bool:
    """Whether memories changed after the index was made, or may have. A missing index is not stale."""
    made = time_of(os.path.join(memory_dir, "index.md"))
    newest = max(times)
    return made != 0 and (newest > made + INEXACT_NS or is_ahead(max(newest, made)))


def is_in_step(memory_dir: str, times: FolderTimes) -> bool:
    """Whether the index bears the very time that one made from these folders gets: nobody else has touched it."""
    return abs(time_of(os.path.join(memory_dir, "index.md")) - max(times)) <= INEXACT_NS


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


def time_of(path: str) -> int:
    """When a file or folder last changed, in ns since 1970; 0 where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0
