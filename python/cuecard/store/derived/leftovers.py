"""Removes temporary files that crashed processes left. Under the lock no other writer has a temporary file."""

import time
from contextlib import suppress

from ...basics.category import FOLDERS
from ...files.derived import open_derived
from ...files.folder import KIND, REGULAR, Folder, is_temporary
from ...files.store_files import open_store
from ...files.user_folder import open_store_folder

# A hook may still be writing a temporary file that is younger than this.
LEFTOVER_SECONDS = 60


def sweep_folders(memory_dir: str) -> None:
    """Remove the temporary files that interrupted writes left in the folders of memories."""
    for folder, _category in FOLDERS:
        with suppress(OSError), open_store(memory_dir) as store, store.folder(folder) as place:
            _sweep(place, None)


def sweep_derived(memory_dir: str) -> None:
    """Remove old temporary files of the index, the snapshot and the user's data about the store.

    Files of the last `LEFTOVER_SECONDS` stay, because a hook writes them without the lock.
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
    """Remove cuecard's temporary files in a folder; if `oldest` is given, only files that were changed before it."""
    for entry in list(folder.scan()):
        if not is_temporary(entry.name):
            continue
        with suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if status.st_mode & KIND == REGULAR and (oldest is None or status.st_mtime < oldest):
                folder.remove(entry.name)
