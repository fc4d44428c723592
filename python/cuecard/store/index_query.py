"""The lines of the index that contain a text."""

from dataclasses import dataclass

from .._backend import twin
from .._pure.json_reader import JsonError, read_json
from .current_index import read_current_index
from .files import StoreFiles
from .folder import Unread


@dataclass(frozen=True)
class IndexLine:
    """A memory as its line tells it."""

    text: str
    category: str
    title: str
    path: str
    tags: list[str]
    line: int

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "category": self.category,
            "title": self.title,
            "path": self.path,
            "tags": self.tags,
            "line": self.line,
        }


def query(root: str, memory_dir: str, text: str) -> tuple[list[IndexLine], list[str]]:
    """The lines of memories that contain `text` in any case, and what is wrong with the index.

    A memory that is retired or archived is not found, even where its line is still there. No text, no lines.
    Raises `StoreError` where the index cannot be read.
    """
    data, notes = read_current_index(root, memory_dir)
    if data is None:
        return [], [*notes, "the project has no memories"]
    index = twin.IndexMd(data)
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    wanted = text.lower()
    found = []
    with StoreFiles(memory_dir) as files:
        for position in range(len(index) if text else 0):
            category, title, path, tags, line = index.entry(position)
            written = lines[line - 1].decode()
            if wanted in written.lower() and not _is_inactive(files, path):
                found.append(IndexLine(written.strip(), category, title, path, tags, line))
    return found, notes


def _is_inactive(files: StoreFiles, path: str) -> bool:
    try:
        record = read_json(files.read(path)[0])
    except (Unread, JsonError):
        return False
    return isinstance(record, dict) and record.get("record_status", "active") != "active"
