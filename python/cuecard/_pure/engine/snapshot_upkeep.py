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
from .snapshot import PARTIAL, Snapshot, update_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..settings.reader import Numbers
    from .answers import State

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
    # Without limits, a snapshot of some files only is no beginning.
    is_build = budget.merge is None and (found is None or found.is_partial())
    if found is not None and found.watermark() == seen:
        loaded = Loaded(memory_dir, found, is_on_disk=True)
    else:
        before = Snapshot([], numbers, [], {}) if is_build or found is None else found
        survey = Survey(memory_dir, before, (seen, [_sure(changed) for changed in seen]), budget.list)
        loaded = _bring_up_to_date(memory_dir, before, survey, budget)
        loaded.completes = is_build and found is not None
    if is_build and not loaded.is_complete:
        return None
    if loaded.is_complete and len(loaded.snapshot) <= budget.list:
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

    def __init__(
        self,
        memory_dir: str,
        snapshot: Snapshot,
        times: tuple[list[int], list[int]],
        limit: int = NO_LIMIT,
        written: "Sequence[str]" = (),
    ) -> None:
        """List the folders that have changed since the snapshot, at most `limit` files in total.

        `times` are the times of the folders, and the marks that a folder gets of which all files are known. The files
        that were `written` count as changed: within one tick of the clock a file can get the same size and time twice.
        """
        # Index of the folder, path and stamp of each file that is new or has changed.
        self.changed: list[tuple[int, str, tuple[int, int]]] = []
        self.removed: list[str] = []
        # Whether every folder was listed completely.
        self.is_complete = True
        # The watermark after all changed files were read.
        (seen, self.watermark), before = times, snapshot.watermark()
        for place, (folder, _category) in enumerate(FOLDERS):
            if before and seen[place] == before[place] != UNSURE:
                continue
            known = snapshot.stamps(folder)
            # A folder with more files than the limit is not listed: some of its files do not show what has changed.
            listed = _list_folder(memory_dir, folder, limit) if len(known) < limit else None
            files, is_whole = listed or ({}, False)
            limit -= len(files)
            if not is_whole:
                self.watermark[place] = before[place] if before and listed is None else PARTIAL
                self.is_complete = False
            else:
                self.removed += sorted([path for path in known if path not in files])
            self.changed += [
                (place, path, stamp) for path, stamp in files.items() if known.get(path) != stamp or path in written
            ]
        # Sorted by a hash, so that the files that are read first are a random sample.
        from binascii import crc32

        self.changed.sort(key=lambda file: (crc32(file[1].encode()), file[1]))


def _bring_up_to_date(memory_dir: str, snapshot: Snapshot, survey: Survey, budget: Budget) -> Loaded:
    """The snapshot after reading the changes in the store, as far as the budget allows.

    The folders of files that are left to later prompts are marked as partial.
    """
    if not survey.changed and not survey.removed and survey.watermark == snapshot.watermark():
        # There is nothing to read; folders that cannot be listed stay as they are.
        loaded = Loaded(memory_dir, snapshot, is_on_disk=True)
        loaded.is_complete = survey.is_complete
        return loaded
    from .documents import Documents

    documents = Documents()
    is_large = snapshot.bytes > budget.deltas
    with StoreFiles(memory_dir) as store:
        for place, path, (size, modified) in survey.changed:
            if is_large or not budget.takes(size):
                survey.watermark[place] = PARTIAL
            else:
                documents.add(FOLDERS[place][1], path, store.read_if_any(path), size, modified)
    updated, skipped = update_snapshot(snapshot, documents, survey.removed, survey.watermark)
    loaded = Loaded(memory_dir, updated, is_on_disk=False)
    loaded.skipped = skipped
    loaded.is_complete = survey.is_complete and PARTIAL not in survey.watermark
    loaded.notes = [f"left `{path}` out of the snapshot: {reason}" for path, reason in skipped]
    left = len(survey.changed) - len(documents)
    if left:
        loaded.notes.append(f"memory files left for the next prompts: {left}")
    return loaded


def _sure(changed: int) -> int:
    """A folder's time for the watermark: `UNSURE` if it is so recent that a later change could have the same time."""
    return UNSURE if changed > time.time_ns() - freshness.YOUNG_NS else changed


def _follow(memory_dir: str, numbers: "Numbers", changes: "Changes") -> Loaded | None:
    """The snapshot after a writer's changes; None if a folder cannot be listed. Raises OSError.

    A snapshot that is missing, damaged or made with other settings is built again.
    """
    before, after, paths = changes
    found = None if before is None else open_snapshot(memory_dir, numbers)
    if found is not None and not paths and found.watermark() == after:
        return Loaded(memory_dir, found, is_on_disk=True)
    known = found or Snapshot([], numbers, [], {})
    survey = Survey(memory_dir, known, (after, [*after]), NO_LIMIT, paths)
    loaded = _bring_up_to_date(memory_dir, known, survey, Budget())
    return loaded if loaded.is_complete else None
