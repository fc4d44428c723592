"""Reads the index of the current memories. A missing or stale `index.md` is rebuilt in memory and not written."""

from ..._backend import rebuild_index
from ...errors import StoreError
from ...files import freshness
from ...files.folder import Unread
from ...files.memory_files import read_all_records, read_index


def read_current_index(root: str, memory_dir: str) -> tuple[bytes | None, list[str]]:
    """Return the bytes of the index, and a note for each memory file that was left out of it.

    The bytes are None if there is neither an index nor an active memory. Raises `StoreError` if `index.md` exists and
    cannot be read.
    """
    times = freshness.folder_times(memory_dir)
    data = None
    try:
        data = read_index(memory_dir)
    except Unread as unread:
        if unread.words != Unread.MISSING:
            raise StoreError(f"index.md {unread.words}", "`cuecard index rebuild` rebuilds it") from None
    if data is not None and not freshness.is_stale(memory_dir, times):
        return data, []
    text, skipped, _is_damaged = rebuild(root, memory_dir)
    notes = [f"left `{path}` out of the index: {reason}" for path, reason in skipped]
    return text.encode() if text or data is not None else None, notes


def rebuild(root: str, memory_dir: str) -> tuple[str, list[tuple[str, str]], bool]:
    """The text of an index of the memory files, the files left out with reasons, and whether a file is damaged."""
    return rebuild_index(read_all_records(root, memory_dir))
