"""Keeps `index.md` in step with a writer's changes, inside the writer's lock (SPEC 13.3)."""

import os
import time

from .._backend import twin
from .._pure.category import FOLDERS
from ..errors import WriteError
from . import freshness
from .atomic import is_temporary
from .files import Unread, read_bounded
from .index_edit import Unsorted, edit
from .index_md import MAX_INDEX_BYTES, read_records, write
from .reindex import renew

# A prompt's hook may be writing an index this long; what is older was left by a process that died.
LEFTOVER_SECONDS = 60


class IndexUpkeep:
    """What a writer sees of the index before its change, so that afterwards the index can follow.

    To be made and used under the lock. An index that was in step gets lines in and out; one that was missing,
    stale, or not as a rebuild makes it is rebuilt.
    """

    def __init__(self, root: str, memory_dir: str) -> None:
        """Of the project at `root`, before anything changes."""
        self._project = (root, memory_dir)
        self._path = os.path.join(memory_dir, "index.md")
        self._times = freshness.folder_times(memory_dir)
        self._text = self._read()
        self._is_stale = self._text is None or freshness.is_stale(memory_dir, self._times)
        # What other hands have made or edited may have other lines, in another order.
        self._is_ours = freshness.is_in_step(memory_dir, self._times)
        self._touched: set[str] = set()
        self._unsettled: set[str] = set()
        self._removed: set[str] = set()
        self._added: dict[str, tuple[str, str, bytes | None]] = {}

    def about_to_change(self, path: str) -> None:
        """A memory file is about to be written or to go; where nothing follows, its state is found out."""
        self._touched.add(path.rpartition("/")[0].rpartition("/")[2])
        self._unsettled.add(path)

    def removed(self, path: str) -> None:
        """A memory file went."""
        self.about_to_change(path)
        self._unsettled.remove(path)
        self._removed.add(path)
        self._added.pop(path, None)

    def added(self, category: str, path: str, data: bytes) -> None:
        """A memory file was written."""
        self.removed(path)
        self._added[path] = (category, path, data)

    def finish(self) -> str:
        """Bring the index up to date; why that failed, "" where it did not. The next reader heals it then."""
        try:
            self._finish()
        except WriteError as error:
            reason = error.what
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            return ""
        return f"index.md is not up to date: {reason}; the next reader rebuilds it"

    def _finish(self) -> None:
        memory_dir = self._project[1]
        times = freshness.folder_times(memory_dir)
        if not self._touched and not self._is_stale:
            return
        text = self._edited()
        if text is None:
            self._sweep()
            renew(*self._project)
            return
        # Whoever else changed a folder meanwhile makes the index stale.
        self._sweep_folder("")
        made = max(1, *self._times) if self._has_strange_changes(times) else max(times)
        write(self._path, text, made)

    def _edited(self) -> str | None:
        """The text with the changes; None where there is nothing to build on."""
        if self._text is None or self._is_stale or not self._is_ours or self._unsettled:
            return None
        try:
            text = edit(self._text, self._removed, list(self._added.values()))
        except Unsorted:
            return None
        lines = text.split("\n")
        return text if all(self._is_in_place(lines, path) for path in self._added) else None

    def _is_in_place(self, lines: list[str], path: str) -> bool:
        """Whether a rebuild puts a new line and its neighbours in this order too.

        It goes by the titles of the files, and a line does not show every title as it is.
        """
        place = next((number for number, line in enumerate(lines) if f" -> {path}" in line), 0)
        near = [line for line in lines[max(0, place - 1) : place + 2] if line.startswith("- [")]
        paths = sorted([parsed[2] for parsed in map(twin.parse_index_line, near) if parsed])
        listed = [(category, found) for folder, category in FOLDERS for found in paths if f"/{folder}/" in found]
        text, _skipped, _is_damaged = twin.rebuild_index(read_records(*self._project, listed))
        return place == 0 or text.split("\n")[-1 - len(near) : -1] == near

    def _has_strange_changes(self, times: freshness.FolderTimes) -> bool:
        """Whether folders changed that this writer did not touch."""
        return any(
            before != after and folder not in self._touched
            for (folder, _category), before, after in zip(FOLDERS, self._times, times, strict=True)
        )

    def _read(self) -> str | None:
        try:
            return read_bounded(self._path, MAX_INDEX_BYTES).decode()
        except (Unread, UnicodeDecodeError):
            return None

    def _sweep(self) -> None:
        """Remove the temporary files of writers that died; under the lock no other writer has any."""
        for folder in [folder for folder, _category in FOLDERS] + [""]:
            self._sweep_folder(folder)

    def _sweep_folder(self, folder: str) -> None:
        """In the store's own folder a hook may be at work: what is young stays there."""
        try:
            found = [entry for entry in os.scandir(os.path.join(self._project[1], folder)) if is_temporary(entry.name)]
        except OSError:
            return
        for entry in found:
            if folder or entry.stat(follow_symlinks=False).st_mtime < time.time() - LEFTOVER_SECONDS:
                os.unlink(entry.path)


def refresh(root: str, memory_dir: str) -> str:
    """Bring a missing or stale index up to date, under the lock; why that failed, "" where it did not."""
    return IndexUpkeep(root, memory_dir).finish()
