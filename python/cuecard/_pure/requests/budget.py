"""Limits the work that one call does to update a snapshot (SPEC 23.2).

A prompt has limits, a command has none.
"""

import time

from ...files.store_files import MAX_RECORD_BYTES

NO_LIMIT = 2**63

# How many files a prompt lists, and how many of them it reads.
LIST_LIMIT = 10_000
FILE_LIMIT = 1000
# The total weight of the files that a prompt reads; see `weight_of`.
WEIGHT_LIMIT = 3_407_872
# How many bytes of delta segments a prompt may merge, to keep deltas few.
MERGE_LIMIT = 262_144
# A prompt reads no files if the deltas have more bytes, because it would copy all of them.
DELTA_LIMIT = 100_663_296
# After this many seconds of CPU time a prompt reads no more large files.
CPU_LIMIT = 0.68
# After this many seconds a prompt reads no files at all: the bound for slow machines and file systems.
WALL_LIMIT = 3.0
# A file with more bytes is large.
SMALL_BYTES = 16_384

# The weight of reading a file is its size divided by this.
READ_SHARE = 2
# Only this many bytes of a memory's text are indexed (SPEC 22.1).
INDEXED_BYTES = 32_768


class Budget:
    """The work that may still be done; unlimited unless limits are given."""

    def __init__(
        self,
        files: int = NO_LIMIT,
        weight: int = NO_LIMIT,
        merge: int | None = None,
        *,
        list_limit: int = NO_LIMIT,
        delta_limit: int = NO_LIMIT,
        seconds: tuple[float, float] = (NO_LIMIT, NO_LIMIT),
    ) -> None:
        """Set how many files may be read, their total weight, and how many bytes of deltas may be merged.

        If `merge` is None, as in commands, all deltas may be merged into one file. `seconds` are the limits of CPU time
        and of wall time. The comments on `LIST_LIMIT`, `DELTA_LIMIT`, `CPU_LIMIT` and `WALL_LIMIT` explain the others.
        """
        self.files = files
        self.weight = weight
        self.merge = merge
        self.list = list_limit
        self.deltas = delta_limit
        self._cpu_limit, self.wall_limit = seconds
        self._begun = time.monotonic()
        self._cpu_begun = time.process_time()

    def takes(self, size: int) -> bool:
        """Whether a file of `size` bytes may be read. If so, one file and its weight are subtracted from the budget."""
        weight = weight_of(size)
        if self.files and time.monotonic() - self._begun > self.wall_limit:
            self.files = 0
        if not self.files or weight > self.weight:
            return False
        # CPU time of this process: other programs do not use it up.
        if size > SMALL_BYTES and time.process_time() - self._cpu_begun > self._cpu_limit:
            return False
        self.files -= 1
        self.weight -= weight
        return True


def prompt_budget() -> Budget:
    """Return the budget of one prompt."""
    return Budget(
        FILE_LIMIT,
        WEIGHT_LIMIT,
        MERGE_LIMIT,
        list_limit=LIST_LIMIT,
        delta_limit=DELTA_LIMIT,
        seconds=(CPU_LIMIT, WALL_LIMIT),
    )


def weight_of(size: int) -> int:
    """Return the weight of a file, an estimate in bytes of the work to read and index it.

    A file that is too large for a memory has the weight 0, because it is not opened.
    """
    return 0 if size > MAX_RECORD_BYTES else min(size, INDEXED_BYTES) + size // READ_SHARE
