"""The memories of a project, to be searched and written: what the library, the server and the pages open."""

from .._backend import read_effective_settings
from ..models.sent_log import log_pending
from ..store.writes.store_writer import StoreWriter
from .current_project import CurrentProject
from .loaded_project import LoadedProject
from .recall import Recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..store.writes.written import Written
    from .options import Path


class ProjectStore(StoreWriter, Recall):
    """Search the memories of a project as the hook does, and write them; `cuecard.Store` adds the rest.

    Opening reads nothing. Each call sees all changes since the last call. A written memory gets its vector if the
    settings name an embedder.
    """

    def __init__(self, root: "Path | None" = None, *, create: bool = False) -> None:
        StoreWriter.__init__(self, root, create=create)
        self._settings = None
        self._current = CurrentProject(self.project)

    def _load(self) -> LoadedProject:
        return self._current.load()

    def _told(self, written: "Written") -> "Written":
        settings = read_effective_settings(self.memory_dir).settings
        if settings.has_embedder and not written.status.startswith("already_"):
            from ..models.vectors.embed_written import embed_written

            written.warnings.extend(embed_written(self.memory_dir, settings, written.target))
        log_pending()
        return written

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_current"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._current = CurrentProject(self.project)
