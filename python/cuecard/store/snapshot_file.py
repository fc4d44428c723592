"""The snapshot of a store: mapped as it is, and brought up to date within a budget (SPEC 23)."""

import time

from .. import _pure as pure
from .._backend import twin
from .._pure.category import FOLDERS
from ..errors import SegmentError, StoreError
from ..system import os
from . import freshness
from .budget import NO_LIMIT, Budget
from .derived import open_derived, open_sealed, write_sealed
from .files import MAX_RECORD_BYTES, StoreFiles
from .folder import KIND, REGULAR, RefusedError, Unread
from .seal import read_seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.documents import Documents
    from .._pure.settings import Numbers
    from .._pure.snapshot import Snapshot

SNAPSHOT = "snapshot"
DELTA = "snapshot.delta"
MISSING = -1
UNSURE = 0
# Not every file of the folder was read.
PARTIAL = -2

Project = tuple[str, str]
Stamps = dict[str, tuple[int, int]]


class Loaded:
    """A snapshot to answer from, and what of it is not on disk yet."""

    __slots__ = (
        "base",
        "completes",
        "delta",
        "index_made",
        "index_text",
        "is_complete",
        "notes",
        "skipped",
        "snapshot",
    )

    def __init__(self, snapshot: "Snapshot") -> None:
        """As it is on disk."""
        self.snapshot = snapshot
        self.notes: list[str] = []
        # Whether it has every change; an index made from one that does not would look as if it were in step.
        self.is_complete = True
        # Whether it is one file, and the one on disk is partial, or in many parts.
        self.completes = False
        # Path and reason of what a new build has left out.
        self.skipped: list[tuple[str, str]] = []
        # The bytes of the files to write; None where they are as they should be, b"" for one to remove.
        self.base: bytes | None = None
        self.delta: bytes | None = None
        # The text of an index.md to write, None where there is nothing to do, and the time it is to bear.
        self.index_text: str | None = None
        self.index_made = 0


def load_snapshot(project: Project, numbers: "Numbers", budget: Budget) -> Loaded | None:
    """The snapshot of a project, brought up to date as far as the budget goes.

    Nothing is written. Without limits, None where a folder cannot be listed.
    """
    memory_dir = project[1]
    times = freshness.folder_times(memory_dir)
    seen = [changed or MISSING for changed in times]
    found = open_snapshot(memory_dir, numbers)
    loaded: Loaded | None
    if found is not None and found.watermark() == seen:
        loaded = Loaded(found)
    elif budget.merge is None and (found is None or found.is_partial() or found.deltas() > 1):
        # Who has no limits makes one file of everything.
        loaded = build(project, numbers, [_sure(changed) for changed in seen])
        if loaded:
            loaded.completes = found is not None
    else:
        loaded = _bring_up_to_date(project, found, numbers, seen, budget)
    if loaded and loaded.is_complete and len(loaded.snapshot) <= budget.list:
        is_there = freshness.index_time(memory_dir) != 0
        if not is_there or freshness.is_stale(memory_dir, times):
            text = pure.index_text(loaded.snapshot.active_lines())
            if text or is_there:
                loaded.index_text, loaded.index_made = text, freshness.watermark(times)
    return loaded


def write_files(memory_dir: str, base: bytes | None, delta: bytes | None) -> None:
    """Put the files of a snapshot in their places: None leaves one as it is, b"" removes it. Raises OSError."""
    files = {name: data or None for name, data in ((SNAPSHOT, base), (DELTA, delta)) if data is not None}
    write_sealed(memory_dir, files)


def write_snapshot(memory_dir: str, base: bytes | None, delta: bytes | None) -> list[str]:
    """Put the files of a snapshot in their places; why that failed, none where it did not."""
    if base is None and delta is None:
        return []
    try:
        write_files(memory_dir, base, delta)
    except OSError as error:
        return [f"the snapshot cannot be written: {error.strerror or error}; the next reader mends it"]
    return []


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


def compare_folder(snapshot: "Snapshot", memory_dir: str, folder: str) -> tuple[list[str], list[str]] | None:
    """The paths in a folder that differ from the snapshot's, and those that are gone.

    None where it cannot be listed.
    """
    listed = _list_folder(memory_dir, folder, NO_LIMIT)
    if listed is None:
        return None
    files = listed[0]
    known = _known_files(snapshot, folder)
    changed = [path for path in sorted(files) if known.get(path) != files[path]]
    return changed, sorted([path for path in known if path not in files])


def build(project: Project, numbers: "Numbers", watermark: list[int]) -> Loaded | None:
    """A snapshot of all memory files; None where a folder cannot be listed."""
    # Not on every prompt's import path.
    from .index_md import read_all_files

    if not _can_list_all(project[1]):
        return None
    data, skipped = twin.build_snapshot(read_all_files(*project), watermark, numbers, os.cpu_count() or 1)
    loaded = Loaded(twin.Snapshot(data))
    loaded.base, loaded.delta, loaded.skipped = data, b"", skipped
    loaded.notes = [_left_out(path, reason) for path, reason in skipped]
    return loaded


def _can_list_all(memory_dir: str) -> bool:
    """Whether every folder can be listed."""
    with StoreFiles(memory_dir) as files:
        for folder, _category in FOLDERS:
            try:
                place = files.folder(folder)
                for _entry in place.scan() if place else ():
                    break
            except RefusedError:
                continue
            except OSError:
                return False
    return True


def _known_files(snapshot: "Snapshot", folder: str) -> Stamps:
    """The files of a folder that were read, those without a document too."""
    files = snapshot.unfit_files(folder) + snapshot.files(folder)
    return {path: (size, modified) for path, size, modified in files}


