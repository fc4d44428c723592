"""`index.md`: make it anew from the memory files, put it in its place (SPEC 13)."""

import os

from .._backend import twin
from .files import MAX_RECORD_BYTES, Containment, Unread, read_bounded

MAX_INDEX_BYTES = 256 << 20

# Folder and category, in the order in which the folders are scanned.
FOLDERS = (
    ("sessions", "session_summary"),
    ("decisions", "decision"),
    ("runbooks", "runbook"),
    ("constraints", "constraint"),
    ("tech-debt", "tech_debt"),
    ("preferences", "preference"),
)


def rebuild(root: str, memory_dir: str) -> tuple[str, list[tuple[str, str]], bool]:
    """Text of an index from the memory files, what was left out and why, and whether any of it is damaged."""
    text, skipped, is_damaged = twin.rebuild_index(read_records(root, memory_dir))
    return text, skipped, is_damaged


def read_records(root: str, memory_dir: str) -> list[tuple[str, str, bytes | None]]:
    """Category by folder, path and content (None: unreadable) of every memory file, in scan order."""
    containment = Containment(root, memory_dir)
    records: list[tuple[str, str, bytes | None]] = []
    for folder, category in FOLDERS:
        try:
            listed = os.listdir(os.path.join(memory_dir, folder))
        except OSError:
            continue
        # A name that is not UTF-8 has no place in the index: its file counts as unreadable.
        names = [os.fsencode(name).decode("utf-8", "replace") for name in listed]
        for name in sorted(name for name in names if name.endswith(".json")):
            path = f".claude/memory/{folder}/{name}"
            located = containment.locate(path)
            try:
                data = read_bounded(located, MAX_RECORD_BYTES) if located else None
            except Unread:
                data = None
            records.append((category, path, data))
    return records


def write(path: str, text: str) -> None:
    """Put an index in its place whole: a reader sees the old one or the new one. Raises OSError."""
    temporary = os.path.join(os.path.dirname(path), f".index.md.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
