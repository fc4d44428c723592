"""Chooses the store for the memories of a session by the files that it has edited (SPEC 48.13)."""

import os
from collections.abc import Iterable
from pathlib import Path

from .._backend import read_effective_settings
from ..basics.chars import is_path
from ..files.environment import Environment
from ..files.root import Project, locate_stores
from ..files.scopes import USER, why_not_user
from ..files.store_files import store_of
from ..store.scopes.scope_choice import root_of_scope
from ..store.writes.store_writer import StoreWriter


def store_of_work(project: Project, cwd: str, folders: Iterable[str]) -> Project:
    """The project that has the memories of a session in `cwd` which has edited files in `folders`.

    It is the nearest project above all these folders, if it lies in the same repository as `cwd`. Otherwise, also where
    `--root` or `CUECARD_ROOT` names a project, it is `project`, which is that of the session. Links are resolved first,
    so that no link in a repository leads into another one.
    """
    environment = Environment()
    here = os.path.realpath(cwd)
    top = "" if environment.root else locate_stores(here, "", environment.home).top
    real = [os.path.realpath(Path(here, folder)) for folder in folders if top and is_path(folder)]
    edited = [folder for folder in real if folder == top or folder.startswith(top.rstrip(os.sep) + os.sep)]
    if not edited:
        return project
    located = locate_stores(os.path.commonpath(edited), "", environment.home)
    is_known = located.nearest is None or os.path.realpath(located.nearest[1]) == os.path.realpath(project[1])
    return project if is_known or located.top != top or located.nearest is None else located.nearest


def why_no_own_store(project: Project) -> str:
    """Why a statement about the user stays in a project: the user's own store does not count there; "" if it does."""
    settings = read_effective_settings(project[1]).settings
    return why_not_user(locate_stores(os.path.realpath(project[0]), "", Environment().home), settings)


def open_own_store(kind: type[StoreWriter], *, make: bool) -> StoreWriter:
    """The user's own store as a `kind`, which the first write makes; its folder must be there or made for that.

    Raises `StoreError`.
    """
    root = str(root_of_scope(None, USER, create=make))
    return kind(root, create=True) if Path(root).is_dir() else _MissingStore(root)


class _MissingStore(StoreWriter):
    """The user's own store before there is one. It has no memories."""

    def __init__(self, root: str) -> None:
        self.root, self.memory_dir = root, store_of(root)
