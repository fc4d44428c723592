"""Gives files that are no memories another name in the same folder; none is deleted (SPEC 16.5)."""

import time

from .folder import Folder

MARK = ".invalid."
# So many names are tried.
MAX_NAMES = 100


def is_set_aside(name: str) -> bool:
    """Whether a file's name is one that `set_aside` gives."""
    original, mark, seconds = name.rpartition(MARK)
    return bool(original and mark) and seconds.isdecimal()


def set_aside(folder: Folder, name: str) -> str:
    """Rename a file to `FILE.invalid.SECONDS`, later seconds where that name is taken; returns the new name.

    Raises OSError.
    """
    now = int(time.time())
    for seconds in range(now, now + MAX_NAMES):
        aside = f"{name}{MARK}{seconds}"
        try:
            # The empty file claims the name: what others have set aside is never overwritten.
            folder.create(aside, b"", 0o666)
        except FileExistsError:
            continue
        try:
            folder.rename(name, aside)
        except OSError:
            folder.remove(aside)
            raise
        return aside
    raise FileExistsError(f"`{name}` has been set aside too often")
