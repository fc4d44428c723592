"""Compares the snapshot of a store with its memory files; nothing is written."""

from ..._backend import engine, read_effective_settings, snapshot_files
from ...basics.counted import counted
from ...basics.light_dataclass import dataclass, field
from ...files.derived import open_derived

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ...files.memory_files import File

    State = Literal["missing", "damaged", "other settings", "partial", "stale", "in step"]


@dataclass
class SnapshotHealth:
    """The result of an inspection of the snapshot."""

    state: "State" = "missing"
    """The state. Only `damaged` needs attention; in other states the next prompts or writes update the snapshot."""
    reason: str = ""
    """Why the file cannot be used: it is damaged, not a snapshot, or of another version."""
    documents: int = 0
    """How many memories the snapshot contains, including inactive ones."""
    bytes: int = 0
    delta_bytes: int = 0
    behind: list[str] = field(default_factory=list)
    """Paths of memory files that differ from the snapshot: new, changed or removed files."""

    @property
    def words(self) -> str:
        """A sentence about the state for people."""
        if self.state == "damaged":
            return f"it cannot be used: {self.reason}"
        if self.state == "missing":
            return "not made yet; the next prompt or write makes it"
        if self.state == "other settings":
            return "made with other settings; the next prompt or write rebuilds it"
        if self.state == "partial":
            total = self.documents + len(self.behind)
            return f"has {self.documents} of {total} files; the next prompts or the next write read the others"
        if self.state == "stale":
            files = counted(len(self.behind), "file")
            return f"behind by {files}; the next prompts or the next write update it"
        return f"in step, {counted(self.documents, 'memory', 'memories')}"


def inspect_snapshot(root: str, memory_dir: str, files: "list[File]", documents: set[str]) -> SnapshotHealth:
    """Check the checksums of the snapshot, and compare it with every memory file of the store.

    `documents` are the paths of the files that belong in a snapshot.
    """
    size, *more = [_size_of(memory_dir, name) for name in snapshot_files]
    health = SnapshotHealth(bytes=size, delta_bytes=sum(more))
    found = engine.inspect_snapshot(root, read_effective_settings(memory_dir).settings.numbers)
    health.reason = found.reason
    if found.state in ("missing", "damaged", "other settings"):
        health.state = found.state
        return health
    health.documents = len(found.files)
    known = {file.path: (file.size, file.modified) for file in found.files}
    for _category, name, _data, size, modified in files:
        if known.pop(name, None) != ((size, modified) if name in documents else None):
            health.behind.append(name)
    health.behind += sorted(known)
    health.state = "in step" if not health.behind else "partial" if found.state == "partial" else "stale"
    return health


def _size_of(memory_dir: str, name: str) -> int:
    try:
        with open_derived(memory_dir) as derived:
            return derived.status(name).st_size
    except OSError:
        return 0
