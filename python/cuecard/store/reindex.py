"""Makes `index.md` anew because somebody asked for it."""

import os
from contextlib import suppress
from dataclasses import dataclass

from .._backend import twin
from .._pure.category import FOLDERS
from ..errors import WriteError
from . import freshness
from .index_md import rebuild, write
from .lock import locked


@dataclass(frozen=True)
class Reindexed:
    """What became of the index."""

    lines: int
    """How many memories it has; 0 where none is active."""
    skipped: list[tuple[str, str]]
    """Damaged files that it had to leave out, and why."""


def reindex(root: str, memory_dir: str) -> Reindexed:
    """Write `index.md` from the memory files, whole and under the store's lock.

    Damaged files are left out. Raises `LockError` and `WriteError`.
    """
    with locked(memory_dir):
        return renew(root, memory_dir)


def _check_folders(memory_dir: str) -> None:
    """A folder that cannot be listed must not lose its lines. Raises OSError."""
    for folder, _category in FOLDERS:
        with suppress(FileNotFoundError, NotADirectoryError):
            os.scandir(os.path.join(memory_dir, folder)).close()


def renew(root: str, memory_dir: str) -> Reindexed:
    """What `reindex` does, for a caller that holds the lock.

    Where no memory is active, an index that is there is emptied. Raises `WriteError`.
    """
    path = os.path.join(memory_dir, "index.md")
    try:
        # Listed after `times`: whoever adds a file by hand meanwhile makes the index stale.
        times = freshness.present_times(memory_dir)
        _check_folders(memory_dir)
        text, skipped, _is_damaged = rebuild(root, memory_dir)
        if text or os.path.exists(path):
            write(path, text, max(1, *times))
    except OSError as error:
        what = f"index.md cannot be written: {error.strerror or error}"
        raise WriteError(what, f"make `{memory_dir}` writable; the old index.md is as it was") from None
    return Reindexed(len(twin.IndexMd(text.encode())), skipped)
