"""Finds the lines of the index that contain a text."""

from dataclasses import dataclass

from ..._backend import engine, rebuild_index
from ...basics.category import FOLDERS
from ...basics.json_reader import JsonError, read_json
from ...files.folder import Unread
from ...files.store_files import StoreFiles
from .current_index import read_current_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._backend import IndexEntry

CATEGORIES = dict(FOLDERS)


@dataclass(frozen=True)
class IndexLine:
    """A line of the index, with the fields of its memory."""

    text: str
    category: str
    title: str
    path: str
    tags: list[str]
    line: int

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {
            "category": self.category,
            "title": self.title,
            "path": self.path,
            "tags": self.tags,
            "line": self.line,
        }


def query(root: str, memory_dir: str, text: str) -> tuple[list[IndexLine], list[str]]:
    """Return the lines of memories that contain `text`, ignoring case, and the problems of the index.

    A repository may contain any text in `index.md`, so a line is returned only if its memory file exists and would give
    the same line. Retired and archived memories have no line. An empty `text` finds nothing. Raises `StoreError` if the
    index cannot be read.
    """
    data, notes = read_current_index(root, memory_dir)
    if data is None:
        return [], [*notes, "the project has no memories"]
    index = engine.IndexMd(data)
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    wanted = text.lower()
    found = []
    with StoreFiles(memory_dir) as files:
        for entry in index.entries if text else ():
            written = lines[entry.line - 1].decode()
            if wanted in written.lower() and _is_in_step(files, entry):
                found.append(IndexLine(written.strip(), *entry))
    return found, notes


def _is_in_step(files: StoreFiles, entry: "IndexEntry") -> bool:
    """Whether the file that an index entry names would give the same entry, or is damaged and would give none."""
    path = entry.path
    folder = path.split("/")[2] if path.count("/") == 3 else ""
    if folder not in CATEGORIES:
        return False
    try:
        data = files.read(path)[0]
        record = read_json(data)
    except Unread:
        return False
    except JsonError:
        return True
    if isinstance(record, dict) and record.get("record_status", "active") != "active":
        return False
    made = engine.IndexMd(rebuild_index([(CATEGORIES[folder], path, data)])[0].encode())
    if not made.entries:
        return True
    one = made.entries[0]
    return one[:3] == entry[:3] and set(one.tags) == set(entry.tags)
