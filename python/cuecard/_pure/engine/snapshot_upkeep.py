"""Reads the snapshot of a store, updates it at a prompt or after a write, and writes it (SPEC 23).

Only `Loaded.write` writes.
"""

import os
import time

from ...basics.category import FOLDERS
from ...errors import SegmentError
from ...files import freshness
from ...files.derived import has_own_derived, read_sealed, write_sealed
from ...files.folder import RefusedError, Unread
from ...files.freshness import MISSING, UNSURE
from ...files.store_files import StoreFiles, scan_memories, stamp_of, store_of
from ...files.user_folder import data_path
from ..requests.budget import NO_LIMIT, Budget, prompt_budget
from ..requests.results import FileStamp
from .answers import Inspected
from .snapshot import PARTIAL, Snapshot, build_snapshot, update_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings.reader import Numbers
    from .answers import State
    from .documents import Documents

    # The watermarks before and after a writer's changes, and the paths that the writer has changed. If the watermark
    # before is None, the old snapshot is not used and every file is read.
    Changes = tuple[list[int] | None, list[int], list[str]]

# The name of the snapshot's file below `.cuecard`.
DOCUMENTS = "documents.json"

Stamps = dict[str, tuple[int, int]]


class Loaded:
    """A snapshot to answer from, and what to write afterwards."""

    def __init__(self, memory_dir: str, snapshot: Snapshot, *, is_on_disk: bool) -> None:
        self._memory_dir = memory_dir
        self.snapshot = snapshot
        # Whether `write` has nothing to do.
        self.is_on_disk = is_on_disk
        self.notes: list[str] = []
        # Whether the snapshot has every change; if not, no index may be made from it.
        self.is_complete = True
        # Whether the snapshot is whole and replaces a partial snapshot on disk.
        self.completes = False
        # Path and reason of each file that `build` has left out.
        self.skipped: list[tuple[str, str]] = []
        # The text of an index.md to write (None: do not write one), and its modification time.
        self.index_text: str | None = None
        self.index_made = 0

    def write(self) -> None:
        """Write the file of the documents, unless it is already on disk. Raises OSError."""
        if self.is_on_disk:
            return
        from .documents_file import MAX_BYTES, write_documents

        data = write_documents(self.snapshot)
        if len(data) > MAX_BYTES:
            raise OSError(27, "File too large")
        write_sealed(self._memory_dir, {DOCUMENTS: data})


def load_snapshot(
    root: str, numbers: "Numbers", budget: Budget | None = None, changes: "Changes | None" = None
) -> Loaded | None:
    """The snapshot of a project, updated as far as the budget allows, or by a writer's changes. Nothing is written.

    The default is the budget of a prompt. The result is None if all files must be read and a folder cannot be listed.
    """
    memory_dir = store_of(root)
    if changes is not None:
        return _follow(memory_dir, numbers, changes)
    budget = budget or prompt_budget()
    times = freshness.folder_times(memory_dir)
    seen = [changed or MISSING for changed in times]
    found = open_snapshot(memory_dir, numbers)
    loaded: Loaded | None
    if found is not None and found.watermark() == seen:
        loaded = Loaded(memory_dir, found, is_on_disk=True)
    elif budget.merge is None and (found is None or found.is_partial()):
        # A budget without limits: read all files.
        loaded = build(memory_dir, numbers, [_sure(changed) for changed in seen])
        if loaded:
            loaded.completes = found is not None
    else:
        loaded = _bring_up_to_date(memory_dir, found, numbers, seen, budget)
    if loaded and loaded.is_complete and len(loaded.snapshot) <= budget.list:
        is_there = freshness.index_time(memory_dir) != 0
        is_due = not is_there or freshness.is_stale(memory_dir, times)
        # Where the user has derived files of their own, the store cannot be written.
        if is_due and (not has_own_derived(memory_dir) or os.access(memory_dir, os.W_OK)):
            from ..memory.rebuild import index_text

            text = index_text(loaded.snapshot.active_lines)
            if text or is_there:
                loaded.index_text, loaded.index_made = text, freshness.watermark(times)
    return loaded


