"""New vectors put into their file beside those that others have put there meanwhile (SPEC 46.5)."""

import os

from ..errors import CuecardError
from ..store.atomic import replace_derived
from ..store.derived import ensure_derived_folder
from ..store.lock import LOCK_SECONDS, locked
from .vectors_file import DamagedVectors, Entry, encode_vectors, read_vectors, vectors_path


def update_vectors(
    memory_dir: str, fingerprint: int, dimension: int, fresh: dict[str, Entry], seconds: float = LOCK_SECONDS
) -> None:
    """Put `fresh` entries into a store's file, under the writers' lock; those of files that are gone leave it.

    Of two entries for a path the one made of the younger file stays. Entries of another dimension leave too: they are
    another model's. Raises LockError after `seconds`, WriteError where the lock cannot be had, OSError.
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
        known = {path: entry for path, entry in kept.items() if os.path.exists(_located(memory_dir, path))}
        ensure_derived_folder(memory_dir)
        replace_derived(vectors_path(memory_dir, fingerprint), encode_vectors(fingerprint, dimension, known), None)


def other_files(memory_dir: str, fingerprint: int) -> list[str]:
    """The names of the files of other embedders."""
    own = os.path.basename(vectors_path(memory_dir, fingerprint))
    try:
        names = os.listdir(os.path.join(memory_dir, ".cuecard"))
    except OSError:
        return []
    return sorted([name for name in names if name.startswith("vectors-") and name != own])


def try_update(memory_dir: str, fingerprint: int, dimension: int, fresh: dict[str, Entry], seconds: float) -> str:
    """As `update_vectors`; why it failed, "" where it did not."""
    try:
        update_vectors(memory_dir, fingerprint, dimension, fresh, seconds)
    except CuecardError as error:
        return error.what
    except OSError as error:
        return f"the file of the vectors cannot be written: {error.strerror or error}"
    return ""


def _located(memory_dir: str, path: str) -> str:
    return os.path.join(memory_dir, *path.split("/")[-2:])
