"""The stores that count in a folder, found by the settings of the nearest one (SPEC 48)."""

import os

from ..._backend import read_effective_settings
from ...errors import MissingError, StoreError, UsageError
from ...files.environment import Environment
from ...files.root import Located, locate_project, locate_stores
from ...files.scopes import PARENT, PROJECT, list_stores
from ...files.store_files import StoreFiles
from ..records.find_memory import find_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...files.root import Project
    from ...files.scopes import ScopedStore


def find_scoped_stores(root: "str | os.PathLike[str] | None" = None, cwd: str = "") -> "list[ScopedStore]":
    """The stores that count in the working directory (or in `cwd`, or for the project at `root`), then those that are
    left out. Raises `StoreError` if `root` is not a project."""
    environment = Environment()
    named = environment.root
    if root is not None:
        # The error of `locate_project` names the folder.
        named = os.path.abspath(os.fspath(root))
        locate_project(root, "", environment.home)
    return stores_of(locate_stores(os.path.abspath(cwd or os.getcwd()), named, environment.home))


def find_counting_stores(root: "str | os.PathLike[str] | None" = None) -> "list[ScopedStore]":
    """The stores of `find_scoped_stores` that count. Raises `StoreError` if there is none."""
    stores = [store for store in find_scoped_stores(root) if not store.left_out]
    if not stores:
        raise StoreError(
            "no folder from the working directory upwards has `.claude/memory`",
            "go into a project with memories, begin one with `cuecard init`, or name its folder as the root",
        )
    return stores


def find_in_stores(stores: "list[ScopedStore]", name: str) -> "tuple[ScopedStore, str, str]":
    """The nearest of the stores that has the memory which `name` means, with the memory's category and path.

    An unreviewed memory does not hide one of a farther store that the user vouches for (SPEC 48.8). Raises
    `MissingError` if none has it, `StoreError` if a store has several.
    """
    missing: MissingError | None = None
    nearest: tuple[ScopedStore, str, str] | None = None
    for store in stores:
        try:
            category, path = find_memory(store.root, store.memory_dir, name)
        except MissingError as error:
            missing = missing or error
            continue
        if nearest and store.is_counterpart and path == nearest[2]:
            continue
        found = store, category, path
        if len(stores) == 1 or not _is_unreviewed(store, path):
            return found
        nearest = nearest or found
    if nearest:
        return nearest
    raise missing or MissingError(f"there is no memory `{name}`")


def memory_dir_of(stores: "list[ScopedStore]", label: str, path: str) -> str:
    """The folder of the store that a memory comes from: the nearest of these stores that has its scope and its path."""
    named = [store for store in stores if store.label == label]
    there = [store for store in named if os.path.lexists(os.path.join(store.root, path))]
    return os.path.realpath((there or named or stores)[0].memory_dir)


def choose_scope(stores: "list[ScopedStore]", label: str) -> "list[ScopedStore]":
    """Those of the stores with this scope, `project` for the project's own. Raises `UsageError` if there is none."""
    chosen = [store for store in stores if (store.label or PROJECT) == label]
    if not chosen:
        names = ", ".join(dict.fromkeys([f"`{store.label or PROJECT}`" for store in stores]))
        raise UsageError(f"no store of the scope `{label[:100]}` counts here", f"use {names}", field="scope")
    return chosen


def scope_reader(stores: "list[ScopedStore]") -> "Callable[[str], str]":
    """A function that reads the scopes in what is kept beside the first of the stores, which are all those of its
    project: "" is that store.

    Where that store leads as the superproject of a submodule without memories, as the user's own or as a pack, its
    memories have another scope than "" in the log. `parent` means it unless a parent of its own counts.
    """
    own = os.path.realpath(stores[0].memory_dir)
    is_own = {store: os.path.realpath(store.memory_dir) == own for store in stores}
    scopes = {store.label for store in stores if is_own[store]}
    if not any(store.scope == PARENT and not store.left_out and not is_own[store] for store in stores):
        scopes.add(PARENT)
    return lambda scope: "" if scope in scopes else scope


def _is_unreviewed(store: "ScopedStore", path: str) -> bool:
    from ..trust.agent_view import views_of_files  # noqa: PLC0415 - only where several stores count

    with StoreFiles(store.memory_dir) as files:
        data = files.read_if_any(path)
    return data is None or views_of_files(store.memory_dir, [(path, data)])[0].is_unreviewed


def stores_of_project(project: "Project") -> "list[ScopedStore]":
    """The stores that count for a project, its own first, then those that are left out."""
    located = locate_stores(os.path.realpath(project[0]), "", Environment().home)
    if located.nearest is None or os.path.realpath(located.nearest[1]) != os.path.realpath(project[1]):
        # A project that is named counts even where the search from its folder does not find it.
        located = Located(project[0])
    located.nearest = project
    return stores_of(located)


def stores_of(located: Located) -> "list[ScopedStore]":
    """The stores of what was located, by the settings of the nearest one."""
    settings = read_effective_settings(located.nearest[1] if located.nearest else "").settings
    return list_stores(located, settings)
