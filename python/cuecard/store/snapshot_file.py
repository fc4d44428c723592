"""The snapshot of a store: mapped as it is, and brought up to date within a budget (SPEC 23)."""

import os
import time

from .._backend import twin
from .._pure.category import FOLDERS
from ..errors import SegmentError, StoreError
from . import freshness
from .files import MAX_RECORD_BYTES, Containment, Unread, read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.lexical_config import Numbers
    from .._pure.snapshot import Snapshot
    from .._pure.snapshot_writer import File

# So many files of a stale store are looked at within a prompt, and so many of them read.
LIST_LIMIT = 10_000
READ_LIMIT = 500
# A store without a snapshot is read within a prompt if it has no more files than these.
BUILD_LIMIT = 1000
NO_LIMIT = 2**63

MISSING = -1
UNSURE = 0

Project = tuple[str, str]
Stamps = dict[str, tuple[int, int]]


class Budget:
    """How much may be done for a snapshot that is not in step."""

    __slots__ = ("build", "list", "read")

    def __init__(self, list_limit: int = NO_LIMIT, read_limit: int = NO_LIMIT, build_limit: int = NO_LIMIT) -> None:
        """So many files listed, so many of them read again, so many read where there is no snapshot."""
        self.list = list_limit
        self.read = read_limit
        self.build = build_limit


class Loaded:
    """A snapshot to answer from, and what of it is not on disk yet."""

    __slots__ = ("base", "delta", "index_made", "index_text", "notes", "snapshot")

    def __init__(self, snapshot: "Snapshot") -> None:
        """As it is on disk."""
        self.snapshot = snapshot
        self.notes: list[str] = []
        # The bytes of the files to write; None where they are as they should be, b"" for one to remove.
        self.base: bytes | None = None
        self.delta: bytes | None = None
        # The text of an index.md to write, None where there is nothing to do, and the time it is to bear.
        self.index_text: str | None = None
        self.index_made = 0


def snapshot_path(memory_dir: str) -> str:
    """Where the snapshot of a store is."""
    return os.path.join(memory_dir, ".cuecard", "snapshot")


def load_snapshot(project: Project, numbers: "Numbers", budget: Budget) -> Loaded | None:
    """The snapshot of a project; None where there is none and too much to make one within the budget.

    Nothing is written.
    """
    memory_dir = project[1]
    times = freshness.folder_times(memory_dir)
    seen = [changed or MISSING for changed in times]
    found = _open(memory_dir, numbers)
    if found and found.watermark() == seen:
        loaded: Loaded | None = Loaded(found)
    elif found:
        loaded = _heal(project, found, seen, budget)
    else:
        loaded = _build(project, numbers, seen, budget)
    if loaded and len(loaded.snapshot) <= budget.list:
        index = os.path.join(memory_dir, "index.md")
        is_there = os.path.exists(index)
        if not is_there or freshness.is_stale(memory_dir, times):
            text = twin.index_text(loaded.snapshot.active_lines())
            if text or is_there:
                loaded.index_text, loaded.index_made = text, freshness.watermark(times)
    return loaded


def write_files(memory_dir: str, base: bytes | None, delta: bytes | None) -> None:
    """Put the files of a snapshot in their places: None leaves one as it is, b"" removes it. Raises OSError."""
    # Not on every prompt's import path.
    from .atomic import replace_derived
    from .derived import ensure_derived_folder

    ensure_derived_folder(memory_dir)
    path = snapshot_path(memory_dir)
    for place, data in ((path, base), (f"{path}.delta", delta)):
        if data:
            replace_derived(place, data, None)
        elif data is not None and os.path.exists(place):
            os.unlink(place)


