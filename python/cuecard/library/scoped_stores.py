"""The stores that count in a folder, found by the settings of the nearest one (SPEC 48)."""

import os

from ..files.environment import Environment
from ..files.root import Located, locate_stores
from ..files.scopes import list_stores
from ..settings.settings_files import read_effective_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..files.scopes import ScopedStore


def find_scoped_stores(root: "str | os.PathLike[str] | None" = None, cwd: str = "") -> "list[ScopedStore]":
    """The stores that count in the working directory (or in `cwd`, or for the project at `root`), then those that are
    left out. Raises `StoreError` if `root` is not a project."""
    environment = Environment()
    named = os.path.abspath(os.fspath(root)) if root is not None else environment.root
    return stores_of(locate_stores(os.path.abspath(cwd or os.getcwd()), named, environment.home))


def stores_of(located: Located) -> "list[ScopedStore]":
    """The stores of what was located, by the settings of the nearest one."""
    settings = read_effective_settings(located.nearest[1] if located.nearest else "").settings
    return list_stores(located, settings)
