"""Finds the store that a command means by its scope (SPEC 48)."""

import os

from ...errors import StoreError, UsageError
from ...files.environment import Environment
from ...files.folder import PRIVATE_FOLDER
from ...files.scopes import PARENT, PROJECT, USER, user_root
from .scoped_stores import find_scoped_stores

SCOPES = (PROJECT, PARENT, USER)


def root_of_scope(root: str | None, scope: str | None, *, create: bool = False) -> str | None:
    """The project folder of the store that `scope` names; `root` if it is None, and is not the user's own store.

    With `create` the folder of the user's own store is made if it is missing. Raises `UsageError` for another name and
    for `--root` with a scope, `StoreError` if there is no such store.
    """
    if scope is None:
        return not_users_own(root)
    if scope not in SCOPES:
        names = ", ".join([f"`{name}`" for name in SCOPES])
        raise UsageError(f"unknown scope `{scope}`", f"use {names}")
    if root is not None:
        raise UsageError("there is `--root` and `--scope`", "give one of the two")
    if scope == USER:
        return _users_root(create=create)
    found = next((store.root for store in find_scoped_stores() if store.scope == scope and not store.left_out), None)
    if found is None:
        raise StoreError(f"no store of the scope `{scope}` counts here", "see `cuecard stores`")
    return found


def not_users_own(root: str | None) -> str | None:
    """`root`, if a command that works there does not write into the user's own store; else raises `UsageError`.

    The guard asks the user about `--scope user`; a folder must not be a way around it.
    """
    own, place = user_root(), os.path.realpath(root or Environment().root or os.getcwd())
    if own and (place + os.sep).startswith(os.path.realpath(own) + os.sep):
        raise UsageError(f"`{place}` has the memories of your own scope", "leave it, and use `--scope user`")
    return root


def _users_root(*, create: bool) -> str:
    root = user_root()
    if not root:
        raise StoreError("there is no data folder of the user", "set `HOME`, or `CUECARD_HOME`")
    if create and not os.path.isdir(root):
        try:
            os.makedirs(root, PRIVATE_FOLDER)
        except OSError as error:
            raise StoreError(f"the user's store cannot be made: {error.strerror}", "see its folder") from None
    return root
