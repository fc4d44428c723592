"""`index.md`: make it anew from the memory files, put it in its place (SPEC 13)."""

import os

from .._backend import twin
from .category import FOLDERS
from .files import MAX_RECORD_BYTES, Containment, Unread, read_bounded

MAX_INDEX_BYTES = 256 << 20


def rebuild(root: str, memory_dir: str) -> tuple[str, list[tuple[str, str]], bool]:
    """Text of an index from the memory files, what was left out and why, and whether any of it is damaged."""
    text, skipped, is_damaged = twin.rebuild_index(read_records(root, memory_dir))
    return text, skipped, is_damaged


def list_records(memory_dir: str) -> list[tuple[str, str]]:
    """Category by folder and path of every memory file, in scan order."""
    listed = []
    for folder, category in FOLDERS:
        try:
            names = os.listdir(os.path.join(memory_dir, folder))
        except OSError:
            continue
        # A name that is not UTF-8 has no place in the index: its file counts as unreadable.
        names = [os.fsencode(name).decode("utf-8", "replace") for name in names]
        listed += [(category, f".claude/memory/{folder}/{name}") for name in sorted(names) if name.endswith(".json")]
    return listed


def read_records(
    root: str, memory_dir: str, listed: list[tuple[str, str]] | None = None
) -> list[tuple[str, str, bytes | None]]:
    """Category by folder, path and content (None: unreadable) of the files `listed`, or all, in scan order."""
    containment = Containment(root, memory_dir)
    records: list[tuple[str, str, bytes | None]] = []
    for category, path in list_records(memory_dir) if listed is None else listed:
        located = containment.locate(path)
        try:
            data = read_bounded(located, MAX_RECORD_BYTES) if located else None
        except Unread:
            data = None
        records.append((category, path, data))
    return records


def write(path: str, text: str, made: int | None = None) -> None:
    """Put an index in its place whole: a reader sees the old one or the new one. Raises OSError.

    `made` is the time it bears, in ns since 1970; the present without it.
    """
    # Not on every prompt's import path.
    from .atomic import replace_derived

    replace_derived(path, text.encode(), made)