def _list_folder(memory_dir: str, folder: str, limit: int) -> tuple[Stamps, bool] | None:
    """Size and modification time (ns since 1970) of the first `limit` memory files, and whether these are all.

    None where they cannot be listed.
    """
    found: Stamps = {}
    with StoreFiles(memory_dir) as files:
        try:
            place = files.folder(folder)
            for entry in place.scan() if place else ():
                if not entry.name.endswith(".json"):
                    continue
                if len(found) >= limit:
                    return found, False
                name = os.fsencode(entry.name).decode("utf-8", "replace")
                found[f".claude/memory/{folder}/{name}"] = _stamp_of(entry)
        except RefusedError:
            return {}, True
        except OSError:
            return None
    return found, True


def _stamp_of(entry: "os.DirEntry[str]") -> tuple[int, int]:
    """Size and modification time of a regular file; zeros for anything else, which is never read."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return 0, 0
    return (status.st_size, status.st_mtime_ns) if status.st_mode & KIND == REGULAR else (0, 0)


class Survey:
    """How the files of a store differ from its snapshot."""

    __slots__ = ("changed", "is_complete", "removed", "watermark")

    def __init__(self, memory_dir: str, snapshot: "Snapshot | None", seen: list[int], list_limit: int) -> None:
        """Of the folders that are not in step, at most so many files listed."""
        # Place of the folder, path and stamp of each file that was not read yet, or has changed since.
        self.changed: list[tuple[int, str, tuple[int, int]]] = []
        self.removed: list[str] = []
        # What the folders looked like, were all changed files read.
        self.watermark = list(seen)
        # Whether every folder could be listed to its end.
        self.is_complete = True
        before = None if snapshot is None else snapshot.watermark()
        left = list_limit
        for place, (folder, _category) in enumerate(FOLDERS):
            if before and seen[place] == before[place]:
                continue
            # What is listed of a folder with more files than may be listed says nothing new.
            is_too_large = snapshot is not None and snapshot.count_files(folder) >= list_limit
            listed = None if is_too_large else _list_folder(memory_dir, folder, left)
            if listed is None:
                self.watermark[place] = before[place] if before else PARTIAL
                self.is_complete = False
                continue
            files, is_whole = listed
            self.watermark[place] = _sure(seen[place]) if is_whole else PARTIAL
            self.is_complete = self.is_complete and is_whole
            left -= len(files)
            known = {} if snapshot is None else _known_files(snapshot, folder)
            if is_whole:
                self.removed += sorted([path for path in known if path not in files])
            self.changed += [(place, path, stamp) for path, stamp in files.items() if known.get(path) != stamp]
        # In no order that means anything: what is read first is a sample of all.
        from binascii import crc32

        self.changed.sort(key=lambda file: (crc32(file[1].encode()), file[1]))


def _bring_up_to_date(
    project: Project, snapshot: "Snapshot | None", numbers: "Numbers", seen: list[int], budget: Budget
) -> Loaded:
    """The snapshot, or an empty one, with what differs from it in the store, as far as the budget goes."""
    survey = Survey(project[1], snapshot, seen, budget.list)
    watermark = survey.watermark
    has_changes = bool(survey.changed or survey.removed)
    if snapshot is not None and not has_changes and watermark == snapshot.watermark():
        # Nothing can be done about what is missing.
        loaded = Loaded(snapshot)
        loaded.is_complete = survey.is_complete
        return loaded
    documents = _read_files(project[1], snapshot, survey, budget)
    if snapshot is None:
        data, skipped = twin.build_snapshot(documents, watermark, numbers)
        loaded = Loaded(twin.Snapshot(data))
        loaded.base, loaded.delta = data, b""
    else:
        try:
            updated = snapshot.update(documents, survey.removed, watermark, False, budget.merge)
        except SegmentError:
            updated = None
        if updated is None:
            loaded = Loaded(snapshot)
            loaded.is_complete = False
            loaded.notes.append("the snapshot is damaged; `cuecard index rebuild` makes it anew")
            return loaded
        base, delta, skipped = updated
        loaded = Loaded(snapshot.with_delta(delta) if base is None else twin.Snapshot(base, delta))
        loaded.base, loaded.delta = base, delta
    loaded.is_complete = survey.is_complete and PARTIAL not in watermark
    loaded.notes += [_left_out(path, reason) for path, reason in skipped]
    left = len(survey.changed) - len(documents)
    if left:
        loaded.notes.append(f"memory files left for the next prompts: {left}")
    return loaded


def _read_files(memory_dir: str, snapshot: "Snapshot | None", survey: Survey, budget: Budget) -> "Documents":
    """The documents of as many files as the budget has room for; the folders of the others are marked as partial."""
    documents = twin.Documents()
    is_large = snapshot is not None and snapshot.delta_bytes() > budget.deltas
    with StoreFiles(memory_dir) as store:
        for place, path, (size, modified) in survey.changed:
            if is_large or not budget.takes(size):
                survey.watermark[place] = PARTIAL
                continue
            data = None
            if size <= MAX_RECORD_BYTES:
                try:
                    data = store.read(path)[0]
                except Unread:
                    data = None
            documents.add(FOLDERS[place][1], path, data, size, modified)
    return documents


def _left_out(path: str, reason: str) -> str:
    return f"left `{path}` out of the snapshot: {reason}"


def _sure(changed: int) -> int:
    """A folder's time as the watermark keeps it: not one so young that a change could hide behind it."""
    return UNSURE if changed > time.time_ns() - freshness.YOUNG_NS else changed
