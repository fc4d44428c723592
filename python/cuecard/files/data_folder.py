"""The paths of the user's data folder and configuration folder, which no repository can write to (SPEC 44)."""

import os
import sys

from ..basics.surroundings import account_home, admits
from .folder import PRIVATE_FOLDER, Folder
from .open_folder import open_folder

# The name of the folders of cuecard in the folders of the user.
OWN = "cuecard"
# The links that the user allows.
LINKS_FILE = "links"
MAX_LINKS_BYTES = 1 << 16


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


def _named(variable: str) -> str:
    """The folder that a variable names; "" if it, or the folder of cuecard in it, is not the user's."""
    above = os.environ.get(variable, "")
    return above if above and admits(above) and admits(os.path.join(above, OWN)) else ""


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


def allowed_target(link: str) -> str:
    """The target that the user has allowed for a link (`cuecard trust --link`), as a real path; "" if there is none.

    `link` is the path of the link. Links above it must be resolved.
    """
    data = open_data_folder()
    if data is None:
        return ""
    with data:
        lines = os.fsdecode(data.read_if_any(LINKS_FILE, MAX_LINKS_BYTES) or b"").split("\n")
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
