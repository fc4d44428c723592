"""The project that the server serves: it is located at each call, and loaded again when it has changed.

Rules: docs/reference/mcp.md, "Root".
"""

import os

from ..basics.chars import scrub
from ..basics.installing import INSTALL_LIBRARY
from ..errors import StoreError
from ..files.environment import Environment
from ..files.root import locate_project
from ..files.store_files import StoreFiles
from ..retrieval.current_project import CurrentProject
from ..store.scopes.scoped_stores import stores_of_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..files.scopes import ScopedStore
    from ..retrieval.loaded_project import LoadedProject
    from ..retrieval.project_store import ProjectStore


class OpenProject:
    """A project that may not exist yet."""

    def __init__(self, root: str | None) -> None:
        """Serve the project at `root`; for None, the project is found by `CUECARD_ROOT` or the working directory."""
        # The given folder; None if the project is searched for.
        self.folder = root
        self._current: tuple[tuple[str, str], CurrentProject] | None = None
        self.environment = Environment()

    def locate(self) -> tuple[str, str]:
        """The project's folder and memory folder. Raises StoreError if there are no memories yet."""
        try:
            return locate_project(self.folder, self.environment.root, self.environment.home)
        except StoreError as error:
            hint = "`memory_save` creates the store; for another project, start `cuecard mcp --root FOLDER`"
            raise StoreError(error.what, hint) from None

    def load(self) -> "LoadedProject":
        """The project's current settings and memories. Raises StoreError if there are no memories yet."""
        project = self.locate()
        if self._current is None or self._current[0] != project:
            self._current = project, CurrentProject(project)
        return self._current[1].load()

    def stores(self) -> "list[ScopedStore]":
        """The stores that count for the project, its own first (SPEC 48). Raises StoreError if there are none."""
        return [store for store in stores_of_project(self.locate()) if not store.left_out]

    def read(self, path: str, scope: str = "") -> bytes | None:
        """The content of a memory's file in the store with this label; None if it cannot be read."""
        for store in self.stores():
            if store.label == scope:
                with StoreFiles(store.memory_dir) as files:
                    data = files.read_if_any(path)
                if data is not None:
                    return data
        return None

    def writer(self, create: bool = False) -> "ProjectStore":
        """The store for writing; with `create` a missing store is created. Raises StoreError if there is no store."""
        if not create:
            self.locate()
        try:
            from ..retrieval.project_store import ProjectStore
            from ..store.writes import write_memory  # noqa: F401 - a first write would load it
        except ImportError as error:
            what = f"writing needs `{error.name}`, which this Python does not have: nothing was written"
            hint = f"install cuecard ({INSTALL_LIBRARY}) and start the server again"
            raise StoreError(what, hint) from None
        return ProjectStore(self.folder, create=create)


def shown(value: object) -> object:
    """The value with all hidden characters (SPEC 9.4) removed from its texts, so that an agent can read it safely.

    Line breaks and tabs are kept.
    """
    if isinstance(value, str):
        return shown_text(value)
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {shown_text(str(name)): shown(item) for name, item in value.items()}
    return value


def shown_text(text: str) -> str:
    """The text without hidden characters and names that address the model, so that an agent can read it safely."""
    from ..store.trust.agent_text import hide_names

    if text.isascii() and text.isprintable():
        return hide_names(text)
    from .._backend import remove_hidden

    lines = scrub(text).replace("\r\n", "\n").split("\n")
    return hide_names("\n".join(["\t".join([remove_hidden(cell) for cell in line.split("\t")]) for line in lines]))


def name_of(path: str) -> str:
    """The id of a memory, from the path of its file."""
    return os.path.basename(path).removesuffix(".json")
