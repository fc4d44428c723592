"""Retires session summaries beyond `max_retained`, for example after this setting became smaller."""

from dataclasses import dataclass

from ...basics.timestamp import utc_stamp
from ..records.memory import Memory, read_memories
from .rolling_window import oldest_beyond
from .transaction import writing


@dataclass(frozen=True)
class Exceeding:
    """A session summary that is older than the retained session summaries."""

    path: str
    """The path of the file, relative to the project."""
    title: str


def retire_exceeding(root: str, memory_dir: str, *, retained: int, is_dry_run: bool = False) -> list[Exceeding]:
    """Retire all active session summaries but the `retained` newest.

    Returns the summaries that were retired, or in a dry run would be, oldest first. Raises `LockError` and
    `WriteError`.
    """
    found = _find(root, memory_dir, retained)
    if not found or is_dry_run:
        return found
    with writing(root, memory_dir, "gc") as transaction:
        # Another process may have written before this one got the lock.
        found = _find(root, memory_dir, retained)
        now = utc_stamp()
        transaction.retire_summaries([one.path for one in found], now)
    return found


def _find(root: str, memory_dir: str, retained: int) -> list[Exceeding]:
    active: dict[str, Memory] = {
        memory.path: memory
        for memory in read_memories(root, memory_dir, "session_summary")
        if memory.status == "active"
    }
    paths = oldest_beyond([(path, memory.record) for path, memory in active.items()], retained)
    return [Exceeding(path, active[path].title) for path in paths]
