"""Removes the temporary files of processes that died. Under the lock no other writer has a temporary file."""

import time
from contextlib import suppress

from ...basics.category import FOLDERS
from ...files.derived import open_derived
from ...files.folder import KIND, REGULAR, Folder, is_temporary
from ...files.store_files import open_store
from ...files.user_folder import open_store_folder

# A prompt's hook may be writing a derived file this long.
LEFTOVER_SECONDS = 60


def sweep_folders(memory_dir: str) -> None:
    """Remove what interrupted writes of memory files left."""
    for folder, _category in FOLDERS:
        with suppress(OSError), open_store(memory_dir) as store, store.folder(folder) as place:
            _sweep(place, None)


def sweep_derived(memory_dir: str) -> None:
    """Remove leftovers of the index, the snapshot and the user's data about the store, except young ones.

    A hook may be at work there without the lock.
    """
    oldest = time.time() - LEFTOVER_SECONDS
    with suppress(OSError), open_store(memory_dir) as store:
        _sweep(store, oldest)
    with suppress(OSError), open_derived(memory_dir) as derived:
        _sweep(derived, oldest)
    kept = open_store_folder(memory_dir)
    if kept:
        with suppress(OSError), kept:
            _sweep(kept, oldest)


def _sweep(folder: Folder, oldest: float | None) -> None:
    """Remove regular files with names of ours, those since `oldest` excepted."""
    for entry in list(folder.scan()):
        if not is_temporary(entry.name):
            continue
        with suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if status.st_mode & KIND == REGULAR and (oldest is None or status.st_mtime < oldest):
                folder.remove(entry.name)
