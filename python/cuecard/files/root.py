"""Which project's memories: from the host's working directory upwards (SPEC 14.2)."""

import os

from ..errors import StoreError
from .folder import Unread
from .store_files import find_refused_link, read_bounded

# A folder, and the memory folder in it.
Project = tuple[str, str]

# A package that a program has installed speaks for nobody: what it brings along is never the project's store.
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
# A `.git` file and what it leads to.
MAX_POINTER_BYTES = 4096
LINK_HINT = "`cuecard trust --link` allows it, if you trust the place that it leads to"


class LinkedStoreError(StoreError):
    """A link that the user has not allowed stands in the place of a store."""


def find_project(cwd: str, root: str, home: str) -> tuple[str, str] | None:
    """Folder and memory folder of the project that `root` names, else of the nearest one from `cwd` upwards.

    `root` is a project or its `.claude/memory`; where it is given and is neither, `StoreError`. The search ends
    at the repository and at `home`; a worktree shares its main checkout's memories. A store in a dependency folder is
    passed over. None: there is no project. `LinkedStoreError` where the only one is reached through a link that the
    user has not allowed.
    """
    if root:
        project = _project_at(root)
        if project is None and root.replace(os.sep, "/").rstrip("/").endswith(".claude/memory"):
            project = _project_at(os.path.realpath(os.path.join(root, "..", "..")))
        if project is None:
            raise StoreError("`CUECARD_ROOT` is not a project with `.claude/memory`")
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
    """As `find_project`; where there are no memories yet, the repository or folder of `cwd` that is to have them."""
    project = find_project(cwd, root, home)
    if project:
        return project
    folder = find_repository(cwd)
    return folder, os.path.join(folder, ".claude", "memory")


def locate_project(root: "str | os.PathLike[str] | None", named: str, home: str) -> tuple[str, str]:
    """Folder and memory folder of the project at `root`, else of the one that `named` and the working directory give.

    `named` and `home` are those of `find_project`. Raises `StoreError` where there is none.
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
        raise StoreError("the working directory is gone", hint) from None
    if project is None:
        raise StoreError("no folder from the working directory upwards has `.claude/memory`", hint)
    return project


def choose_project(root: "str | os.PathLike[str] | None", named: str, home: str) -> tuple[str, str]:
    """As `locate_project`, but where there are no memories yet, the project that is to have them.

    That is the folder `root`, else the repository of the working directory, else the working directory itself. The
    first write makes its `.claude/memory`.
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
    """The nearest folder from `folder` upwards that holds `.git`, of a worktree its main checkout; else `folder`."""
    above = folder
    while not os.path.exists(git := os.path.join(above, ".git")):
        if os.path.dirname(above) == above:
            return folder
        above = os.path.dirname(above)
    return (os.path.isfile(git) and main_checkout(git)) or above


def _project_at(root: str) -> tuple[str, str] | None:
    """The project in a folder; None where that has no store. Raises LinkedStoreError where a link is in its place."""
    memory_dir = os.path.join(root, ".claude", "memory")
    if not os.path.isdir(memory_dir):
        return None
    link = find_refused_link(root)
    if link:
        raise LinkedStoreError(f"`{link}` is a link, and what it leads to is not read", LINK_HINT)
    return root, memory_dir


def _find_dependencies(cwd: str, home: str) -> str:
    """The outermost dependency folder on the way to `cwd`, with a separator; longer than any path without one.

    Below the home folder every folder of such a name counts, elsewhere those below the outermost repository, or where
    there is none below the outermost store.
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
    """The folder of the main checkout, from the `.git` file of a worktree that the main checkout knows too.

    Anybody can write a `.git` file that names a repository of somebody else; only git itself writes both ends.
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
    """The real path that a file names, relative to `folder`, behind `beginning`; "" where it names none."""
    try:
        text = os.fsdecode(read_bounded(file, MAX_POINTER_BYTES))
        if not text.startswith(beginning):
            return ""
        named = text[len(beginning) :].strip()
        return os.path.realpath(os.path.join(folder, named)) if named else ""
    except (Unread, OSError, ValueError):
        return ""
