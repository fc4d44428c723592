"""Classic recall: finds memories by a scan of `index.md` and the deep check of their files (SPEC 6 to 8, 13)."""

import time

from ...errors import StoreError
from ...files import freshness
from ...files.folder import Unread
from ...files.memory_files import list_records, read_all_records, read_index
from ...files.store_files import StoreFiles
from ..classic.index_md import IndexMd
from ..memory.deep_check import check_record
from ..memory.rebuild import rebuild_index
from ..settings.strategy import revision_of

# The number of shortlisted memories whose files are read.
DEEP_CHECK_LIMIT = 20
# A prompt rebuilds a stale index only if the store has at most this many memories. A larger store answers from the
# stale index until a command rebuilds it.
HEAL_LIMIT = 1000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.root import Project
    from ..settings.recall_settings import RecallSettings


class ReadIndex:
    """The index of a store, as a prompt reads it."""

    def __init__(self) -> None:
        """Start without an index."""
        # None if the index has no memories, or if it was missing and a memory file is damaged (the rebuilt index then
        # serves the next prompt).
        self.index: IndexMd | None = None
        # The text of the rebuilt `index.md`, and the modification time that it gets; None if the file stays as it is.
        self.rebuilt: str | None = None
        self.made = 0
        self.notes: list[str] = []


def load_index(project: "Project", heal_limit: int = HEAL_LIMIT, index_type: type[IndexMd] = IndexMd) -> ReadIndex:
    """Return the index, rebuilt if it is missing, or if it is stale and the store has at most `heal_limit` memories.

    `index_type` is the `IndexMd` of a backend. Raises StoreError if `index.md` cannot be read.
    """
    answer = ReadIndex()
    times = freshness.folder_times(project[1])
    is_missing = False
    data = b""
    try:
        data = read_index(project[1])
    except Unread as unread:
        if unread.words != Unread.MISSING:
            raise StoreError(f"index.md {unread.words}", "`cuecard index rebuild` rebuilds it") from None
        is_missing = True
    is_stale = not is_missing and freshness.is_stale(project[1], times)
    if is_stale and len(list_records(project[1])) > heal_limit:
        answer.notes.append("index.md is older than the memories; `cuecard index rebuild` brings it up to date")
        is_stale = False
    if is_missing or is_stale:
        text, skipped, is_damaged = rebuild_index(read_all_records(*project))
        answer.notes += [f"left `{record}` out of index.md: {reason}" for record, reason in skipped]
        if is_missing and not text:
            return answer
        answer.rebuilt = text
        answer.made = freshness.watermark(times)
        if is_missing and is_damaged:
            return answer
        data = text.encode()
    index = index_type(data)
    bad_lines = index.bad_lines
    if bad_lines:
        line, reason = bad_lines[0]
        lines = "line" if len(bad_lines) == 1 else "lines"
        answer.notes.append(f"index.md: {len(bad_lines)} bad {lines}, the first is line {line} (`{reason}`)")
    answer.index = index if index.entries else None
    return answer


def find_hits(
    index: IndexMd, prompt: str, project: "Project", config: "RecallSettings", limit: int, notes: list[str]
) -> list[tuple[int, int, int]]:
    """Return position, score and recency points of at most `limit` memories for a prompt, best first (SPEC 8).

    Memories that are outside the store, are retired or have no file are left out. In classic mode only the files of
    the 20 best shortlisted memories are read, and memories without a file are kept, as in the
    claude-memory plugin.
    """
    shortlist = index.shortlist(prompt, revision_of(config.strategy), config.descriptions)
    files = MemoryFiles(project, config.is_classic, notes)
    entries = index.entries
    verdicts = {position: files.check(entries[position].path) for position, _score in shortlist[:DEEP_CHECK_LIMIT]}
    hits: list[tuple[int, int, int]] = []
    for position, score in index.rank(shortlist, list(verdicts.values())):
        if len(hits) == limit:
            break
        if position in verdicts:
            hits.append((position, score, verdicts[position] or 0))
        elif files.is_shown(entries[position].path):
            hits.append((position, score, 0))
    return hits


class MemoryFiles:
    """Reads the files of a project's memories to decide whether each memory may be shown."""

    def __init__(self, project: "Project", is_classic: bool, notes: list[str]) -> None:
        """Read the files of `project`; problems with a file are added to `notes`."""
        self._files = StoreFiles(project[1])
        self._is_classic = is_classic
        self._notes = notes
        self._now = time.time_ns() // 1000

    def check(self, path: str) -> int | None:
        """Return the recency points of the memory at a path; None if the memory must not be shown."""
        try:
            return check_record(self._files.read(path)[0], self._now, not self._is_classic)
        except Unread as unread:
            self._notes.append(f"`{path}` {unread.words}")
            is_gone = unread.words == Unread.MISSING and not self._is_classic
            return None if is_gone or unread.words == Unread.OUTSIDE else 0

    def is_shown(self, path: str) -> bool:
        """Whether a memory that is ranked below the deep check's limit may be shown."""
        if self._is_classic:
            return not self._files.is_outside(path)
        return self.check(path) is not None
