"""Finds the project whose memories are used, from the host's working directory upwards (SPEC 14.2)."""

import os

from ..basics.chars import is_path
from ..basics.json_reader import object_in, read_json_object
from ..basics.surroundings import admits, note_place
from ..errors import StoreError
from .checkouts import WORKTREE, Tie, main_checkout, tie_of
from .folder import Unread
from .store_files import find_refused_link, read_in_store
from .user_folder import home_path
from .user_settings import user_settings

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
MAX_SETTINGS_BYTES = 1 << 20
# How many superprojects are looked at, from a submodule outwards.
MAX_SUPERPROJECTS = 4
ALLOW_HINT = "if you work on a repository there, `cuecard config --user scopes.allow '[\"FOLDER\"]'` lets it count"
LINK_HINT = "`cuecard trust --link` allows it, if you trust the place that it leads to"


class LinkedStoreError(StoreError):
    """The store is a link, or is reached through a link, that the user has not allowed."""


class Located:
    """The stores that were found from a working directory upwards (SPEC 48.2)."""

    def __init__(self, place: str) -> None:
        """Begin with no store. `place` is the folder that was asked about, later that of the nearest project."""
        self.place = place
        # The folder at which git or a setting ends the way upwards; "" if neither does.
        self.top = ""
        # The nearest project, whose store leads, and whether it is the superproject of a submodule without memories.
        self.nearest: Project | None = None
        self.is_parent = False
        # The same folder of the shared checkout of a worktree; its store lies below that of the nearest.
        self.counterpart: Project | None = None
        # The enclosing project.
        self.parent: Project | None = None
        # The folder of each store that does not count, and the reason.
        self.left_out: list[tuple[str, str]] = []

    @property
    def folder(self) -> str:
        """The folder that the names of files in the memories of the first store are relative to (SPEC 48.14)."""
        return self.nearest[0] if self.nearest else self.top or self.place


# Why a store that was found does not count.
BETWEEN = "it lies between the nearest store and the root"
OF_HOME = "the home folder is no parent"
OF_OTHERS = "its folder belongs to somebody else"


def find_project(cwd: str, root: str, home: str) -> Project | None:
    """Folder and memory folder of the project at `root`, or of the nearest project from `cwd` upwards; else None.

    `root` is a project or its `.claude/memory`. The search upwards ends at the repository and at `home`; stores in
    dependency folders are skipped. Raises `StoreError` if `root` is given and is not a project, and `LinkedStoreError`
    if the only store is reached through a link that the user has not allowed.
    """
    return locate_stores(cwd, root, home).nearest


def locate_stores(cwd: str, root: str, home: str) -> Located:
    """Find the project as `find_project` does, and the other stores that are tied to it by folders or by git."""
    note_place(root or cwd)
    located = Located(cwd)
    if root:
        located.nearest = _named_project(root)
        located.place = located.nearest[0]
        return located
    if home and not admits(home):
        home = home_path()
    looked = _Looked()
    start = _above_dependencies(cwd, home)
    found, top, tie = _walk(start, home, looked)
    located.top = top
    if tie and tie[0] == WORKTREE:
        found, located.counterpart = _beside_counterparts(found, (start, top, tie[1]), looked)
    if not found:
        located.nearest = _enclosing(tie, looked)
        located.is_parent = located.nearest is not None
        if located.nearest is None and looked.refused:
            raise looked.refused
        return located
    located.nearest = found[0][1]
    located.place = located.nearest[0]
    for folder, project in found[1:]:
        reason = BETWEEN if folder != top else OF_HOME if folder == home else ""
        if not reason and not _has_owner_of(project[0], located.nearest[0]):
            reason = OF_OTHERS
        if reason:
            located.left_out.append((project[0], reason))
        else:
            located.parent = project
    if located.parent is None:
        above = _enclosing(tie, looked)
        if above and above != located.counterpart and _has_owner_of(above[0], located.nearest[0]):
            located.parent = above
    return located


