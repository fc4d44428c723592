"""The folder of temporary files in memory, where there is one: most tests wait for a disk and not for a processor.

On a journaling file system a folder that is removed or a file that is synced costs milliseconds, and the tests do
that some hundred thousand times. None of them is about what a disk keeps when a machine loses its power.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
# Several times what all tests together have there at once.
LEAST_BYTES = 2 << 30


def use_memory_folder() -> None:
    """Let this process and those that it starts keep temporary files in memory, in a folder that goes when it ends.

    With `TMPDIR` set that folder is used, where pytest keeps the folders of the last failed tests.
    """
    if "TMPDIR" in os.environ or not _is_suitable():
        return
    folder = tempfile.mkdtemp(prefix="pytest-cuecard-", dir=SHARED_MEMORY)
    owner = os.getpid()

    def remove() -> None:
        # A child that was forked must not take the folder away from its parent.
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    os.environ["TMPDIR"] = tempfile.tempdir = folder


@contextmanager
def disk_folder() -> Iterator[Path]:
    """An empty folder that settings may name as a model's: none below `/dev` is."""
    place = "/tmp" if Path(tempfile.gettempdir()).is_relative_to(SHARED_MEMORY) else None
    folder = Path(tempfile.mkdtemp(prefix="cuecard-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_suitable() -> bool:
    """Whether there is shared memory with enough room, in which programs may be executed."""
    if not hasattr(os, "ST_NOEXEC") or not os.access(SHARED_MEMORY, os.W_OK | os.X_OK):
        return False
    there = os.statvfs(SHARED_MEMORY)
    return there.f_bavail * there.f_frsize >= LEAST_BYTES and not there.f_flag & os.ST_NOEXEC
