"""The snapshot of a store: mapped as it is, and brought up to date within a budget (SPEC 23)."""

import time

from .._backend import twin
from .._pure.category import FOLDERS
from ..errors import SegmentError, StoreError
from ..system import os
from . import freshness
from .derived import open_derived, open_sealed, write_sealed
from .files import StoreFiles
from .folder import KIND, REGULAR, RefusedError, Unread
from .seal import read_seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.lexical_config import Numbers
    from .._pure.snapshot import Snapshot

# So many files of a stale store are looked at within a prompt, and so many of them read.
LIST_LIMIT = 10_000
READ_LIMIT = 500
# A store without a snapshot is read within a prompt if it has no more files than these.
BUILD_LIMIT = 1000
NO_LIMIT = 2**63

SNAPSHOT = "snapshot"
DELTA = "snapshot.delta"
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

    __slots__ = ("base", "delta", "index_made", "index_text", "is_complete", "notes", "skipped", "snapshot")

    def __init__(self, snapshot: "Snapshot") -> None:
        """As it is on disk."""
        self.snapshot = snapshot
        self.notes: list[str] = []
        # Whether it has every change; an index made from one that does not would look as if it were in step.
        self.is_complete = True
        # Path and reason of what a new build has left out.
        self.skipped: list[tuple[str, str]] = []
        # The bytes of the files to write; None where they are as they should be, b"" for one to remove.
        self.base: bytes | None = None
        self.delta: bytes | None = None
        # The text of an index.md to write, None where there is nothing to do, and the time it is to bear.
        self.index_text: str | None = None
        self.index_made = 0


def load_snapshot(project: Project, numbers: "Numbers", budget: Budget) -> Loaded | None:
    """The snapshot of a project; None where there is none and too much to make one within the budget.

    Nothing is written.
    """
    memory_dir = project[1]
    times = freshness.folder_times(memory_dir)
    seen = [changed or MISSING for changed in times]
    found = open_snapshot(memory_dir, numbers)
    if found and found.watermark() == seen:
        loaded: Loaded | None = Loaded(found)
    elif found:
        loaded = _heal(project, found, seen, budget)
    else:
        loaded = build(project, numbers, [_sure(changed) for changed in seen], budget.build)
    if loaded and loaded.is_complete and len(loaded.snapshot) <= budget.list:
        is_there = freshness.index_time(memory_dir) != 0
        if not is_there or freshness.is_stale(memory_dir, times):
            text = twin.index_text(loaded.snapshot.active_lines())
            if text or is_there:
                loaded.index_text, loaded.index_made = text, freshness.watermark(times)
    return loaded


def write_files(memory_dir: str, base: bytes | None, delta: bytes | None) -> None:
    """Put the files of a snapshot in their places: None leaves one as it is, b"" removes it. Raises OSError."""
    files = {name: data or None for name, data in ((SNAPSHOT, base), (DELTA, delta)) if data is not None}
    write_sealed(memory_dir, files)


def open_snapshot(memory_dir: str, numbers: "Numbers") -> "Snapshot | None":
    """The snapshot as it is on disk.

    None where it is missing, damaged, foreign, newer, made with other numbers, or was not written by this user's
    cuecard.
    """
    try:
        found = map_snapshot(memory_dir)
    except (SegmentError, StoreError, Unread):
        return None
    return found if found.has_settings(numbers) and len(found.watermark()) == len(FOLDERS) else None


def map_snapshot(memory_dir: str) -> "Snapshot":
    """The snapshot as it is on disk, if this user's cuecard has written it; a delta of others is left out.

    Raises Unread, StoreError, SegmentError.
    """
    try:
        derived = open_derived(memory_dir)
    except OSError:
        raise Unread(Unread.MISSING) from None
    with derived:
        seal = read_seal(memory_dir)
        base = open_sealed(derived, SNAPSHOT, seal)
        try:
            try:
                delta = open_sealed(derived, DELTA, seal)
            except Unread:
                delta = None
            try:
                return _map(base, delta)
            finally:
                if delta is not None:
                    os.close(delta)
        finally:
            os.close(base)


def _map(base: int, delta: int | None) -> "Snapshot":
    if os.name == "nt":
        # A file that is mapped could not be replaced there.
        return twin.Snapshot(_read_descriptor(base), None if delta is None else _read_descriptor(delta))
    return twin.Snapshot.of_files(base, delta)


def _read_descriptor(handle: int) -> bytes:
    data = b""
    while chunk := os.read(handle, max(1 << 20, len(data))):
        data += chunk
    return data


