"""Sweeps away the temporary files of processes that died; under the lock no other writer has any."""

import os
import time
from contextlib import suppress

from .._pure.category import FOLDERS
from .atomic import is_temporary

# A prompt's hook may be writing a derived file this long.
LEFTOVER_SECONDS = 60


def sweep_folders(memory_dir: str) -> None:
    """Of memory files."""
    for folder, _category in FOLDERS:
        for entry in _temporary_files(os.path.join(memory_dir, folder)):
            with suppress(OSError):
                os.unlink(entry.path)


def sweep_derived(memory_dir: str) -> None:
    """Of the index and the snapshot, but what is young: a hook may be at work there without the lock."""
    oldest = time.time() - LEFTOVER_SECONDS
    for folder in (memory_dir, os.path.join(memory_dir, ".cuecard")):
        for entry in _temporary_files(folder):
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(entry.path)


def _temporary_files(folder: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if is_temporary(entry.name)]
    except OSError:
        return []