class _Looked:
    """Opens projects, and keeps the first refusal."""

    def __init__(self) -> None:
        self.refused: LinkedStoreError | None = None

    def at(self, root: str) -> Project | None:
        try:
            return project_at(root)
        except LinkedStoreError as error:
            self.refused = self.refused or error
            return None


def _named_project(root: str) -> Project:
    project = project_at(root)
    if project is None and root.replace(os.sep, "/").rstrip("/").endswith(".claude/memory"):
        project = project_at(os.path.realpath(os.path.join(root, "..", "..")))
    if project is None:
        raise StoreError("`--root` or `CUECARD_ROOT` is not a project with `.claude/memory`")
    return project


def _walk(start: str, home: str, looked: _Looked) -> "tuple[list[tuple[str, Project]], str, Tie | None]":
    """The projects from a folder upwards, the folder at which git or a setting ends the way ("" if none does), and
    where the checkout there belongs."""
    found: list[tuple[str, Project]] = []
    folder = start
    while True:
        project = looked.at(folder)
        if project:
            found.append((folder, project))
        git = os.path.join(folder, ".git")
        if os.path.exists(git):
            return found, folder, tie_of(git) if os.path.isfile(git) else None
        above = os.path.dirname(folder)
        if folder == home or (project and _is_root(project)) or above == folder:
            return found, folder if project and folder != home and _is_root(project) else "", None
        folder = above


def _beside_counterparts(
    found: "list[tuple[str, Project]]", way: tuple[str, str, str], looked: _Looked
) -> "tuple[list[tuple[str, Project]], Project | None]":
    """The projects of a worktree, each folder's own before that of its counterpart, and the counterpart of the first.

    `way` is the first folder, the worktree, and the folder that the worktrees share.
    """
    start, top, shared = way
    own = dict(found)
    both: list[tuple[str, Project]] = []
    counterpart = None
    folder = start
    while True:
        below = os.path.relpath(folder, top)
        other = looked.at(shared if below == "." else os.path.join(shared, below))
        project = own.get(folder) or other
        if project:
            if not both and folder in own:
                counterpart = other
            both.append((folder, project))
        if folder == top:
            return both, counterpart
        folder = os.path.dirname(folder)


def _enclosing(tie: Tie | None, looked: _Looked) -> Project | None:
    """The nearest superproject with memories, if the checkout is a submodule."""
    if tie is None or tie[0] == WORKTREE:
        return None
    for _step in range(MAX_SUPERPROJECTS):
        if tie is None:
            return None
        above = tie[1]
        project = looked.at(above)
        if project:
            return project
        git = os.path.join(above, ".git")
        tie = tie_of(git) if os.path.isfile(git) else None
    return None


def _is_root(project: Project) -> bool:
    """Whether the settings of a store say that its folder is the root of a monorepo."""
    try:
        settings = read_json_object(read_in_store(project[1], "memory-config.json", MAX_SETTINGS_BYTES)[0])
    except Unread:
        return False
    return object_in(settings, "scopes").get("root") is True


def _has_owner_of(folder: str, other: str) -> bool:
    """Whether a folder belongs to the user or to the owner of another folder."""
    if not hasattr(os, "geteuid"):
        return True
    try:
        owner = os.stat(folder).st_uid
        return owner in (os.geteuid(), os.stat(other).st_uid)
    except OSError:
        return False


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
        if root is None and named:
            raise
        try:
            folder = os.path.abspath(os.fspath(root)) if root is not None else find_repository(os.getcwd())
        except OSError:
            folder = ""
        if not os.path.isdir(folder):
            raise
    return folder, os.path.join(folder, ".claude", "memory")


def refuse_beginning(root: str, memory_dir: str = "") -> None:
    """Raise `StoreError` if a write would begin memories in a folder that is no project: the home folder, or `/`.

    They would count in every folder below it that is no project itself. Memories that are in `memory_dir` already stay.
    """
    real, home = os.path.realpath(root), home_path()
    is_home = home != "" and real == os.path.realpath(home)
    if (is_home or os.path.dirname(real) == real) and not os.path.isdir(memory_dir):
        what = "the home folder" if is_home else f"`{real}`"
        raise StoreError(
            f"{what} is not a project",
            "go into a project, or name one with `--root`; `--scope user` keeps a memory for all your projects",
        )


