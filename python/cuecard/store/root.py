"""Which project's memories: from the host's working directory upwards (SPEC 14.2)."""

from ..errors import StoreError
from ..system import os


def find_project(cwd: str, root: str, home: str) -> tuple[str, str] | None:
    """Folder and memory folder of the project that `root` names, else of the nearest one from `cwd` upwards.

    `root` is a project or its `.claude/memory`; where it is given and is neither, `StoreError`. The search ends
    at the repository and at `home`; a worktree shares its main checkout's memories. None: there is no project.
    """
    if root:
        project = _project_at(root)
        if project is None and root.replace(os.sep, "/").rstrip("/").endswith(".claude/memory"):
            project = _project_at(os.path.realpath(os.path.join(root, "..", "..")))
        if project is None:
            raise StoreError("`CUECARD_ROOT` is not a project with `.claude/memory`")
        return project
    nearest = None
    folder = cwd
    while True:
        nearest = nearest or _project_at(folder)
        git = os.path.join(folder, ".git")
        if os.path.isfile(git):
            main = _main_checkout(git)
            return (main and _project_at(main)) or nearest
        above = os.path.dirname(folder)
        if os.path.exists(git) or folder == home or above == folder:
            return nearest
        folder = above


def locate_project(root: "str | os.PathLike[str] | None", named: str, home: str) -> tuple[str, str]:
    """Folder and memory folder of the project at `root`, else of the one that `named` and the working directory give.

    `named` and `home` are those of `find_project`. Raises `StoreError` where there is none.
    """
    hint = "go into a project with memories, or name its folder as the root"
    try:
        if root is None:
            project = find_project(os.getcwd(), named, home)
        else:
            project = find_project("", os.path.abspath(os.fspath(root)), home)
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
    return (os.path.isfile(git) and _main_checkout(git)) or above


def _project_at(root: str) -> tuple[str, str] | None:
    memory_dir = os.path.join(root, ".claude", "memory")
    return (root, memory_dir) if os.path.isdir(memory_dir) else None


def _main_checkout(git_file: str) -> str | None:
    """The folder of the main checkout, from the `.git` file of a worktree."""
    try:
        with open(git_file, encoding="utf-8") as file:
            text = file.read()
        if not text.startswith("gitdir:"):
            return None
        git_dir = os.path.join(os.path.dirname(git_file), text[len("gitdir:") :].strip())
        with open(os.path.join(git_dir, "commondir"), encoding="utf-8") as file:
            common = os.path.realpath(os.path.join(git_dir, file.read().strip()))
    except (OSError, ValueError):
        return None
    parent, name = os.path.split(common)
    return parent if name == ".git" and os.path.exists(common) else None
