"""Makes `index.md` anew because somebody asked for it."""

import os
from dataclasses import dataclass

from .._backend import twin
from ..errors import WriteError
from . import freshness
from .index_md import rebuild, write
from .lock import locked


@dataclass(frozen=True)
class Reindexed:
    """What became of the index."""

    lines: int
    """How many memories it has; 0 where none is active, and the index was left alone."""
    skipped: list[tuple[str, str]]
    """Damaged files that it had to leave out, and why."""


def reindex(root: str, memory_dir: str) -> Reindexed:
    """Write `index.md` from the memory files, whole and under the store's lock.

    Damaged files are left out. Raises `LockError` and `WriteError`.
    """
    with locked(memory_dir):
        return renew(root, memory_dir, leaves_last=True)


def renew(root: str, memory_dir: str, *, leaves_last: bool = False) -> Reindexed:
    """What `reindex` does, for a caller that holds the lock.

    Where no memory is active, an index that is there is emptied, unless `leaves_last`. Raises `WriteError`.
    """
    path = os.path.join(memory_dir, "index.md")
    try:
        # Listed after `times`: whoever adds a file by hand meanwhile makes the index stale.
        times = freshness.present_times(memory_dir)
        text, skipped, _is_damaged = rebuild(root, memory_dir)
        if text or (os.path.exists(path) and not leaves_last):
            write(path, text, max(1, *times))
    except OSError as error:
        what = f"index.md cannot be written: {error.strerror or error}"
        raise WriteError(what, f"make `{memory_dir}` writable; the old index.md is as it was") from None
    return Reindexed(len(twin.Index(text.encode())), skipped)