def find_repository(folder: str) -> str:
    """The folder in which the memories of `folder` begin: the nearest one upwards with `.git` (for a worktree, the
    folder that all worktrees share), or `folder` itself if there is none but the home folder.

    Raises `StoreError` in a dependency folder, because memories there are never read.
    """
    home = home_path()
    start = _above_dependencies(folder, home)
    if start != folder:
        name = folder[len(start.rstrip(os.sep)) + 1 :].split(os.sep)[0]
        raise StoreError(f"no memories are read in `{name}`, a folder of dependencies, so none are written", ALLOW_HINT)
    above = _with_git(folder, home)
    git = os.path.join(above, ".git")
    return (above and os.path.isfile(git) and main_checkout(git)) or above or folder


def is_in_repository(folder: str) -> bool:
    """Whether a folder lies in a repository of git that is a project."""
    return _with_git(folder, home_path()) != ""


def _with_git(folder: str, home: str) -> str:
    """The nearest folder upwards with `.git`; "" if there is none but the home folder."""
    above = folder
    while not os.path.exists(os.path.join(above, ".git")):
        if os.path.dirname(above) == above:
            return ""
        above = os.path.dirname(above)
    # A repository of the home folder has settings in it, and is no project.
    is_home = home and above != folder and os.path.realpath(above) == os.path.realpath(home)
    return "" if is_home else above


def project_at(root: str) -> tuple[str, str] | None:
    """The project in a folder; None if it has no store. Raises LinkedStoreError if the store is a refused link."""
    memory_dir = os.path.join(root, ".claude", "memory")
    if not os.path.isdir(memory_dir):
        return None
    link = find_refused_link(root)
    if link:
        raise LinkedStoreError(f"`{link}` is a link, and what it leads to is not read", LINK_HINT)
    return root, memory_dir


def _above_dependencies(cwd: str, home: str) -> str:
    """The parent of the outermost dependency folder that contains `cwd`; `cwd` itself if there is none, or if it is in
    a repository that the user allows (`scopes.allow`).

    A dependency folder has a name from `DEPENDENCY_FOLDERS`. It counts if it is below the home folder. Elsewhere it
    counts only below the outermost repository or, without a repository, below the outermost store.
    """
    names = cwd.split(os.sep)
    if DEPENDENCY_FOLDERS.isdisjoint(names):
        return cwd
    if home and cwd.startswith(home.rstrip(os.sep) + os.sep):
        first = len(home.rstrip(os.sep).split(os.sep))
    else:
        folders = [os.sep.join(names[:count]) or os.sep for count in range(1, len(names) + 1)]
        marks = [os.path.join(folder, ".git") for folder in folders]
        if not any(map(os.path.exists, marks)):
            marks = [os.path.join(folder, ".claude", "memory") for folder in folders]
        first = next((count for count, mark in enumerate(marks, 1) if os.path.exists(mark)), len(names))
    allowed = _allowed_repository(cwd)
    if allowed:
        # The way goes up to the repository and not above it, so dependency folders below it still count.
        first = max(first, len(allowed.split(os.sep)))
    for count in range(first, len(names)):
        if names[count] in DEPENDENCY_FOLDERS:
            return os.sep.join(names[:count]) or os.sep
    return cwd


def _allowed_repository(cwd: str) -> str:
    """The repository of a folder, if the user's own settings list it in `scopes.allow`; else ""."""
    repository = cwd
    while not os.path.exists(os.path.join(repository, ".git")):
        if os.path.dirname(repository) == repository:
            return ""
        repository = os.path.dirname(repository)
    scopes = user_settings().get("scopes")
    allowed = scopes.get("allow") if isinstance(scopes, dict) else None
    real = os.path.realpath(repository)
    listed = [path for path in allowed if isinstance(path, str) and is_path(path)] if isinstance(allowed, list) else []
    is_listed = any(os.path.isabs(path) and os.path.realpath(path) == real for path in listed)
    return repository if is_listed else ""
