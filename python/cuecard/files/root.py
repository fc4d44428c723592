"""Finds the project whose memories are used, from the host's working directory upwards (SPEC 14.2)."""

import os

from ..basics.surroundings import admits, note_place
from ..errors import StoreError
from .folder import Unread
from .store_files import find_refused_link, read_bounded
from .user_folder import home_path

# The folder of a project, and its memory folder.
Project = tuple[str, str]

# A store inside a folder of installed packages is never the project's store: its author is unknown.
DEPENDENCY_FOLDERS = frozenset(
    (
        "node_modules",
        "bower_components",
        "vendor",
        "third_party",
        "site-packages",
        "dist-packages",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        ".cargo",
        ".yarn",
        ".pnpm-store",
        "__pypackages__",
        "Pods",
        "Carthage",
        "target",
        ".gradle",
        ".m2",
    )
)
# The limit for a `.git` file and for the files that it names.
MAX_POINTER_BYTES = 4096
LINK_HINT = "`cuecard trust --link` allows it, if you trust the place that it leads to"


class LinkedStoreError(StoreError):
    """The store is a link, or is reached through a link, that the user has not allowed."""


def find_project(cwd: str, root: str, home: str) -> tuple[str, str] | None:
    """Folder and memory folder of the project at `root`, or of the nearest project from `cwd` upwards; else None.

    `root` is a project or its `.claude/memory`. The search upwards ends at the repository and at `home`; a worktree
    uses the memories of its main checkout; stores in dependency folders are skipped. Raises `StoreError` if `root` is
    given and is not a project, and `LinkedStoreError` if the only store is reached through a link that the user has
    not allowed.
    """
    note_place(root or cwd)
    if home and not admits(home):
        home = home_path()
    if root:
        project = _project_at(root)
        if project is None and root.replace(os.sep, "/").rstrip("/").endswith(".claude/memory"):
            project = _project_at(os.path.realpath(os.path.join(root, "..", "..")))
        if project is None:
            raise StoreError("`--root` or `CUECARD_ROOT` is not a project with `.claude/memory`")
        return project
    nearest, refused = None, None
    dependencies = _find_dependencies(cwd, home)
    folder = cwd
    while True:
        above = os.path.dirname(folder)
        if len(folder) < len(dependencies):
            git = os.path.join(folder, ".git")
            try:
                nearest = nearest or _project_at(folder)
                if os.path.isfile(git):
                    main = main_checkout(git)
                    nearest = (main and _project_at(main)) or nearest
            except LinkedStoreError as error:
                refused = refused or error
            if os.path.exists(git) or folder == home or above == folder:
                break
        elif folder == home or above == folder:
            break
        folder = above
    if nearest is None and refused:
        raise refused
    return nearest


def find_future_project(cwd: str, root: str, home: str) -> tuple[str, str]:
    """The result of `find_project`; if there is none, the project to create: the repository of `cwd`, or `cwd`."""
    project = find_project(cwd, root, home)
    if project:
        return project
    folder = find_repository(cwd)
    return folder, os.path.join(folder, ".claude", "memory")


def locate_project(root: "str | os.PathLike[str] | None", named: str, home: str) -> tuple[str, str]:
    """Folder and memory folder of the project at `root`. Raises `StoreError` if there is no project.

    If `root` is None, `find_project` finds the project from the working directory; `named` is then its `root`.
    """
    hint = "go into a project with memories, begin one with `cuecard init`, or name its folder as the root"
    try:
        if root is None:
            project = find_project(os.getcwd(), named, home)
        else:
            project = find_project("", os.path.abspath(os.fspath(root)), home)
    except LinkedStoreError:
        raise
    except StoreError as error:
        what = error.what if root is None else f"`{os.fspath(root)}` is not a project with `.claude/memory`"
        raise StoreError(what, hint) from None
    except OSError:
        raise StoreError("the working directory no longer exists", hint) from None
    if project is None:
        raise StoreError("no folder from the working directory upwards has `.claude/memory`", hint)
    return project


def choose_project(root: "str | os.PathLike[str] | None", named: str, home: str) -> tuple[str, str]:
    """The result of `locate_project`; if there are no memories yet, the project that will get them.

    The new project is the folder `root`, or else the repository of the working directory, or else the working
    directory. The first write creates its `.claude/memory`.
    """
    try:
        return locate_project(root, named, home)
    except LinkedStoreError:
        raise
    except StoreError:
        try:
            folder = os.path.abspath(os.fspath(root)) if root is not None else find_repository(os.getcwd())
        except OSError:
            folder = ""
        if (root is None and named) or not os.path.isdir(folder):
            raise
    return folder, os.path.join(folder, ".claude", "memory")


def find_repository(folder: str) -> str:
    """The nearest folder from `folder` upwards with `.git` (for a worktree, its main checkout), or `folder` itself."""
    above = folder
    while not os.path.exists(git := os.path.join(above, ".git")):
        if os.path.dirname(above) == above:
            return folder
        above = os.path.dirname(above)
    return (os.path.isfile(git) and main_checkout(git)) or above


def _project_at(root: str) -> tuple[str, str] | None:
    """The project in a folder; None if it has no store. Raises LinkedStoreError if the store is a refused link."""
    memory_dir = os.path.join(root, ".claude", "memory")
    if not os.path.isdir(memory_dir):
        return None
    link = find_refused_link(root)
    if link:
        raise LinkedStoreError(f"`{link}` is a link, and what it leads to is not read", LINK_HINT)
    return root, memory_dir


def _find_dependencies(cwd: str, home: str) -> str:
    """The path of the outermost dependency folder that contains `cwd`, with a separator at its end.

    If there is none, the result is longer than `cwd`, so that the caller can compare lengths. A dependency folder has a
    name from `DEPENDENCY_FOLDERS`. It counts if it is below the home folder. Elsewhere it counts only below the
    outermost repository or, without a repository, below the outermost store.
    """
    names = cwd.split(os.sep)
    nowhere = cwd + os.sep * 2
    if DEPENDENCY_FOLDERS.isdisjoint(names):
        return nowhere
    if home and cwd.startswith(home.rstrip(os.sep) + os.sep):
        first = len(home.rstrip(os.sep).split(os.sep))
    else:
        folders = [os.sep.join(names[:count]) or os.sep for count in range(1, len(names) + 1)]
        marks = [os.path.join(folder, ".git") for folder in folders]
        if not any(map(os.path.exists, marks)):
            marks = [os.path.join(folder, ".claude", "memory") for folder in folders]
        first = next((count for count, mark in enumerate(marks, 1) if os.path.exists(mark)), len(names))
    for count in range(first, len(names)):
        if names[count] in DEPENDENCY_FOLDERS:
            return os.sep.join(names[: count + 1])
    return nowhere


def main_checkout(git_file: str) -> str | None:
    """The folder of the main checkout for the `.git` file of a worktree; None if the main checkout does not list it.

    Anybody can write a `.git` file that names a repository of somebody else. Only git also writes the worktree's path
    into the repository.
    """
    git_dir = _read_path(git_file, os.path.dirname(git_file), "gitdir:")
    common = git_dir and _read_path(os.path.join(git_dir, "commondir"), git_dir)
    back = git_dir and _read_path(os.path.join(git_dir, "gitdir"), git_dir)
    if not git_dir or not common or not back or os.path.realpath(git_file) != back:
        return None
    parent, name = os.path.split(common)
    is_own = os.path.dirname(git_dir) == os.path.join(common, "worktrees")
    return parent if name == ".git" and is_own and os.path.isdir(common) else None


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
