"""The memories of a store as the page lists them, read again only where a file has changed.

Ten thousand memories are looked at in a few hundredths of a second: one `stat` for each file, and no lock.
"""

from threading import Lock

from .._backend import engine
from ..basics.category import FOLDERS
from ..basics.timestamp import parse_timestamp
from ..errors import InputError
from ..files.folder import Unread
from ..files.store_files import StoreFiles, open_store
from ..files.trust_levels import levels_of
from ..store.records.memory import Memory
from ..store.records.record_file import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SUFFIX = ".json"
STORE = ".claude/memory"


class Row:
    """A memory in a list."""

    def __init__(self, memory: Memory, stamp: tuple[int, int]) -> None:
        """`stamp` is the time and the size of the memory's file."""
        self.stamp = stamp
        self.path, self.id, self.category = memory.path, memory.id, memory.category
        self.title, self.status = memory.title, memory.status
        tags = memory.record.get("tags")
        self.tags = [str(tag) for tag in tags] if isinstance(tags, list) else []
        updated = memory.record.get("updated_at") or memory.record.get("created_at")
        self.updated = (parse_timestamp(updated) or 0) if isinstance(updated, str) else 0
        self.trust_hash = engine.trust_hash(memory.data) or ""
        self.has_questions = bool(memory.extension.get("questions"))
        self.level = ""

    @property
    def name(self) -> str:
        """CATEGORY/ID, which is unique in the store."""
        return f"{self.category}/{self.id}"


class Rows:
    """All memories of a store, kept between the requests of the page."""

    def __init__(self, memory_dir: str) -> None:
        """Nothing is read before the first call of `load`."""
        self._memory_dir = memory_dir
        self._rows: dict[str, Row] = {}
        self._lock = Lock()

    def load(self) -> list[Row]:
        """The memories of any status as they are now, the latest first."""
        with self._lock:
            found: dict[str, Row] = {}
            try:
                with open_store(self._memory_dir) as store, StoreFiles(self._memory_dir) as files:
                    for folder, category in FOLDERS:
                        self._load_folder(store, files, (folder, category), found)
            except (OSError, ValueError):
                found = {}
            self._rows = found
            rows = [*found.values()]
            files_of = [(row.trust_hash, f'{{"record_status":"{row.status}"}}'.encode()) for row in rows]
            for row, level in zip(rows, levels_of(self._memory_dir, files_of), strict=True):
                row.level = level
            return sorted(rows, key=lambda row: (-row.updated, row.path))

    def _load_folder(self, store: "Any", files: StoreFiles, place: tuple[str, str], found: dict[str, Row]) -> None:  # noqa: ANN401
        folder, category = place
        try:
            opened = store.folder(folder)
        except OSError:
            return
        with opened:
            for entry in opened.scan():
                if not entry.name.endswith(SUFFIX):
                    continue
                path = f"{STORE}/{folder}/{entry.name}"
                status = entry.stat(follow_symlinks=False)
                stamp = status.st_mtime_ns, status.st_size
                known = self._rows.get(path)
                row = known if known and known.stamp == stamp else _read(files, category, path, stamp)
                if row:
                    found[path] = row


def _read(files: StoreFiles, category: str, path: str, stamp: tuple[int, int]) -> Row | None:
    try:
        data = files.read(path)[0]
        return Row(Memory(data, category, path, decode(data, path)), stamp)
    except (Unread, InputError):
        return None
