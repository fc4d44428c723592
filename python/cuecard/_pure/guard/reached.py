"""Finds the file of a store that a tool reaches with a path through links (SPEC 16.2)."""

import os

from ...basics.category import FOLDERS
from ...errors import CuecardError, StoreError
from ...files.folder import KIND, REGULAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.environment import Environment


def absolute_cwd(cwd: str | None) -> str:
    """The host's working directory as an absolute path, in which `..` is not resolved."""
    try:
        return os.path.join(os.getcwd(), cwd) if cwd and not os.path.isabs(cwd) else cwd or os.getcwd()
    except OSError:
        raise StoreError("the working directory no longer exists") from None


class Reached:
    """The store of the project in which a host works. It finds the files in that store to which paths lead."""

    def __init__(self, cwd: str, environment: "Environment") -> None:
        """`cwd` is the host's working directory. The project is looked up when it is first needed."""
        self.cwd = cwd
        self._environment = environment
        self._project: tuple[str, str] | None = None

    def project(self) -> tuple[str, str]:
        """The path of the project's memory folder, as found and with links resolved; both "" without a project."""
        if self._project is None:
            from ...files.root import find_project

            try:
                found = find_project(self.cwd, self._environment.root, self._environment.home)
            except CuecardError:
                found = None
            self._project = (found[1], os.path.realpath(found[1])) if found else ("", "")
        return self._project

    def name_in_project(self, resolved: str) -> str:
        """A path without links as `.claude/memory/...` if it is in the project's store; else ""."""
        memory_dir = self.project()[1]
        if memory_dir and (resolved == memory_dir or resolved.startswith(memory_dir + os.sep)):
            return f".claude/memory/{resolved[len(memory_dir) + 1 :]}"
        return ""

    def find_other_name(self, path: str) -> str:
        """The name that a file with several hard links has in the project's store; "" if it has no name there."""
        if not os.path.exists(path):
            return ""
        status = os.stat(path)
        memory_dir = self.project()[0]
        if status.st_mode & KIND != REGULAR or status.st_nlink < 2 or not memory_dir:
            return ""
        for folder in (*[folder for folder, _category in FOLDERS], ""):
            name = _find_same(memory_dir, folder, status)
            if name:
                return f".claude/memory/{folder}/{name}"
        return ""


def _find_same(memory_dir: str, folder: str, status: os.stat_result) -> str:
    """The name of a file in a folder of a store; "" if it is not in the folder, or the folder cannot be listed."""
    from ...files.store_files import open_store

    try:
        with open_store(memory_dir) as store:
            place = store.folder(folder) if folder else store
            for entry in place.scan():
                own = entry.stat(follow_symlinks=False)
                if (own.st_dev, own.st_ino) == (status.st_dev, status.st_ino):
                    return str(entry.name)
    except OSError:
        return ""
    return ""
