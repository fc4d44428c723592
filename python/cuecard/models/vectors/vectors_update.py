"""Adds new vectors to their file, and keeps the vectors that other processes have added meanwhile.

Rules: docs/reference/models.md, "File of vectors".
"""

from contextlib import suppress

from ...files.derived import open_derived, read_sealed, write_sealed
from ...files.folder import Unread
from ...files.lock import LOCK_SECONDS, locked
from ...files.store_files import StoreFiles
from .vectors_file import BEGINNING, MAX_BYTES, DamagedVectors, VectorEntry, encode_vectors, read_vectors, vectors_name


def update_vectors(
    memory_dir: str, fingerprint: int, dimension: int, fresh: dict[str, VectorEntry], seconds: float = LOCK_SECONDS
) -> None:
    """Add `fresh` entries to a store's file, under the writers' lock. Entries of deleted memories are removed.

    If a path has an old and a new entry, the entry for the newer file is kept. Entries with another dimension are
    removed, since they belong to another model. Raises LockError after `seconds`, WriteError if the lock cannot be
    created, OSError.
    """
    with locked(memory_dir, seconds):
        try:
            there = read_vectors(memory_dir, fingerprint)
        except DamagedVectors:
            there = None
        kept = there.entries() if there and there.dimension == dimension else {}
        for path, entry in fresh.items():
            if path not in kept or kept[path][1] <= entry[1]:
                kept[path] = entry
        with StoreFiles(memory_dir) as files:
            known = {path: entry for path, entry in kept.items() if files.exists(path)}
        data = encode_vectors(fingerprint, dimension, known)
        write_sealed(memory_dir, {vectors_name(fingerprint): data})


def other_files(memory_dir: str, fingerprint: int) -> list[str]:
    """The names of the vectors files of all embedders except the embedder with this fingerprint."""
    own = vectors_name(fingerprint)
    try:
        with open_derived(memory_dir) as derived:
            names = [entry.name for entry in derived.scan()]
    except OSError:
        return []
    return sorted([name for name in names if name.startswith(BEGINNING) and name != own])


def copy_vectors(memory_dir: str, other_dir: str) -> None:
    """Copy this store's files of vectors to another store. Raises OSError."""
    found: dict[str, bytes | None] = {}
    for name in other_files(memory_dir, -1):
        with suppress(Unread):
            found[name] = read_sealed(memory_dir, name, MAX_BYTES)
    if found:
        write_sealed(other_dir, found)
