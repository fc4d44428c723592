"""The user's data folder and configuration folder, which no repository can write to (SPEC 44).

The data folder has one folder for each store, named after a hash of the store's path. A store's folder contains
sessions, focus, logs, the state of git, the work left at the end of a session, and the seal of the derived files. All
files are private to the user.
"""

import os
import sys

from ..basics.digest import sha256_hex
from ..basics.surroundings import account_home, admits
from .folder import KIND, PRIVATE_FILE, PRIVATE_FOLDER, REGULAR, Folder, Unread
from .open_folder import open_folder

# The name of the folders of cuecard in the folders of the user.
OWN = "cuecard"
KEY_CHARS = 32
STORES = "stores"
# A file with the path of the store, for people who look at the data folder.
PATH_FILE = "path"
LINKS_FILE = "links"
MAX_LINKS_BYTES = 1 << 16


def is_users_own(memory_dir: str) -> bool:
    """Whether a store lies in the user's data folder, so that it travels with no project."""
    own = data_path()
    return own != "" and os.path.realpath(memory_dir).startswith(os.path.realpath(own) + os.sep)


def data_path() -> str:
    """The path of the data folder; "" if the user has no home folder."""
    named = os.environ.get("CUECARD_HOME", "")
    if named and admits(named):
        return named
    home = home_path()
    if sys.platform == "win32":
        above = _named("LOCALAPPDATA") or (home and os.path.join(home, "AppData", "Local"))
    elif sys.platform == "darwin":
        above = home and os.path.join(home, "Library", "Application Support")
    else:
        above = _named("XDG_DATA_HOME") or (home and os.path.join(home, ".local", "share"))
    return above and os.path.join(above, OWN)


def config_path() -> str:
    """The path of the folder with the user's settings; "" if the user has no home folder."""
    home = home_path()
    above = _named("XDG_CONFIG_HOME") or (home and os.path.join(home, ".config"))
    return above and os.path.join(above, OWN)


def state_home_path() -> str:
    """The folder of state files of programs; "" if the user has no home folder."""
    home = home_path()
    return _named("XDG_STATE_HOME") or (home and os.path.join(home, ".local", "state"))


def home_path() -> str:
    """The user's home folder; "" if no variable names one.

    A folder in the project, or of somebody else, is not the user's: then it is the home folder of the account.
    """
    named = named_home()
    return named if not named or admits(named) else account_home()


def named_home() -> str:
    """The home folder that the environment names; "" if it names none."""
    return os.environ.get("HOME", "") or os.environ.get("USERPROFILE", "")


def store_key(memory_dir: str) -> str:
    """The name of a store's folder: the first 32 hexadecimal digits of the SHA-256 of its real path."""
    return sha256_hex(os.fsencode(real_path(memory_dir)))[:KEY_CHARS]


def store_path(memory_dir: str) -> str:
    """The path of a store's data folder, which need not exist, for messages; "" if the user has no home folder."""
    data = data_path()
    return data and os.path.join(data, STORES, store_key(memory_dir))


def real_path(memory_dir: str) -> str:
    """The path of a store. Links above the project are resolved, links below the project are not."""
    root = os.path.dirname(os.path.dirname(memory_dir))
    return os.path.join(os.path.realpath(root), ".claude", "memory")


def open_data_folder(*, make: bool = False) -> Folder | None:
    """Open the data folder; with `make` it is created if it is missing. None if it cannot be opened or created."""
    path = data_path()
    if not path:
        return None
    try:
        return open_folder(path)
    except (OSError, ValueError):
        if not make:
            return None
    try:
        _make_folders(path)
        return open_folder(path)
    except (OSError, ValueError):
        return None


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

    With `make` missing folders are created. None if the folder is missing or cannot be created; then the caller keeps
    no data.
    """
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


def allowed_target(link: str) -> str:
    """The target that the user has allowed for a link (`cuecard trust --link`), as a real path; "" if there is none.

    `link` is the path of the link. Links above it must be resolved.
    """
    data = open_data_folder()
    if data is None:
        return ""
    with data:
        try:
            lines = os.fsdecode(data.read(LINKS_FILE, MAX_LINKS_BYTES)[0]).split("\n")
        except Unread:
            return ""
    targets = [line[len(link) + 1 :] for line in lines if line.startswith(f"{link}\t")]
    return targets[-1] if targets else ""


def allow_target(link: str, target: str) -> None:
    """Record that the user allows `link` to lead to the real path `target`. Raises OSError, ValueError.

    `link` has the form that `allowed_target` takes.
    """
    if any(char in path for char in "\t\n" for path in (link, target)):
        raise ValueError("a path with a tab or a line break cannot be recorded")
    data = open_data_folder(make=True)
    if data is None:
        raise FileNotFoundError(2, "the user's data folder cannot be opened or created", data_path())
    with data:
        data.append(LINKS_FILE, os.fsencode(f"{link}\t{target}\n"))


def _named(variable: str) -> str:
    """The folder that a variable names; "" if it, or the folder of cuecard in it, is not the user's."""
    above = os.environ.get(variable, "")
    return above if above and admits(above) and admits(os.path.join(above, OWN)) else ""


def _descend(folder: Folder, name: str, *, make: bool) -> Folder:
    return folder.make_folder(name, PRIVATE_FOLDER) if make else folder.folder(name)


def _make_folders(path: str) -> None:
    """Create a folder and its missing parents, private to the user. Raises OSError."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    for folder in reversed(missing):
        try:
            os.mkdir(folder, PRIVATE_FOLDER)
        except FileExistsError:  # noqa: PERF203 - another process has created the folder
            continue
