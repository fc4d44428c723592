"""`memory_status`: counts, health, settings and log of a store (docs/reference/mcp.md, "Tools")."""

import os

from .._backend import backend, log_path
from ..basics.version import __version__
from ..store.derived.health import inspect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message import Json
    from .project import OpenProject

MAX_LOG_LINES = 10
MAX_LOG_BYTES = 16 << 10


def status(project: "OpenProject", _arguments: "Json") -> "Json":
    """The state of a store. Reads every memory. Raises StoreError if there is no store."""
    root, memory_dir = project.locate()
    health = inspect(root, memory_dir)
    config = project.load().config()
    return {
        "root": root,
        "version": __version__,
        "backend": backend,
        "active": health.active,
        "retired": health.retired,
        "archived": health.archived,
        "categories": {name.lower(): count for name, count in health.counts.items()},
        "health": "NEEDS ATTENTION" if health.reasons else "GOOD",
        "reasons": health.reasons,
        "settings": {
            "enabled": config.enabled,
            "strategy": config.strategy,
            "gate": config.recall.gate_setting,
            "max_inject": config.max_inject,
            "max_tokens": config.recall.max_tokens,
        },
        "log": _last_lines(log_path(project.environment, memory_dir)),
    }


def _last_lines(path: str) -> list[str]:
    """The last lines of a log; empty if there is none or it is switched off."""
    # A pipe or a device could block, and a link could lead to any file.
    if not path or os.path.islink(path) or not os.path.isfile(path):
        return []
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - MAX_LOG_BYTES, 0))
            lines = file.read(MAX_LOG_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    return (lines[1:] if size > MAX_LOG_BYTES else lines)[-MAX_LOG_LINES:]
