"""From `index.md` to the memories that the plugin shows: a scan of its lines and the deep check (SPEC 6 to 8, 13)."""

import time

from .._backend import engine
from ..errors import StoreError
from ..files import freshness
from ..files.folder import Unread
from ..files.store_files import StoreFiles
from ..memory.deep_check import check_record
from ..memory.index_md import list_records, read_index, rebuild
from ..settings.strategy import revision_of

# So many members of the shortlist have their files read.
DEEP_CHECK_LIMIT = 20
# More memories than these are not read within a prompt: an old index answers, and a command brings it up to date.
HEAL_LIMIT = 1000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import IndexMd
    from ..files.root import Project
    from .answer import Answer
    from .config import Config


def load_index(project: "Project", answer: "Answer", heal_limit: int = HEAL_LIMIT) -> "IndexMd | None":
    """The index, rebuilt where it is missing, or where it is stale and has at most `heal_limit` memories.

    None where the project has no memories."""
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
        text, skipped, is_damaged = rebuild(*project)
        answer.notes += [f"left `{record}` out of index.md: {reason}" for record, reason in skipped]
        if is_missing and not text:
            return None
        answer.rebuilt_index = text
        answer.index_made = freshness.watermark(times)
        if is_missing and is_damaged:
            return None
        data = text.encode()
    index = engine.IndexMd(data)
    bad_lines = index.bad_lines()
    if bad_lines:
        line, reason = bad_lines[0]
        answer.notes.append(f"index.md: {len(bad_lines)} bad lines, the first is line {line} (`{reason}`)")
    return index if len(index) else None


def find_hits(
    index: "IndexMd", prompt: str, project: "Project", config: "Config", limit: int, notes: list[str]
) -> list[tuple[int, int, int]]:
    """Position, score and points of recency of at most `limit` memories for a prompt, best first (SPEC 8).

    None of them is outside the store, retired or gone; where the plugin's own answer is asked for, no file beyond the
    shortlist's 20 best is read, and what is gone counts.
    """
    shortlist = index.shortlist(prompt, revision_of(config.strategy), config.descriptions)
    files = MemoryFiles(project, config.is_classic, notes)
    verdicts = {position: files.check(index.entry(position)[2]) for position, _score in shortlist[:DEEP_CHECK_LIMIT]}
    hits: list[tuple[int, int, int]] = []
    for position, score in index.rank(shortlist, list(verdicts.values())):
        if len(hits) == limit:
            break
        if position in verdicts:
            hits.append((position, score, verdicts[position] or 0))
        elif files.is_shown(index.entry(position)[2]):
            hits.append((position, score, 0))
    return hits


class MemoryFiles:
    """What the files of a project's memories say about showing them."""

    __slots__ = ("_files", "_is_classic", "_notes", "_now")

    def __init__(self, project: "Project", is_classic: bool, notes: list[str]) -> None:
        """Answer for `project`; what is wrong with a file is added to `notes`."""
        self._files = StoreFiles(project[1])
        self._is_classic = is_classic
        self._notes = notes
        self._now = time.time_ns() // 1000

    def check(self, path: str) -> int | None:
        """The points that a file gives its memory; None where it must not be shown."""
        try:
            return check_record(self._files.read(path)[0], self._now, not self._is_classic)
        except Unread as unread:
            self._notes.append(f"`{path}` {unread.words}")
            is_gone = unread.words == Unread.MISSING and not self._is_classic
            return None if is_gone or unread.words == Unread.OUTSIDE else 0

    def is_shown(self, path: str) -> bool:
        """Whether a memory beyond the deep check may be shown."""
        if self._is_classic:
            return not self._files.is_outside(path)
        return self.check(path) is not None
