"""Pointers: memories that name a place in a document of the project instead of copying it (SPEC 39.8)."""

import hashlib
import re
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from ..store.records.record_file import Fields
from ..store.records.record_limits import MAX_POINTER_PATH_CHARS
from .draft import ImportedDraft, Reading

# Recall shows no pointer to such a path.
_UNUSUAL = re.compile(r"[*?\[\\\n\r]|^~|^.:")
TOO_FAR = "too long for a memory, and outside of the project, where no pointer leads"


def point_at(file: Path, name: str, reading: Reading, *, is_inside: bool) -> Reading:
    """A reading whose drafts that name a place in a file have the pointer to it. `name` is the path in the project.

    A file outside of the project, or with an unusual path, gets a report row instead.
    """
    if all(draft.points_at is None for draft in reading.drafts):
        return reading
    pointing = [draft for draft in reading.drafts if draft.points_at is not None]
    if not is_inside or _UNUSUAL.search(name) or len(name) > MAX_POINTER_PATH_CHARS:
        left = [draft for draft in reading.drafts if draft.points_at is None]
        rows = [(f"{name}#{draft.points_at}" if draft.points_at else name, TOO_FAR) for draft in pointing]
        return Reading(left, reading.skipped + rows, [] if rows else reading.parts, reading.files)
    seen = _seen_of(file)
    drafts = [_with_pointer(draft, name, seen) for draft in reading.drafts]
    return Reading(drafts, reading.skipped, reading.parts, reading.files)


def _with_pointer(draft: ImportedDraft, name: str, seen: Fields) -> ImportedDraft:
    if draft.points_at is None:
        return draft
    heading: Fields = {"heading": draft.points_at} if draft.points_at else {}
    return replace(draft, pointer={"path": name, **heading, **seen})


def _seen_of(file: Path) -> Fields:
    """What a file is like now: hash, size in bytes, and the time of its last change."""
    data = file.read_bytes()
    time = datetime.fromtimestamp(file.stat().st_mtime, timezone.utc)
    return {
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
