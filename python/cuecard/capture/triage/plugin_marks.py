"""The files with which the claude-memory plugin, revision v5-0220, avoids stopping an agent twice.

Rules: docs/reference/triage.md, "Staging".
"""

import time
from contextlib import suppress

from ...files.folder import PRIVATE_FILE, Folder
from ...files.open_folder import open_folder
from ...files.store_files import open_store

QUIET_SECONDS = 300
FLAG = ".stop_hook_active"
STAGING = ".staging"
HANDLED = ".triage-handled"


class PluginMarks:
    """The two files that say when an agent was last stopped, at the paths that the claude-memory plugin uses."""

    def __init__(self, root: str, memory_dir: str) -> None:
        """The files of the project at `root`, whose memories are in `memory_dir`. Nothing is read yet."""
        self._root = root
        self._memory_dir = memory_dir

    def forbid(self) -> bool:
        """Whether an agent was stopped less than five minutes ago. Removes the file `FLAG`."""
        is_fresh = False
        with suppress(OSError), open_folder(self._root) as root, root.folder(".claude") as folder:
            is_fresh = _is_fresh(folder, FLAG)
            folder.remove(FLAG)
        with suppress(OSError), open_store(self._memory_dir) as store, store.folder(STAGING) as folder:
            is_fresh = is_fresh or _is_fresh(folder, HANDLED)
        return is_fresh

    def leave(self) -> None:
        """Write both files. Raises OSError."""
        now = str(time.time()).encode()
        with open_store(self._memory_dir, make=True) as store, store.make_folder(STAGING) as folder:
            folder.replace(HANDLED, now, mode=PRIVATE_FILE, durable=False)
        with open_folder(self._root) as root, root.make_folder(".claude") as folder:
            folder.replace(FLAG, now, mode=PRIVATE_FILE, durable=False)


def _is_fresh(folder: Folder, name: str) -> bool:
    try:
        return time.time() - folder.status(name).st_mtime < QUIET_SECONDS
    except OSError:
        return False
