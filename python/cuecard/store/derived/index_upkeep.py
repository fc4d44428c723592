"""Keeps `index.md` in step with a writer's changes, inside the writer's lock (SPEC 13.3)."""

from ..._backend import engine, index_text, rebuild_index
from ...basics.category import FOLDERS
from ...files import freshness
from ...files.folder import Unread
from ...files.memory_files import has_index, read_index, read_records, write
from .changes import Changes
from .index_edit import Unsorted, edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._backend import Snapshot


class IndexUpkeep:
    """The state of the index before a writer's changes, from which the index is updated after these changes.

    Create and use it under the lock. If the index was up to date, only the changed lines are edited. If it was missing,
    stale, or in another order than a rebuild writes, it is rebuilt from the snapshot.
    """

    def __init__(self, project: tuple[str, str]) -> None:
        """Read the index of a project before anything changes."""
        self._project = project
        times = freshness.folder_times(project[1])
        self._text = self._read()
        self._is_stale = self._text is None or freshness.is_stale(project[1], times)
        # An index that another program wrote or edited may have other lines or another order.
        self.is_usable = not self._is_stale and freshness.is_in_step(project[1], times)
        """Whether the index is the result of a rebuild, judged by file times."""

    def finish(self, changes: Changes, snapshot: "Snapshot | None") -> str:
        """Bring the index up to date. Returns "", or why it failed; the next reader then rebuilds the index.

        `snapshot` is the snapshot after the changes; None if it could not be made.
        """
        if not changes and not self._is_stale:
            return ""
        text = self._edited(changes)
        if text is None:
            if snapshot is None:
                return "index.md is not up to date, because the snapshot is not; the next reader rebuilds it"
            text = index_text(snapshot.active_lines)
        times = changes.settled_times()
        # If another process changed a folder meanwhile, the index gets an old time, so that it counts as stale.
        made = max(changes.before) if None in times else max(changed or 0 for changed in times)
        try:
            if text or has_index(self._project[1]):
                write(self._project[1], text, max(1, made))
        except OSError as error:
            return f"index.md is not up to date: {error.strerror or error}; the next reader rebuilds it"
        return ""

    def _edited(self, changes: Changes) -> str | None:
        """Return the old text with the changes; None if the old text cannot be used or the changes are unknown."""
        if self._text is None or not self.is_usable or changes.unsettled:
            return None
        try:
            text = edit(self._text, changes.removed, list(changes.added.values()))
        except Unsorted:
            return None
        lines = text.split("\n")
        return text if all(self._is_in_place(lines, path) for path in changes.added) else None

    def _is_in_place(self, lines: list[str], path: str) -> bool:
        """Whether a rebuild would put a new line and its neighbours in the same order.

        A rebuild sorts by the titles in the files, and a line does not show every title unchanged.
        """
        place = next((number for number, line in enumerate(lines) if f" -> {path}" in line), 0)
        near = [line for line in lines[max(0, place - 1) : place + 2] if line.startswith("- [")]
        paths = sorted([parsed[2] for parsed in map(engine.parse_index_line, near) if parsed])
        listed = [(category, found) for folder, category in FOLDERS for found in paths if f"/{folder}/" in found]
        text, _skipped, _is_damaged = rebuild_index(read_records(*self._project, listed))
        return place == 0 or text.split("\n")[-1 - len(near) : -1] == near

    def _read(self) -> str | None:
        try:
            return read_index(self._project[1]).decode()
        except (Unread, UnicodeDecodeError):
            return None