def list_folder(memory_dir: str, folder: str, limit: int = NO_LIMIT) -> Stamps | None:
    """Size and modification time (ns since 1970) of every memory file of a folder; None for more than `limit`."""
    files: Stamps = {}
    try:
        with os.scandir(os.path.join(memory_dir, folder)) as entries:
            for entry in entries:
                if not entry.name.endswith(".json"):
                    continue
                if len(files) == limit:
                    return None
                name = os.fsencode(entry.name).decode("utf-8", "replace")
                try:
                    status = entry.stat()
                    stamp = status.st_size, status.st_mtime_ns
                except OSError:
                    stamp = 0, 0
                files[f".claude/memory/{folder}/{name}"] = stamp
    except OSError:
        return {}
    return files


def read_files(project: Project, listed: list[tuple[str, str, tuple[int, int]]]) -> "list[File]":
    """The memory files of category by folder, path and stamp, as snapshots take them."""
    containment = Containment(*project)
    files: list[File] = []
    for category, path, stamp in listed:
        located = containment.locate(path)
        try:
            data = read_bounded(located, MAX_RECORD_BYTES) if located else None
        except Unread:
            data = None
        files.append((category, path, data, *stamp))
    return files


def _open(memory_dir: str, numbers: "Numbers") -> "Snapshot | None":
    try:
        found = twin.Snapshot.open(snapshot_path(memory_dir))
    except (SegmentError, StoreError):
        return None
    return found if found.has_settings(numbers) and len(found.watermark()) == len(FOLDERS) else None


def _heal(project: Project, snapshot: "Snapshot", seen: list[int], budget: Budget) -> Loaded:
    """The snapshot with what changed in the folders that are not in step, as far as the budget goes."""
    watermark = list(seen)
    changed: list[tuple[str, str, tuple[int, int]]] = []
    removed: list[str] = []
    listed = 0
    before = snapshot.watermark()
    for place, (folder, category) in enumerate(FOLDERS):
        if seen[place] == before[place]:
            continue
        files = list_folder(project[1], folder, budget.list - listed)
        if files is None:
            watermark[place] = before[place]
            continue
        listed += len(files)
        known = {path: (size, modified) for path, size, modified in snapshot.files(folder)}
        removed += sorted([path for path in known if path not in files])
        for path in sorted(files):
            if known.get(path) != files[path]:
                if len(changed) == budget.read:
                    watermark[place] = UNSURE
                    break
                changed.append((category, path, files[path]))
        watermark[place] = _sure(watermark[place])
    loaded = Loaded(snapshot)
    if not changed and not removed and watermark == before:
        return loaded
    try:
        updated = snapshot.update(read_files(project, changed), removed, watermark, False)
    except SegmentError:
        updated = None
    if updated is None:
        loaded.notes.append("the snapshot is damaged; `cuecard index rebuild` makes it anew")
        return loaded
    _base, loaded.delta, skipped = updated
    loaded.notes += [_left_out(path, reason) for path, reason in skipped]
    loaded.snapshot = snapshot.with_delta(loaded.delta)
    return loaded


def _build(project: Project, numbers: "Numbers", seen: list[int], budget: Budget) -> Loaded | None:
    """A snapshot of all memory files, where there are few."""
    found: list[tuple[str, str, tuple[int, int]]] = []
    for folder, category in FOLDERS:
        files = list_folder(project[1], folder, budget.build - len(found))
        if files is None:
            return None
        found += [(category, path, files[path]) for path in sorted(files)]
    watermark = [_sure(changed) for changed in seen]
    data, skipped = twin.build_snapshot(read_files(project, found), watermark, numbers, os.cpu_count() or 1)
    loaded = Loaded(twin.Snapshot(data))
    loaded.base, loaded.delta = data, b""
    loaded.notes = [_left_out(path, reason) for path, reason in skipped]
    return loaded


def _left_out(path: str, reason: str) -> str:
    return f"left `{path}` out of the snapshot: {reason}"


def _sure(changed: int) -> int:
    """A folder's time as the watermark keeps it: not one so young that a change could hide behind it."""
    return UNSURE if changed > time.time_ns() - freshness.YOUNG_NS else changed
