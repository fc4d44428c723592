"""The one lock of a store's writers. Readers never take it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from filelock import FileLock, Timeout

from ..errors import LockError, WriteError
from .derived import make_derived
from .folder import REGULAR, Folder, RefusedError

LOCK_SECONDS = 30.0
# Sixteen writers waiting for each other: a tenth of a write is a fair step.
POLL_SECONDS = 0.01
FILE = "write.lock"
# By this name the system reaches an open folder, whatever has been put in the place of its path since.
OPEN_FOLDERS = "/proc/self/fd"


@contextmanager
def locked(memory_dir: str, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock of the store at `memory_dir`; waits at most `seconds`, then raises `LockError`.

    The operating system frees it when the holder dies, in whatever way.
    """
    try:
        with make_derived(memory_dir) as derived:
            lock = FileLock(_lock_path(derived), timeout=seconds, poll_interval=POLL_SECONDS)
            lock.acquire()
    except Timeout:
        raise LockError(
            f"another process has been writing to `{memory_dir}` for {seconds:g} seconds",
            "try again when it is done; nothing was written",
        ) from None
    except OSError as error:
        raise WriteError(
            f"the store cannot be locked: {error.strerror or error}", f"make `{memory_dir}` writable"
        ) from None
    try:
        yield
    finally:
        # What was written is written; the system frees the lock with the process at the latest.
        with suppress(OSError):
            lock.release()


def _lock_path(derived: Folder) -> str:
    """Where the lock's file is. Raises RefusedError where something else stands in its place.

    The lock opens its file by a path, without following a link in the last place.
    """
    if derived.kind(FILE) not in (0, REGULAR):
        raise RefusedError(os.path.join(derived.path, FILE), f"`{FILE}` is not a regular file")
    by_handle = derived.path_by_handle(OPEN_FOLDERS)
    return os.path.join(by_handle if by_handle and os.path.isdir(by_handle) else derived.path, FILE)
