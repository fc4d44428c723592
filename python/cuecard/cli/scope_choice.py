"""Which stores the option `--scope` of a command means."""

from ..errors import UsageError
from ..files.scopes import PARENT, PROJECT, TEAM, USER, user_root
from ..files.store_files import has_store, open_store, store_of
from ..store.records.store_reader import StoreReader
from ..store.scopes.scope_choice import root_of_scope
from ..store.scopes.scoped_stores import find_scoped_stores

ALL = "all"
SCOPES = (PROJECT, PARENT, USER, ALL)


def choose_stores(scope: str, root: str | None, *, create: bool = False) -> list[tuple[str, str]]:
    """The stores that count here and have a scope (`all` for every scope but `team`): scope and folder of each.

    The nearest comes first. With `create`, the user's own store is made if it is missing. Raises UsageError for an
    unknown scope.
    """
    if scope not in SCOPES:
        names = ", ".join([f"`{name}`" for name in SCOPES])
        raise UsageError(f"unknown scope `{scope}`", f"use {names}", field="scope", expected=names, found=f"`{scope}`")
    if create and scope in (USER, ALL):
        make_users_store()
    found = [(store.scope, store.root) for store in find_scoped_stores(root) if not store.left_out]
    chosen = [pair for pair in found if pair[0] != TEAM and scope in (pair[0], ALL)]
    if not chosen and scope == USER and has_store(user_root()):
        # The user's store does not count in this project, but the user has named it.
        return [(USER, user_root())]
    if not chosen and scope == PROJECT:
        return [(PROJECT, StoreReader(root).root)]
    return chosen


def make_users_store() -> str:
    """The folder of the user's own store, which is made if it is missing. Raises StoreError."""
    root = str(root_of_scope(None, USER, create=True))
    open_store(store_of(root), make=True).close()
    return root
