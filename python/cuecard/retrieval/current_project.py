"""A project that is loaded again when its settings, its index or its memories have changed."""

import os
import time
from _thread import allocate_lock

from .._backend import REPOSITORY_FILE, snapshot_files, user_settings_path
from ..basics.category import FOLDERS
from ..files.derived import open_derived
from ..files.freshness import INDEX, YOUNG_NS
from ..files.store_files import open_store
from ..files.user_folder import data_path
from .loaded_project import LoadedProject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..files.folder import Folder
    from ..files.root import Project

    # Modification time (ns since 1970), size and inode of a file or folder; empty if it does not exist.
    Stamp = tuple[int, ...]


class CurrentProject:
    """The project as last loaded, and the stamps of its files at that time. Threads may share this object."""

    def __init__(self, project: "Project") -> None:
        """`project` is the project's folder and memory folder. They are loaded at the first call of `load`."""
        self._project = project
        self._kept: tuple[tuple[Stamp, ...], LoadedProject] | None = None
        # Held while the stamps are compared, never while anything is loaded or searched.
        self._looking = allocate_lock()

    def load(self) -> LoadedProject:
        """The project in its current state."""
        with self._looking:
            kept = self._kept
            others = [store.memory_dir for store in kept[1].stores[1:]] if kept else []
            stamps = _look_at(self._project[1], others)
            if kept is None or kept[0] != stamps or _is_young(stamps):
                loaded = LoadedProject(self._project)
                others = [store.memory_dir for store in loaded.stores[1:]]
                kept = self._kept = _look_at(self._project[1], others), loaded
            return kept[1]


def _look_at(memory_dir: str, others: list[str]) -> "tuple[Stamp, ...]":
    """The stamps of the files and folders that change when the settings, the index or the memories change, also
    those of other stores that count."""
    names = (REPOSITORY_FILE, INDEX, *[folder for folder, _category in FOLDERS])
    return (
        _stamp_of(user_settings_path()),
        *_stamps(open_store, memory_dir, names),
        *_stamps(open_derived, memory_dir, snapshot_files),
        _stamp_of(data_path()),
        *[stamp for other in others for stamp in _stamps(open_store, other, names)],
    )


def _stamp_of(path: str) -> "Stamp":
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _stamps(opening: "Callable[[str], Folder]", memory_dir: str, names: tuple[str, ...]) -> "list[Stamp]":
    try:
        folder = opening(memory_dir)
    except (OSError, ValueError):
        return [()] * len(names)
    with folder:
        return [_stamp(folder, name) for name in names]


def _stamp(folder: "Folder", name: str) -> "Stamp":
    try:
        status = folder.status(name)
    except (OSError, ValueError):
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _is_young(stamps: "tuple[Stamp, ...]") -> bool:
    """Whether a file is so new that another change within the same clock tick could go unnoticed."""
    newest = max([stamp[0] for stamp in stamps if stamp], default=0)
    return newest > time.time_ns() - YOUNG_NS
