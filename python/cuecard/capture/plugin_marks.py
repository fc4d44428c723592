"""The marks by which the claude-memory plugin, revision v5-0220, does not hold an agent up twice (SPEC 41.7)."""

import os
import time
from contextlib import suppress
from pathlib import Path

QUIET_SECONDS = 300


class PluginMarks:
    """The plugin's own files, where it has them."""

    def __init__(self, root: str, memory_dir: str) -> None:
        """Of the project at `root` with its memories in `memory_dir`."""
        self._flag = Path(root, ".claude", ".stop_hook_active")
        self._handled = Path(memory_dir, ".staging", ".triage-handled")

    def forbid(self) -> bool:
        """Whether the agent was held up less than five minutes ago. The flag is gone when it has been seen."""
        is_fresh = _is_fresh(self._flag)
        with suppress(OSError):
            self._flag.unlink()
        return is_fresh or _is_fresh(self._handled)

    def leave(self) -> None:
        """Leave both. Raises OSError."""
        for path in (self._flag, self._handled):
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            handle = os.open(path, flags, 0o600)
            try:
                os.write(handle, str(time.time()).encode())
            finally:
                os.close(handle)


def _is_fresh(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime < QUIET_SECONDS
    except OSError:
        return False
