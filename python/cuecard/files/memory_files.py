"""Lists and reads the memory files of a store, and reads and replaces its `index.md` (SPEC 13)."""

from ..basics.category import FOLDERS
from .folder import REGULAR, Unread
from .freshness import INDEX
from .store_files import StoreFiles, open_store, read_in_store, scan_memories

MAX_INDEX_BYTES = 256 << 20

# A memory file: the category of its folder, the path relative to the project, and the content (None: unreadable).
Record = tuple[str, str, bytes | None]
# A record with the file's size and its modification time in nanoseconds.
File = tuple[str, str, bytes | None, int, int]


def list_records(memory_dir: str) -> list[tuple[str, str]]:
    """The category and the path of every memory file, in scan order. The folder determines the category."""
    with StoreFiles(memory_dir) as files:
        return _scan(files)


def read_all_records(root: str, memory_dir: str) -> list[Record]:
    """The record of every memory file, in scan order."""
    return read_records(root, memory_dir, list_records(memory_dir))


def read_all_files(memory_dir: str) -> list[File]:
    """Every memory file in the form that snapshots take, in scan order. Cost: four system calls for each file.

    The files are read in one thread: for cached files two threads take longer.
    """
    with StoreFiles(memory_dir) as files:
        return [(category, path, *_read(files, path)) for category, path in _scan(files)]


def read_records(root: str, memory_dir: str, listed: list[tuple[str, str]]) -> list[Record]:
    """The records of the `listed` files, which are pairs of category and path."""
    with StoreFiles(memory_dir) as files:
        return [(category, path, files.read_if_any(path)) for category, path in listed]


def read_index(memory_dir: str) -> bytes:
    """The bytes of `index.md`. Raises Unread."""
    return read_in_store(memory_dir, INDEX, MAX_INDEX_BYTES)[0]


def has_index(memory_dir: str) -> bool:
    """Whether there is an `index.md`."""
    try:
        with open_store(memory_dir) as store:
            return store.kind(INDEX) == REGULAR
    except (OSError, ValueError):
        return False


def write(memory_dir: str, text: str, made: int | None = None) -> None:
    """Replace the index atomically. Raises OSError.

    `made` is the modification time that the file gets, in ns since 1970; by default the current time.
    """
    with open_store(memory_dir) as store:
        store.replace(INDEX, text.encode(), modified=made)


def _scan(files: StoreFiles) -> list[tuple[str, str]]:
    """The category and the path of every memory file. Folders that are links or unreadable are skipped."""
    found = []
    for folder, category in FOLDERS:
        try:
            paths = sorted([path for path, _entry in scan_memories(files, folder)])
        except OSError:
            continue
        found += [(category, path) for path in paths]
    return found


def _read(files: StoreFiles, path: str) -> tuple[bytes | None, int, int]:
    """The content, size and modification time (ns since 1970) of a file; the content is None if it cannot be read."""
    try:
        data, status = files.read(path)
    except Unread as unread:
        if unread.words != Unread.TOO_LARGE:
            return None, 0, 0
        try:
            status = files.status(path)
        except Unread:
            return None, 0, 0
        return None, status.st_size, status.st_mtime_ns
    return data, status.st_size, status.st_mtime_ns
