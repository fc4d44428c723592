"""Files that are no memories are set aside in their place, never deleted (SPEC 16.5)."""

import os
import time

MARK = ".invalid."
# So many names are tried.
MAX_NAMES = 100


def is_set_aside(name: str) -> bool:
    """Whether a file's name is one that `set_aside` gives."""
    original, mark, seconds = name.rpartition(MARK)
    return bool(original and mark) and seconds.isdecimal()


def set_aside(path: str) -> str:
    """Rename a file to `FILE.invalid.SECONDS`, later seconds where that name is taken; returns the new path.

    Raises OSError.
    """
    now = int(time.time())
    for seconds in range(now, now + MAX_NAMES):
        aside = f"{path}{MARK}{seconds}"
        try:
            # The empty file claims the name: what others have set aside is never overwritten.
            os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            continue
        try:
            os.replace(path, aside)
        except OSError:
            os.unlink(aside)
            raise
        return aside
    raise FileExistsError(f"`{path}` has been set aside too often")
