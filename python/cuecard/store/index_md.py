"""`index.md`: make it anew from the memory files, put it in its place (SPEC 13)."""

import os

from .._backend import twin
from .._pure.category import FOLDERS
from .files import MAX_RECORD_BYTES, Containment, Unread, read_bounded, read_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.documents import File

MAX_INDEX_BYTES = 256 << 20

# Category by folder, path relative to the project, content (None: unreadable).
Record = tuple[str, str, bytes | None]


def rebuild(root: str, memory_dir: str) -> tuple[str, list[tuple[str, str]], bool]:
    """Text of an index from the memory files, what was left out and why, and whether any of it is damaged."""
    text, skipped, is_damaged = twin.rebuild_index(read_all_records(root, memory_dir))
    return text, skipped, is_damaged


def list_records(memory_dir: str) -> list[tuple[str, str]]:
    """Category by folder and path of every memory file, in scan order."""
    return [(category, path) for category, path, _plain in _scan(memory_dir)]


def read_all_records(root: str, memory_dir: str) -> list[Record]:
    """The records of every memory file, in scan order."""
    return [file[:3] for file in read_all_files(root, memory_dir)]


def read_all_files(root: str, memory_dir: str) -> "list[File]":
    """Every memory file as snapshots take it, in scan order: four system calls a file.

    In one thread: with files that the system has at hand, two take longer.
    """
    containment = Containment(root, memory_dir)
    return [
        (category, path, *(read_plain(plain, MAX_RECORD_BYTES) if plain else _read(containment, path)))
        for category, path, plain in _scan(memory_dir)
    ]


def read_files(root: str, memory_dir: str, listed: list[tuple[str, str]]) -> "list[File]":
    """The files `listed`, which are category by folder and path, as snapshots take them."""
    containment = Containment(root, memory_dir)
    return [(category, path, *_read(containment, path)) for category, path in listed]


def read_records(root: str, memory_dir: str, listed: list[tuple[str, str]]) -> list[Record]:
    """The records of the files `listed`, which are category by folder and path."""
    return [file[:3] for file in read_files(root, memory_dir, listed)]


def _scan(memory_dir: str) -> list[tuple[str, str, str]]:
    """Category by folder, path, and the file where it is plainly one of the store: no link, no odd name."""
    found = []
    for folder, category in FOLDERS:
        place = os.path.join(memory_dir, folder)
        try:
            with os.scandir(place) as entries:
                # A name that is not UTF-8 has no place in the index: its file counts as unreadable.
                files = [
                    (
                        os.fsencode(entry.name).decode("utf-8", "replace"),
                        entry.is_file(follow_symlinks=False),
                        entry.path,
                    )
                    for entry in entries
                    if entry.name.endswith(".json")
                ]
        except OSError:
            continue
        is_own = not os.path.islink(place)
        for name, is_file, file in sorted(files):
            plain = file if is_own and is_file and file.endswith(name) and "\\" not in name else ""
            found.append((category, f".claude/memory/{folder}/{name}", plain))
    return found


def _read(containment: Containment, path: str) -> tuple[bytes | None, int, int]:
    """Content, size and modification time (ns since 1970) of a file; without content where it cannot be read."""
    located = containment.locate(path)
    try:
        # Before the content: one that changes meanwhile has another time.
        status = os.stat(located) if located else None
        data = read_bounded(located, MAX_RECORD_BYTES) if located else None
    except (Unread, OSError):
        return None, 0, 0
    return (data, status.st_size, status.st_mtime_ns) if status else (None, 0, 0)


def write(path: str, text: str, made: int | None = None) -> None:
    """Put an index in its place whole: a reader sees the old one or the new one. Raises OSError.

    `made` is the time it bears, in ns since 1970; the present without it.
    """
    # Not on every prompt's import path.
    from .atomic import replace_derived

    replace_derived(path, text.encode(), made)
