"""Rebuilds `index.md` and the snapshot from the memory files, for commands."""

from contextlib import suppress
from dataclasses import dataclass

from ..._backend import engine, index_text, read_effective_settings
from ...basics.category import FOLDERS
from ...errors import WriteError
from ...files import freshness
from ...files.folder import RefusedError
from ...files.freshness import MISSING
from ...files.lock import locked
from ...files.memory_files import has_index, write
from ...files.store_files import open_store
from .upkeep import write_snapshot


@dataclass(frozen=True)
class Reindexed:
    """The result of a rebuild of index and snapshot."""

    lines: int
    """How many memories the index lists; 0 if none is active."""
    documents: int
    """How many memories the snapshot contains, including inactive ones."""
    skipped: list[tuple[str, str]]
    """Damaged files that were left out, each with the reason."""
    problems: list[str]
    """Why the snapshot was not written; empty if it was."""


def reindex(root: str, memory_dir: str) -> Reindexed:
    """Write `index.md` and the snapshot from the memory files, whole and under the store's lock.

    Damaged files are left out. Raises `LockError` and `WriteError`.
    """
    with locked(memory_dir):
        return renew(root, memory_dir)


def renew(root: str, memory_dir: str) -> Reindexed:
    """Do the same as `reindex`, for a caller that holds the lock.

    If no memory is active, an existing index becomes empty. Raises `WriteError` if the index cannot be written.
    """
    try:
        # The times are taken before the folders are listed: a file that is added by hand meanwhile leaves index and
        # snapshot stale.
        times = freshness.present_times(memory_dir)
        _check_folders(memory_dir)
        watermark = [changed or MISSING for changed in times]
        loaded = engine.load_snapshot(
            root, read_effective_settings(memory_dir).settings.numbers, None, (None, watermark, [])
        )
        if loaded is None:
            raise PermissionError("a folder of memories cannot be listed")
        lines = loaded.snapshot.active_lines
        if lines or has_index(memory_dir):
            write(memory_dir, index_text(lines), max(1, *times))
    except OSError as error:
        what = f"index.md cannot be written: {error.strerror or error}"
        raise WriteError(what, f"make `{memory_dir}` writable; the old index.md is as it was") from None
    problems = write_snapshot(loaded)
    return Reindexed(len(lines), len(loaded.snapshot), loaded.skipped, problems)


def _check_folders(memory_dir: str) -> None:
    """Raise the OSError that keeps a folder of memories from being listed."""
    for folder, _category in FOLDERS:
        # A link in the place of a folder has no memories.
        with suppress(FileNotFoundError, NotADirectoryError, RefusedError), open_store(memory_dir) as store:
            store.folder(folder).close()
