"""The folder `.cuecard` of a store: derived files that can be deleted, kept out of the project's commits.

A repository can bring such a folder along. A file in it is read only if the seal says that this user's cuecard has
written it.
"""

import os

from .folder import KIND, REGULAR, Folder, Unread
from .seal import announce, read_seal, update_seal
from .store_files import open_store

NAME = ".cuecard"
IGNORE_FILE = ".gitignore"
IGNORE = b"*\n"


def open_derived(memory_dir: str) -> Folder:
    """The folder as it is. Raises FileNotFoundError where it is missing, RefusedError for a link, OSError."""
    with open_store(memory_dir) as store:
        return store.folder(NAME)


def make_derived(memory_dir: str) -> Folder:
    """The folder with its `.gitignore`; what is missing is made, the store too. Raises RefusedError, OSError."""
    with open_store(memory_dir, make=True) as store:
        derived = store.make_folder(NAME)
    try:
        status = derived.status(IGNORE_FILE)
    except FileNotFoundError:
        is_whole = False
    else:
        # Anything but a regular file is left alone: then the repository says what it ignores. One that is shorter was
        # left by a process that died.
        is_whole = status.st_mode & KIND != REGULAR or status.st_size >= len(IGNORE)
    if not is_whole:
        derived.replace(IGNORE_FILE, IGNORE, durable=False)
    return derived


def read_sealed(memory_dir: str, name: str, limit: int) -> bytes:
    """The bytes of a derived file that the seal holds for. Raises Unread."""
    try:
        derived = open_derived(memory_dir)
    except FileNotFoundError:
        raise Unread(Unread.MISSING) from None
    except (OSError, ValueError):
        raise Unread(Unread.UNREADABLE) from None
    with derived:
        data, status = derived.read(name, limit)
    if not read_seal(memory_dir).holds(name, status):
        raise Unread(Unread.MISSING)
    return data


def write_sealed(memory_dir: str, files: dict[str, bytes | None]) -> None:
    """Put derived files in their places, or remove those that are None, and note that they are ours. Raises OSError."""
    written: dict[str, os.stat_result | None] = {}
    with make_derived(memory_dir) as derived:
        for name, data in files.items():
            if data is not None:
                written[name] = _replace_sealed(memory_dir, derived, name, data)
                continue
            written[name] = None
            try:
                derived.remove(name)
            except FileNotFoundError:
                # There was none, or another one was faster.
                continue
    update_seal(memory_dir, written)


def _replace_sealed(memory_dir: str, derived: Folder, name: str, data: bytes) -> os.stat_result:
    """Put a derived file in its place, noted as ours before it is there. Raises OSError."""

    def note(status: os.stat_result) -> None:
        announce(memory_dir, name, status)

    return derived.replace(name, data, announce=note)
