"""The one lock of a store's writers. Readers never take it."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..errors import LockError, WriteError
from .derived import make_derived
from .folder import Folder

LOCK_SECONDS = 30.0
# Sixteen writers waiting for each other: a tenth of a write is a fair step.
POLL_SECONDS = 0.01
FILE = "write.lock"


@contextmanager
def locked(memory_dir: str, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock of the store at `memory_dir`; waits at most `seconds`, then raises `LockError`.

    The operating system frees it when the holder dies, in whatever way.
    """
    try:
        with make_derived(memory_dir) as derived:
            release = _acquire(derived, seconds)
    except TimeoutError:
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
            release()


if sys.platform == "win32":
    from filelock import FileLock, Timeout

    def _acquire(derived: Folder, seconds: float) -> Callable[[], object]:
        """Lock the file in a folder, and return what frees it. Raises TimeoutError, OSError."""
        os.close(derived.open_for_lock(FILE))
        lock = FileLock(os.path.join(derived.path, FILE), timeout=seconds, poll_interval=POLL_SECONDS)
        try:
            lock.acquire()
        except Timeout:
            raise TimeoutError from None
        return lock.release

else:
    import fcntl

    def _acquire(derived: Folder, seconds: float) -> Callable[[], object]:
        """Lock the file in a folder, and return what frees it. Raises TimeoutError, OSError.

        The file is opened from the open folder. filelock takes a path, in which a link can be put meanwhile.
        """
        handle = derived.open_for_lock(FILE)
        deadline = time.monotonic() + seconds
        try:
            while not _is_locked(handle):
                if time.monotonic() >= deadline:
                    raise TimeoutError
                time.sleep(POLL_SECONDS)
        except BaseException:
            os.close(handle)
            raise
        return lambda: os.close(handle)

    def _is_locked(handle: int) -> bool:
        """Lock an open file; False where another process holds it. Raises OSError."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
