"""Puts temporary files into shared memory if possible, because most tests wait for the disk, not for the processor.

On a journaling file system, removing a folder or syncing a file takes milliseconds, and the tests do that some hundred
thousand times. No test needs data to survive a power failure.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
# This is several times the space that all tests need at the same time.
LEAST_BYTES = 2 << 30


def use_memory_folder() -> None:
    """Keep the temporary files of this process and its children in memory, in a folder that is removed at exit.

    If `TMPDIR` is set, its folder is used instead. Then pytest keeps the folders of failed tests there.
    """
    if "TMPDIR" in os.environ or not _is_suitable():
        return
    folder = tempfile.mkdtemp(prefix="pytest-cuecard-", dir=SHARED_MEMORY)
    owner = os.getpid()

    def remove() -> None:
        # A forked child must not remove the folder of its parent.
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    os.environ["TMPDIR"] = tempfile.tempdir = folder


@contextmanager
def disk_folder() -> Iterator[Path]:
    """An empty folder on disk that settings may name as the folder of a model.

    Settings must not name a folder below `/dev`, where the memory folder is.
    """
    place = "/tmp" if Path(tempfile.gettempdir()).is_relative_to(SHARED_MEMORY) else None
    folder = Path(tempfile.mkdtemp(prefix="cuecard-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_suitable() -> bool:
    """Whether there is shared memory with enough space, in which programs may be executed."""
    if not hasattr(os, "ST_NOEXEC") or not os.access(SHARED_MEMORY, os.W_OK | os.X_OK):
        return False
    there = os.statvfs(SHARED_MEMORY)
    return there.f_bavail * there.f_frsize >= LEAST_BYTES and not there.f_flag & os.ST_NOEXEC
