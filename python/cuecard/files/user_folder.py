"""The user's data folder and configuration folder, which no repository can write to (SPEC 44).

The data folder has one folder for each store, named after a hash of the store's path. A store's folder contains
sessions, focus, logs, the state of git, the work left at the end of a session, and the seal of the derived files. All
files are private to the user.
"""

import os

from ..basics.digest import sha256_hex
from .checkouts import shared_folder_of
from .data_folder import (
    allow_target,
    allowed_target,
    config_path,
    data_path,
    home_path,
    named_home,
    open_data_folder,
    state_home_path,
)
from .folder import KIND, PRIVATE_FILE, PRIVATE_FOLDER, REGULAR, Folder

__all__ = [
    "OF_PROJECT",
    "PATH_FILE",
    "STORES",
    "allow_target",
    "allowed_target",
    "append_to_log",
    "config_path",
    "data_path",
    "home_path",
    "is_users_own",
    "keeps_data",
    "named_home",
    "open_data_folder",
    "open_project_folder",
    "open_store_folder",
    "place_of",
    "read_kept",
    "real_path",
    "remove_store_folder",
    "state_home_path",
    "store_key",
    "store_path",
]

KEY_CHARS = 32
STORES = "stores"
# A file with the path of the store, for people who look at the data folder.
PATH_FILE = "path"
# What all checkouts of a repository share: it is in the folder of the shared checkout's store (SPEC 44.3).
OF_PROJECT = ("inbox", "ledger", "left", "notice", "sessions", "staging")


def is_users_own(memory_dir: str) -> bool:
    """Whether a store lies in the user's data folder, so that it travels with no project."""
    own = data_path()
    return own != "" and os.path.realpath(memory_dir).startswith(os.path.realpath(own) + os.sep)


def store_key(memory_dir: str) -> str:
    """The name of a store's folder: the first 32 hexadecimal digits of the SHA-256 of its real path."""
    return sha256_hex(os.fsencode(real_path(memory_dir)))[:KEY_CHARS]


def store_path(memory_dir: str, name: str = "") -> str:
    """The path of a store's data folder, which need not exist, for messages; "" if the user has no home folder.

    With `name` it is the folder that has what is called so.
    """
    data = data_path()
    return data and os.path.join(data, STORES, store_key(place_of(memory_dir, name)))


def place_of(memory_dir: str, name: str) -> str:
    """The store whose data folder has what is called `name`: for some of it, that of the shared checkout.

    A worktree is removed, moved and made again, and what was typed and drafted in it outlives it.
    """
    if name not in OF_PROJECT:
        return memory_dir
    shared = shared_folder_of(os.path.dirname(os.path.dirname(memory_dir)))
    return os.path.join(shared, ".claude", "memory") if shared else memory_dir


def real_path(memory_dir: str) -> str:
    """The path of a store. Links above the project are resolved, links below the project are not."""
    root = os.path.dirname(os.path.dirname(memory_dir))
    return os.path.join(os.path.realpath(root), ".claude", "memory")


def append_to_log(memory_dir: str, names: tuple[str, str, str], limit: int, lines: bytes) -> None:
    """Append lines to a log in the data folder of a store; without a data folder nothing happens. Raises OSError.

    `names` are the folder, the file, and the file that takes over the older lines when the file has over `limit` bytes.
    """
    place, file, older = names
    folder = open_store_folder(memory_dir, place, make=True)
    if folder is None:
        return
    with folder:
        try:
            status = folder.status(file)
        except FileNotFoundError:
            pass
        else:
            if status.st_mode & KIND == REGULAR and status.st_size > limit:
                folder.rename(file, older)
        # One append in one call, so that lines of several processes do not mix.
        folder.append(file, lines)


def open_store_folder(memory_dir: str, *names: str, make: bool = False) -> Folder | None:
    """Open the data folder of a store, or the folder below it at the path `names`.

    For names of `OF_PROJECT` it is that of the shared checkout; `open_project_folder` opens it for files among them.
    With `make` missing folders are created. None if the folder is missing or cannot be created; then the caller keeps
    no data.
    """
    memory_dir = place_of(memory_dir, names[0]) if names else memory_dir
    data = open_data_folder(make=make)
    if data is None:
        return None
    try:
        with data:
            folder = _descend(data, STORES, make=make)
        with folder:
            key = store_key(memory_dir)
            if make and not folder.kind(key):
                with folder.make_folder(key, PRIVATE_FOLDER) as fresh:
                    path = os.fsencode(real_path(memory_dir)).replace(b"\n", b"?")
                    fresh.replace(PATH_FILE, path + b"\n", mode=PRIVATE_FILE, durable=False)
            below = _descend(folder, key, make=make)
        for name in names:
            with below:
                following = _descend(below, name, make=make)
            below = following
    except OSError:
        return None
    return below


def read_kept(memory_dir: str, *place: str, limit: int) -> bytes | None:
    """The bytes of a file in the data folder of a store, at a path of folders and its name; None if it cannot be read.

    `limit` is the most bytes that it may have.
    """
    *folders, name = place
    folder = open_store_folder(memory_dir, *folders)
    if folder is None:
        return None
    with folder:
        return folder.read_if_any(name, limit)


def open_project_folder(memory_dir: str, *, make: bool = False) -> Folder | None:
    """Open the data folder that has the files of `OF_PROJECT`, as `open_store_folder` does."""
    return open_store_folder(place_of(memory_dir, OF_PROJECT[0]), make=make)


def remove_store_folder(memory_dir: str) -> None:
    """Remove the data folder of a temporary store. Raises OSError."""
    data = open_data_folder()
    if data:
        with data, data.folder(STORES) as stores:
            stores.remove_tree(store_key(memory_dir))


def keeps_data() -> bool:
    """Whether the data folder exists or can be created, and is writable. If not, no data about stores is kept."""
    data = open_data_folder(make=True)
    if data is None:
        return False
    with data:
        return os.access(data.path, os.W_OK)


def _descend(folder: Folder, name: str, *, make: bool) -> Folder:
    return folder.make_folder(name, PRIVATE_FOLDER) if make else folder.folder(name)
