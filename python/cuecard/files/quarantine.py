"""Renames files that are not valid memories, instead of deleting them. They stay in their folder (SPEC 16.5)."""

import time

from .folder import Folder

MARK = ".invalid."
# At most this many names are tried.
MAX_NAMES = 100


def is_set_aside(name: str) -> bool:
    """Whether a file name has the form `FILE.invalid.SECONDS`, which `set_aside` gives to invalid files."""
    original, mark, seconds = name.rpartition(MARK)
    return bool(original and mark) and seconds.isdecimal()


def set_aside(folder: Folder, name: str) -> str:
    """Rename a file to `FILE.invalid.SECONDS` and return the new name. Raises OSError.

    SECONDS is the time since 1970, or a later second if that name is taken.
    """
    now = int(time.time())
    for seconds in range(now, now + MAX_NAMES):
        aside = f"{name}{MARK}{seconds}"
        try:
            # The empty file reserves the name, so that no file that another process has renamed is overwritten.
            folder.create(aside, b"", 0o666)
        except FileExistsError:
            continue
        try:
            folder.rename(name, aside)
        except OSError:
            folder.remove(aside)
            raise
        return aside
    raise FileExistsError(f"all new names for `{name}` are taken")
