"""The lock that all writers of a store take. Readers do not take it."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..errors import LockError, WriteError
from .derived import make_derived
from .folder import Folder

LOCK_SECONDS = 30.0
# About a tenth of the duration of a write, so that even sixteen waiting writers lose little time.
POLL_SECONDS = 0.01
FILE = "write.lock"


@contextmanager
def locked(memory_dir: str, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock of the store at `memory_dir` during a `with` statement.

    Raises `LockError` after waiting `seconds`, and `WriteError` if the store cannot be locked. The operating system
    releases the lock when the process ends for any reason.
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
        # The write is complete; if the release fails, the system releases the lock at the end of the process.
        with suppress(OSError):
            release()


if sys.platform == "win32":
    from filelock import FileLock, Timeout

    def _acquire(derived: Folder, seconds: float) -> Callable[[], object]:
        """Lock the lock file in a folder and return a function that releases it. Raises TimeoutError, OSError."""
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
        """Lock the lock file in a folder and return a function that releases it. Raises TimeoutError, OSError.

        The file is opened relative to the open folder. filelock takes a path, in which somebody could put a link.
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
        """Try to lock an open file; False if another process holds the lock. Raises OSError."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
