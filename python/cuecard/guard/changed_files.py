"""Which memory files have changed lately without cuecard (SPEC 16.5)."""

import os

from .._backend import engine
from ..basics.category import FOLDERS
from ..errors import SegmentError
from ..files.folder import KIND, REGULAR, Unread
from ..files.store_files import StoreFiles
from ..protocol.budget import LIST_LIMIT


def changed_files(memory_dir: str, since: int, limit: int) -> list[tuple[str, str]]:
    """Folder and name of memory files that were changed since and that the snapshot does not have as they are.

    The first `limit` of them, in the order of folders and names; no more files are listed than for a prompt. Without a
    snapshot nothing is known to have changed.
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
    """Size and modification time of every file that the snapshot has; None where there is no snapshot."""
    try:
        snapshot = engine.read_snapshot(memory_dir)
    except (SegmentError, Unread):
        return None
    return {
        (folder, path.rpartition("/")[2]): (size, modified)
        for folder, _category in FOLDERS
        for path, size, modified in snapshot.files(folder) + snapshot.unfit_files(folder)
    }
