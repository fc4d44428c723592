"""How much may be done for a snapshot at once: what one prompt may do (SPEC 23.2), or all there is to do."""

import time

from ..files.store_files import MAX_RECORD_BYTES

NO_LIMIT = 2**63

# So many files are listed within a prompt, and so many of them read.
LIST_LIMIT = 10_000
FILE_LIMIT = 1000
# What the files that are read may weigh together.
WEIGHT_LIMIT = 3_407_872
# The bytes of segments that are written again to keep deltas few.
MERGE_LIMIT = 262_144
# With more bytes of deltas a prompt reads no more, because it would copy all of them.
DELTA_LIMIT = 100_663_296
# After so many seconds of CPU time no large file is read any more.
CPU_LIMIT = 0.68
# A second bound, for slow machines and file systems: after so many seconds nothing is read.
WALL_LIMIT = 3.0
# A larger file counts as large.
SMALL_BYTES = 16_384

# This share of the bytes of a file counts on top of those that are indexed.
READ_SHARE = 2
# More of a memory's text is not indexed (SPEC 22.1).
INDEXED_BYTES = 32_768


class Budget:
    """What is left of it; without limits unless some are given."""

    __slots__ = ("_begun", "_cpu_begun", "_cpu_limit", "deltas", "files", "list", "merge", "wall_limit", "weight")

    def __init__(
        self,
        files: int = NO_LIMIT,
        weight: int = NO_LIMIT,
        merge: int | None = None,
        *,
        list_limit: int = NO_LIMIT,
        delta_limit: int = NO_LIMIT,
        cpu_limit: float = NO_LIMIT,
        wall_limit: float = NO_LIMIT,
    ) -> None:
        """So many files of that weight together; `merge` is how many bytes of deltas may be written again.

        Without `merge` they may all be, and one file be made of everything: that is what commands do.
        """
        self.files = files
        self.weight = weight
        self.merge = merge
        self.list = list_limit
        self.deltas = delta_limit
        self.wall_limit = wall_limit
        self._cpu_limit = cpu_limit
        self._begun = time.monotonic()
        self._cpu_begun = time.process_time()

    def takes(self, size: int) -> bool:
        """Whether a file of so many bytes may be read; it counts if so."""
        weight = weight_of(size)
        if self.files and time.monotonic() - self._begun > self.wall_limit:
            self.files = 0
        if not self.files or weight > self.weight:
            return False
        # The time of this process: other programs do not make it late.
        if size > SMALL_BYTES and time.process_time() - self._cpu_begun > self._cpu_limit:
            return False
        self.files -= 1
        self.weight -= weight
        return True


def prompt_budget() -> Budget:
    """What a prompt may do."""
    return Budget(
        FILE_LIMIT,
        WEIGHT_LIMIT,
        MERGE_LIMIT,
        list_limit=LIST_LIMIT,
        delta_limit=DELTA_LIMIT,
        cpu_limit=CPU_LIMIT,
        wall_limit=WALL_LIMIT,
    )


def weight_of(size: int) -> int:
    """What reading and indexing a file weighs. One that is too large is not opened."""
    return 0 if size > MAX_RECORD_BYTES else min(size, INDEXED_BYTES) + size // READ_SHARE