def inspect_snapshot(root: str, numbers: "Numbers") -> Inspected:
    """What is known of the snapshot of a project on disk."""
    found, state, reason = _inspect(store_of(root), numbers)
    if found is None:
        return Inspected(state, reason)
    files = [FileStamp(*row) for folder, _category in FOLDERS for row in found.files(folder)]
    unfit = [FileStamp(*row) for folder, _category in FOLDERS for row in found.unfit_files(folder)]
    return Inspected(state, reason, found, files, unfit, found.watermark())


def _inspect(memory_dir: str, numbers: "Numbers") -> "tuple[Snapshot | None, State, str]":
    try:
        found = read_snapshot(memory_dir)
    except Unread as unread:
        return (None, "missing", "") if unread.words == Unread.MISSING else (None, "damaged", f"it {unread.words}")
    except SegmentError as error:
        return None, "damaged", error.what
    if not found.has_settings(numbers):
        return None, "other settings", ""
    return found, "partial" if found.is_partial() else "whole", ""


def open_snapshot(memory_dir: str, numbers: "Numbers") -> Snapshot | None:
    """The snapshot on disk.

    None if it is missing, damaged, of another version, made with other numbers, or not written by this user's cuecard.
    """
    return _inspect(memory_dir, numbers)[0]


def read_snapshot(memory_dir: str) -> Snapshot:
    """The snapshot on disk. Raises SegmentError, and Unread, also if this user's cuecard has not written the file."""
    from .documents_file import MAX_BYTES, read_documents

    if not os.path.isdir(data_path()):
        # No seal can say who has written the file.
        raise Unread(Unread.MISSING)
    return read_documents(read_sealed(memory_dir, DOCUMENTS, MAX_BYTES))


def build(memory_dir: str, numbers: "Numbers", watermark: list[int]) -> Loaded | None:
    """A new snapshot of all memory files; None if a folder cannot be listed."""
    # Loaded here, because few prompts need it.
    from ...files.memory_files import read_all_files

    if any(_list_folder(memory_dir, folder, NO_LIMIT) is None for folder, _category in FOLDERS):
        return None
    snapshot, skipped = build_snapshot(read_all_files(memory_dir), watermark, numbers)
    loaded = Loaded(memory_dir, snapshot, is_on_disk=False)
    loaded.skipped = skipped
    loaded.notes = [_left_out(path, reason) for path, reason in skipped]
    return loaded


def _known_files(snapshot: Snapshot, folder: str) -> Stamps:
    """The stamps of the files of a folder that the snapshot has read, including files without a document."""
    files = snapshot.unfit_files(folder) + snapshot.files(folder)
    return {path: (size, modified) for path, size, modified in files}


def _list_folder(memory_dir: str, folder: str, limit: int) -> tuple[Stamps, bool] | None:
    """Size and modification time (ns since 1970) of the first `limit` memory files, and whether these are all files.

    None if the folder cannot be listed.
    """
    found: Stamps = {}
    with StoreFiles(memory_dir) as files:
        try:
            for path, entry in scan_memories(files, folder):
                if len(found) >= limit:
                    return found, False
                found[path] = stamp_of(entry)
        except RefusedError:
            return {}, True
        except OSError:
            return None
    return found, True


class Survey:
    """The differences between the files of a store and its snapshot."""

    def __init__(self, memory_dir: str, snapshot: Snapshot | None, seen: list[int], list_limit: int) -> None:
        """List the folders that have changed since the snapshot, at most `list_limit` files in total."""
        # Index of the folder, path and stamp of each file that is new or has changed.
        self.changed: list[tuple[int, str, tuple[int, int]]] = []
        self.removed: list[str] = []
        # The watermark after all changed files were read.
        self.watermark = list(seen)
        # Whether every folder was listed completely.
        self.is_complete = True
        before = None if snapshot is None else snapshot.watermark()
        left = list_limit
        for place, (folder, _category) in enumerate(FOLDERS):
            if before and seen[place] == before[place]:
                continue
            # A folder with more files than the limit is not listed: some of its files do not show what has changed.
            is_too_large = snapshot is not None and len(snapshot.files(folder)) >= list_limit
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
        # Sorted by a hash, so that the files that are read first are a random sample.
        from binascii import crc32

        self.changed.sort(key=lambda file: (crc32(file[1].encode()), file[1]))


