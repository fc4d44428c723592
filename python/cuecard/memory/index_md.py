"""`index.md`: rebuild it from the memory files, put it in its place (SPEC 13)."""

from ..basics.category import FOLDERS
from ..files.folder import REGULAR, Unread
from ..files.freshness import INDEX
from ..files.store_files import StoreFiles, open_store, read_in_store, scan_memories
from ..memory.rebuild import rebuild_index

MAX_INDEX_BYTES = 256 << 20

# Category by folder, path relative to the project, content (None: unreadable).
Record = tuple[str, str, bytes | None]
# The same, then size and modification time in nanoseconds.
File = tuple[str, str, bytes | None, int, int]


def rebuild(root: str, memory_dir: str) -> tuple[str, list[tuple[str, str]], bool]:
    """Text of an index from the memory files, what was left out and why, and whether any of it is damaged."""
    text, skipped, is_damaged = rebuild_index(read_all_records(root, memory_dir))
    return text, skipped, is_damaged


def list_records(memory_dir: str) -> list[tuple[str, str]]:
    """Category by folder and path of every memory file, in scan order."""
    with StoreFiles(memory_dir) as files:
        return _scan(files)


def read_all_records(root: str, memory_dir: str) -> list[Record]:
    """The records of every memory file, in scan order."""
    return [file[:3] for file in read_all_files(memory_dir)]


def read_all_files(memory_dir: str) -> list[File]:
    """Every memory file as snapshots take it, in scan order: four system calls a file.

    In one thread: with files that the system has at hand, two take longer.
    """
    with StoreFiles(memory_dir) as files:
        return [(category, path, *_read(files, path)) for category, path in _scan(files)]


def read_files(memory_dir: str, listed: list[tuple[str, str]]) -> list[File]:
    """The files `listed`, which are category by folder and path, as snapshots take them."""
    with StoreFiles(memory_dir) as files:
        return [(category, path, *_read(files, path)) for category, path in listed]


def read_records(root: str, memory_dir: str, listed: list[tuple[str, str]]) -> list[Record]:
    """The records of the files `listed`, which are category by folder and path."""
    return [file[:3] for file in read_files(memory_dir, listed)]


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
    """Replace the index as a whole: a reader sees the old one or the new one. Raises OSError.

    `made` is the modification time that it gets, in ns since 1970; by default the present.
    """
    with open_store(memory_dir) as store:
        store.replace(INDEX, text.encode(), modified=made)


def _scan(files: StoreFiles) -> list[tuple[str, str]]:
    """Category by folder and path of every memory file. A folder that is a link, or cannot be listed, has none."""
    found = []
    for folder, category in FOLDERS:
        try:
            paths = sorted([path for path, _entry in scan_memories(files, folder)])
        except OSError:
            continue
        found += [(category, path) for path in paths]
    return found


def _read(files: StoreFiles, path: str) -> tuple[bytes | None, int, int]:
    """Content, size and modification time (ns since 1970) of a file; without content where it cannot be read."""
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
