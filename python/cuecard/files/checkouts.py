"""Reads how git ties worktrees and submodules to other folders (SPEC 48.2).

Only pointers in both directions count: anybody can write a `.git` file that names another repository, but only git also
writes the way back.
"""

import os

from .data_folder import home_path, open_data_folder
from .folder import Unread
from .store_files import read_bounded

# The limits for a `.git` file and the files that it names, and for the configuration of a repository.
MAX_POINTER_BYTES = 4096
MAX_CONFIG_BYTES = 1 << 16
# A file of the user's data folder: lines `COMMON FOLDER`, a tab, and the checkout that the user works in.
CHECKOUTS = "checkouts"
MAX_CHECKOUTS_BYTES = 1 << 20

WORKTREE, SUBMODULE = "worktree", "submodule"
# Whether a checkout is a worktree or a submodule, and the folder to which it belongs: the folder that all worktrees of
# the repository share, or the superproject.
Tie = tuple[str, str]


def tie_of(git_file: str) -> Tie | None:
    """Where the checkout of a `.git` file belongs; None if git does not say so in both directions."""
    git_dir = _read_path(git_file, os.path.dirname(git_file), "gitdir:")
    if not git_dir:
        return None
    shared = _shared_folder(git_file, git_dir)
    if shared:
        return WORKTREE, shared
    above = _superproject(os.path.dirname(git_file), git_dir)
    return (SUBMODULE, above) if above else None


def main_checkout(git_file: str) -> str | None:
    """The folder that the worktrees of a repository share, for the `.git` file of one of them; None for other files."""
    tie = tie_of(git_file)
    return tie[1] if tie and tie[0] == WORKTREE else None


def shared_folder_of(root: str) -> str:
    """The folder that stands for `root` in the shared checkout, if `root` lies in a worktree of it; else ""."""
    top, below = _find_top(root)
    git = os.path.join(top, ".git")
    shared = main_checkout(git) if top and os.path.isfile(git) else None
    return os.path.join(shared, *below) if shared else ""


def find_remote(root: str) -> str:
    """The URL of the remote `origin` of a folder's repository, or of its first remote; "" if there is none.

    A stranger who made the repository can choose it.
    """
    top, _below = _find_top(root)
    git = os.path.join(top, ".git")
    git_dir = git if os.path.isdir(git) else _read_path(git, top, "gitdir:")
    common = _read_path(os.path.join(git_dir, "commondir"), git_dir) or git_dir
    remotes = _values_in(os.path.join(common, "config"), "remote", "url") if top and git_dir else {}
    return remotes.get('"origin"') or next(iter(remotes.values()), "")


def find_below(root: str) -> list[str]:
    """The names of the folders that lead to a folder from the top of its repository."""
    return _find_top(root)[1]


def _find_top(root: str) -> tuple[str, list[str]]:
    """The nearest folder with `.git` from a folder upwards ("" if there is none), and the names below it."""
    top, below = os.path.realpath(root), list[str]()
    while not os.path.exists(os.path.join(top, ".git")):
        above, name = os.path.split(top)
        if above == top:
            return "", []
        below.insert(0, name)
        top = above
    return top, below


def record_checkout(root: str) -> None:
    """Record a checkout whose git folder lies elsewhere, so that its worktrees find it. Raises OSError."""
    common = _read_path(os.path.join(root, ".git"), root, "gitdir:")
    is_common = common and os.path.isdir(os.path.join(common, "refs")) and os.path.basename(common) != ".git"
    if not is_common or any(char in path for char in "\t\n" for path in (common, root)):
        return
    if _recorded_checkout(common) == root:
        return
    data = open_data_folder(make=True)
    if data:
        with data:
            data.append(CHECKOUTS, os.fsencode(f"{common}\t{root}\n"))


def _shared_folder(git_file: str, git_dir: str) -> str:
    common = _read_path(os.path.join(git_dir, "commondir"), git_dir)
    back = _read_path(os.path.join(git_dir, "gitdir"), git_dir)
    own = os.path.realpath(git_file)
    if not common or own != back or os.path.dirname(git_dir) != os.path.join(common, "worktrees"):
        return ""
    if not os.path.isdir(common):
        return ""
    beside = os.path.dirname(common)
    if os.path.basename(common) == ".git":
        return beside
    # The home folder has memories of its own, and a worktree in the common folder would choose what lies around it.
    home = home_path()
    is_hub = _is_below(own, beside) and not _is_below(own, common) and (not home or os.path.realpath(home) != beside)
    return _recorded_checkout(common) or (beside if is_hub else "")


def _recorded_checkout(common: str) -> str:
    """The checkout that the user works in for a common folder, if its `.git` file still names that folder; else ""."""
    data = open_data_folder()
    if data is None:
        return ""
    with data:
        try:
            lines = data.read(CHECKOUTS, MAX_CHECKOUTS_BYTES)[0].decode().splitlines()
        except (Unread, UnicodeDecodeError):
            return ""
    found = [line[len(common) + 1 :] for line in lines if line.startswith(f"{common}\t")]
    checkout = found[-1] if found else ""
    is_tied = checkout and _read_path(os.path.join(checkout, ".git"), checkout, "gitdir:") == common
    return checkout if is_tied else ""


def _superproject(submodule: str, git_dir: str) -> str:
    """The folder above a submodule in whose git folder the submodule's own git folder lies; "" if there is none."""
    back = _worktree_in(os.path.join(git_dir, "config"))
    if not back or os.path.realpath(os.path.join(git_dir, back)) != os.path.realpath(submodule):
        return ""
    above = os.path.dirname(submodule)
    while True:
        git = os.path.join(above, ".git")
        own = _read_path(git, above, "gitdir:") if os.path.isfile(git) else os.path.realpath(git)
        if own and os.path.exists(git) and _is_below(git_dir, os.path.join(own, "modules")):
            return above
        if os.path.dirname(above) == above:
            return ""
        above = os.path.dirname(above)


def _worktree_in(config: str) -> str:
    """The value of `core.worktree` in a git configuration; "" if there is none."""
    return _values_in(config, "core", "worktree").get("", "")


def _values_in(config: str, section: str, wanted: str) -> dict[str, str]:
    """The values of a variable in the sections of one name of a git configuration, by what stands behind that name."""
    try:
        lines = read_bounded(config, MAX_CONFIG_BYTES).decode().splitlines()
    except (Unread, UnicodeDecodeError):
        return {}
    found: dict[str, str] = {}
    name = rest = ""
    for line in map(str.strip, lines):
        if line.startswith("["):
            name, _blank, rest = line.strip("[]").partition(" ")
        else:
            variable, equals, value = line.partition("=")
            if equals and name.lower() == section and variable.strip().lower() == wanted:
                found[rest] = value.strip().strip('"')
    return found


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _read_path(file: str, folder: str, beginning: str = "") -> str:
    """The real path that a file contains after `beginning`, relative to `folder`; "" if it contains none."""
    try:
        text = os.fsdecode(read_bounded(file, MAX_POINTER_BYTES))
        if not text.startswith(beginning):
            return ""
        named = text[len(beginning) :].strip()
        return os.path.realpath(os.path.join(folder, named)) if named else ""
    except (Unread, OSError, ValueError):
        return ""
