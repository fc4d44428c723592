"""The one lock of a store's writers. Readers never take it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from filelock import FileLock, Timeout

from ..errors import LockError, WriteError
from .derived import ensure_derived_folder

LOCK_SECONDS = 30.0
# Sixteen writers waiting for each other: a tenth of a write is a fair step.
POLL_SECONDS = 0.01


@contextmanager
def locked(memory_dir: str, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock of the store at `memory_dir`; waits at most `seconds`, then raises `LockError`.

    The operating system frees it when the holder dies, in whatever way.
    """
    try:
        ensure_derived_folder(memory_dir)
        lock = FileLock(os.path.join(memory_dir, ".cuecard", "write.lock"), timeout=seconds, poll_interval=POLL_SECONDS)
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