def _bring_up_to_date(
    memory_dir: str, snapshot: Snapshot | None, numbers: "Numbers", seen: list[int], budget: Budget
) -> Loaded:
    """The snapshot (None: an empty one) after reading the changes in the store, as far as the budget allows."""
    survey = Survey(memory_dir, snapshot, seen, budget.list)
    watermark = survey.watermark
    has_changes = bool(survey.changed or survey.removed)
    if snapshot is not None and not has_changes and watermark == snapshot.watermark():
        # There is nothing to read; folders that cannot be listed stay as they are.
        loaded = Loaded(memory_dir, snapshot, is_on_disk=True)
        loaded.is_complete = survey.is_complete
        return loaded
    documents = _read_files(memory_dir, snapshot, survey, budget)
    before = snapshot or Snapshot([], numbers, watermark, {})
    updated, skipped = update_snapshot(before, documents, survey.removed, watermark)
    loaded = Loaded(memory_dir, updated, is_on_disk=False)
    loaded.is_complete = survey.is_complete and PARTIAL not in watermark
    loaded.notes += [_left_out(path, reason) for path, reason in skipped]
    left = len(survey.changed) - len(documents)
    if left:
        loaded.notes.append(f"memory files left for the next prompts: {left}")
    return loaded


def _read_files(memory_dir: str, snapshot: Snapshot | None, survey: Survey, budget: Budget) -> "Documents":
    """The documents of as many files as the budget allows; the folders of the other files are marked as partial."""
    from .documents import Documents

    documents = Documents()
    is_large = snapshot is not None and snapshot.bytes > budget.deltas
    with StoreFiles(memory_dir) as store:
        for place, path, (size, modified) in survey.changed:
            if is_large or not budget.takes(size):
                survey.watermark[place] = PARTIAL
                continue
            documents.add(FOLDERS[place][1], path, store.read_if_any(path), size, modified)
    return documents


def _left_out(path: str, reason: str) -> str:
    return f"left `{path}` out of the snapshot: {reason}"


def _sure(changed: int) -> int:
    """A folder's time for the watermark: `UNSURE` if it is so recent that a later change could have the same time."""
    return UNSURE if changed > time.time_ns() - freshness.YOUNG_NS else changed


def _follow(memory_dir: str, numbers: "Numbers", changes: "Changes") -> Loaded | None:
    """The snapshot after a writer's changes; None if a folder cannot be listed. Raises OSError.

    A snapshot that is missing, damaged or made with other settings is built again.
    """
    before, after, paths = changes
    found = None if before is None else open_snapshot(memory_dir, numbers)
    if found is None:
        return build(memory_dir, numbers, after)
    if not paths and found.watermark() == after:
        return Loaded(memory_dir, found, is_on_disk=True)
    # Loaded here, because prompts do not need it.
    from ...files.memory_files import read_files

    marks = found.watermark()
    changed: list[tuple[str, str]] = []
    removed: list[str] = []
    for place, (folder, category) in enumerate(FOLDERS):
        if before is not None and marks[place] == before[place]:
            # The folder was up to date before the write: changes of other processes are left to the next reader.
            own = sorted([path for path in paths if path.split("/")[-2] == folder])
            with StoreFiles(memory_dir) as files:
                there = [path for path in own if files.exists(path)]
            changed += [(category, path) for path in there]
            removed += [path for path in own if path not in there]
            continue
        listed = _list_folder(memory_dir, folder, NO_LIMIT)
        if listed is None:
            return None
        stamps, known = listed[0], _known_files(found, folder)
        changed += [(category, path) for path in sorted(stamps) if known.get(path) != stamps[path]]
        removed += sorted([path for path in known if path not in stamps])
    updated, _skipped = update_snapshot(found, read_files(memory_dir, changed), removed, after)
    return Loaded(memory_dir, updated, is_on_disk=False)
