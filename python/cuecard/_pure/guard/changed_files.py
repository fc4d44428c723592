"""Finds memory files that another program than cuecard has changed recently (SPEC 16.5)."""

import os

from ...basics.category import FOLDERS
from ...errors import SegmentError
from ...files.folder import KIND, REGULAR, Unread
from ...files.store_files import StoreFiles
from ..engine.snapshot_upkeep import read_snapshot
from ..requests.budget import LIST_LIMIT


def changed_files(memory_dir: str, since: int, limit: int) -> list[tuple[str, str]]:
    """Folder and name of the memory files that changed after `since` and differ from the snapshot.

    `since` is in nanoseconds since 1970. Returns at most `limit` files, in the order of `FOLDERS` and of names. At most
    `LIST_LIMIT` files are looked at. Without a snapshot the result is empty.
    """
    young: list[tuple[str, str, tuple[int, int]]] = []
    left = LIST_LIMIT
    with StoreFiles(memory_dir) as files:
        for folder, _category in FOLDERS:
            try:
                place = files.folder(folder)
                entries = [entry for entry in place.scan() if entry.name.endswith(".json")][:left] if place else []
            except (OSError, Unread):
                continue
            left -= len(entries)
            for entry in sorted(entries, key=lambda entry: entry.name):
                status = entry.stat(follow_symlinks=False)
                changed = status.st_mtime_ns if os.name == "nt" else max(status.st_mtime_ns, status.st_ctime_ns)
                if status.st_mode & KIND == REGULAR and changed >= since:
                    young.append((folder, entry.name, (status.st_size, status.st_mtime_ns)))
    known = _known_files(memory_dir) if young else None
    if known is None:
        return []
    changed_ones = [(folder, name) for folder, name, stamp in young if known.get((folder, name)) != stamp]
    return changed_ones[:limit]


def _known_files(memory_dir: str) -> dict[tuple[str, str], tuple[int, int]] | None:
    """Size and modification time (ns) of each file in the snapshot, by folder and name; None without a snapshot."""
    try:
        snapshot = read_snapshot(memory_dir)
    except (SegmentError, Unread):
        return None
    return {
        (folder, path.rpartition("/")[2]): stamp
        for folder, _category in FOLDERS
        for path, stamp in snapshot.stamps(folder).items()
    }
