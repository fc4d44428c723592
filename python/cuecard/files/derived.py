"""The folder `.cuecard` of a store: derived files, which can be deleted and are ignored by Git.

A repository can contain such a folder. A file in it is read only if the seal says that this user's cuecard has written
it.
"""

import errno
import os

from .folder import KIND, PRIVATE_FILE, REGULAR, Folder, Unread
from .seal import announce, read_seal, update_seal
from .store_files import open_store
from .user_folder import open_store_folder

NAME = ".cuecard"
# The folder of derived files in the store's folder of the user.
OWN = "derived"
# The errors of a store that cannot be written.
UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)
IGNORE_FILE = ".gitignore"
IGNORE = b"*\n"


def open_derived(memory_dir: str) -> Folder:
    """Open the folder. Raises FileNotFoundError if it is missing, RefusedError if it is a link, or another OSError."""
    with open_store(memory_dir) as store:
        return store.folder(NAME)


def make_derived(memory_dir: str) -> Folder:
    """Open the folder; create it, its `.gitignore` and the store if they are missing. Raises RefusedError, OSError."""
    with open_store(memory_dir, make=True) as store:
        derived = store.make_folder(NAME)
    try:
        status = derived.status(IGNORE_FILE)
    except FileNotFoundError:
        is_whole = False
    else:
        # A `.gitignore` that is not a regular file was put there by the repository and stays. A shorter file was left
        # by a process that died while it wrote.
        is_whole = status.st_mode & KIND != REGULAR or status.st_size >= len(IGNORE)
    if not is_whole:
        derived.replace(IGNORE_FILE, IGNORE, durable=False)
    return derived


def read_sealed(memory_dir: str, name: str, limit: int) -> bytes:
    """The bytes of a derived file. Raises Unread, also if the seal does not list the file as written by this user."""
    own = open_store_folder(memory_dir, OWN)
    if own:
        with own:
            return own.read(name, limit)[0]
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
    """Write derived files by name, remove those whose data is None, and update the seal. Raises OSError.

    Where the store cannot be written, or somebody else writes these files too, they go into the user's data folder
    (SPEC 43.7).
    """
    own = open_store_folder(memory_dir, OWN)
    if own is None:
        try:
            if not _is_of_others(memory_dir, files):
                _write_into_store(memory_dir, files)
                return
        except OSError as error:
            own = open_store_folder(memory_dir, OWN, make=True) if error.errno in UNWRITABLE else None
            if own is None:
                raise
        else:
            own = open_store_folder(memory_dir, OWN, make=True)
    if own is None:
        raise PermissionError(13, "the derived files are somebody else's")
    with own:
        for name, data in files.items():
            if data is not None:
                own.replace(name, data, mode=PRIVATE_FILE, durable=False)
                continue
            try:
                own.remove(name)
            except FileNotFoundError:
                continue


def has_own_derived(memory_dir: str) -> bool:
    """Whether the derived files of a store are in the user's data folder."""
    own = open_store_folder(memory_dir, OWN)
    if own:
        own.close()
    return own is not None


def _is_of_others(memory_dir: str, files: dict[str, bytes | None]) -> bool:
    """Whether somebody else has replaced one of the files that this user's cuecard had written."""
    try:
        derived = open_derived(memory_dir)
    except (OSError, ValueError):
        return False
    seal = read_seal(memory_dir)
    with derived:
        for name in files:
            try:
                status = derived.status(name)
            except OSError:
                continue
            if status.st_mode & KIND == REGULAR and seal.is_of_others(name, status):
                return True
    return False


def _write_into_store(memory_dir: str, files: dict[str, bytes | None]) -> None:
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
                # The file did not exist, or another process has removed it.
                continue
    update_seal(memory_dir, written)


def _replace_sealed(memory_dir: str, derived: Folder, name: str, data: bytes) -> os.stat_result:
    """Replace a derived file. The seal lists the new file before the file gets its name. Raises OSError."""

    def note(status: os.stat_result) -> None:
        announce(memory_dir, name, status)

    return derived.replace(name, data, announce=note)