def compare_folder(
    snapshot: "Snapshot", memory_dir: str, folder: str, limit: int = NO_LIMIT
) -> tuple[list[str], list[str], int] | None:
    """The paths in a folder that differ from the snapshot's, those that are gone, and how many files there are.

    None where the folder cannot be listed, or has more than `limit`.
    """
    files = _list_folder(memory_dir, folder, limit)
    if files is None:
        return None
    known = {path: (size, modified) for path, size, modified in snapshot.files(folder)}
    changed = [path for path in sorted(files) if known.get(path) != files[path]]
    return changed, sorted([path for path in known if path not in files]), len(files)


def build(project: Project, numbers: "Numbers", watermark: list[int], limit: int = NO_LIMIT) -> Loaded | None:
    """A snapshot of all memory files; None for more than `limit`, or where a folder cannot be listed."""
    # Not on every prompt's import path.
    from .index_md import read_all_files

    if not _can_read_all(project[1], limit):
        return None
    data, skipped = twin.build_snapshot(read_all_files(*project), watermark, numbers, os.cpu_count() or 1)
    loaded = Loaded(twin.Snapshot(data))
    loaded.base, loaded.delta, loaded.skipped = data, b"", skipped
    loaded.notes = [_left_out(path, reason) for path, reason in skipped]
    return loaded


def _can_read_all(memory_dir: str, limit: int) -> bool:
    """Whether every folder can be listed and there are no more than `limit` memory files."""
    count = 0
    with StoreFiles(memory_dir) as files:
        for folder, _category in FOLDERS:
            try:
                place = files.folder(folder)
                for entry in place.scan() if place else ():
                    count += entry.name.endswith(".json")
                    if count > limit:
                        return False
            except RefusedError:  # noqa: PERF203 - a link has no memories
                continue
            except OSError:
                return False
    return True


def _list_folder(memory_dir: str, folder: str, limit: int) -> Stamps | None:
    """Size and modification time (ns since 1970) of every memory file; None where they cannot be listed or are more."""
    found: Stamps = {}
    with StoreFiles(memory_dir) as files:
        try:
            place = files.folder(folder)
            for entry in place.scan() if place else ():
                if not entry.name.endswith(".json"):
                    continue
                if len(found) == limit:
                    return None
                name = os.fsencode(entry.name).decode("utf-8", "replace")
                found[f".claude/memory/{folder}/{name}"] = _stamp_of(entry)
        except RefusedError:
            return {}
        except OSError:
            return None
    return found


def _stamp_of(entry: "os.DirEntry[str]") -> tuple[int, int]:
    """Size and modification time of a regular file; zeros for anything else, which is never read."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return 0, 0
    return (status.st_size, status.st_mtime_ns) if status.st_mode & KIND == REGULAR else (0, 0)


def _heal(project: Project, snapshot: "Snapshot", seen: list[int], budget: Budget) -> Loaded:
    """The snapshot with what changed in the folders that are not in step, as far as the budget goes."""
    loaded = Loaded(snapshot)
    watermark = list(seen)
    listed: list[tuple[str, str]] = []
    removed: list[str] = []
    count = 0
    before = snapshot.watermark()
    for place, (folder, category) in enumerate(FOLDERS):
        if seen[place] == before[place]:
            continue
        found = compare_folder(snapshot, project[1], folder, budget.list - count)
        if found is None:
            watermark[place], loaded.is_complete = before[place], False
            continue
        changed, gone, files = found
        count += files
        removed += gone
        watermark[place] = _sure(seen[place])
        if len(listed) + len(changed) > budget.read:
            watermark[place], loaded.is_complete = UNSURE, False
        listed += [(category, path) for path in changed[: budget.read - len(listed)]]
    if not listed and not removed and watermark == before:
        return loaded
    from .index_md import read_files

    try:
        updated = snapshot.update(read_files(*project, listed), removed, watermark, False)
    except SegmentError:
        updated = None
    if updated is None:
        loaded.is_complete = False
        loaded.notes.append("the snapshot is damaged; `cuecard index rebuild` makes it anew")
        return loaded
    _base, loaded.delta, skipped = updated
    loaded.notes += [_left_out(path, reason) for path, reason in skipped]
    loaded.snapshot = snapshot.with_delta(loaded.delta)
    return loaded


def _left_out(path: str, reason: str) -> str:
    return f"left `{path}` out of the snapshot: {reason}"


def _sure(changed: int) -> int:
    """A folder's time as the watermark keeps it: not one so young that a change could hide behind it."""
    return UNSURE if changed > time.time_ns() - freshness.YOUNG_NS else changed
