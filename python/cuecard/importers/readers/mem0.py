"""Reads an export of mem0 or OpenMemory: a JSON file with a list of memories.

Rules: docs/reference/import.md, "Other kinds".
"""

import json

from ...basics.time_limit import check_time
from ..draft import Reading
from ..statements import Statement, is_too_short
from ..subjects import topics_of

KIND = "mem0"
_LISTS = ("results", "memories", "data")
_TEXTS = ("memory", "content", "text", "data")
_OVER = ("deleted", "archived", "paused")
_Row = dict[str, object]


def is_export(text: str) -> bool:
    """Whether a text is an export: a list of objects with an id and a memory."""
    rows = _rows(text) or []
    return bool(rows) and all("id" in row and _memory(row) for row in rows[:3])


def read_export(text: str, path: str) -> Reading:
    """A memory for each entry of an export. An entry that is deleted or archived there is left out."""
    reading = Reading(files=[path])
    for number, row in enumerate(_rows(text) or []):
        check_time()
        memory = _memory(row)
        name = str(row.get("id") or f"entry {number + 1}")
        where = f"{path}#{name}"
        state = str(row.get("state") or "").lower()
        if state in _OVER or row.get("deleted_at"):
            reading.skipped.append((where, f"{state or 'deleted'} at its source"))
        elif not memory or is_too_short(memory):
            reading.skipped.append((where, "too short to say something by itself"))
        else:
            date = str(row.get("updated_at") or row.get("created_at") or "")
            statement = Statement(memory, "", tags=topics_of(*_categories(row)), date=date)
            reading.drafts.append(statement.draft(KIND, path, name))
    return reading


def _rows(text: str) -> list[_Row] | None:
    """The entries of an export; None if the text is no export."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    if not isinstance(value, list):
        return None
    return [row for row in value if isinstance(row, dict)]


def _memory(row: _Row) -> str:
    found = next((row[name] for name in _TEXTS if isinstance(row.get(name), str)), "")
    return " ".join(str(found).split())


def _categories(row: _Row) -> list[str]:
    """The topics that mem0 or its user gave an entry."""
    metadata = row.get("metadata")
    named = [row.get("categories"), metadata.get("category") if isinstance(metadata, dict) else None]
    return [
        each for value in named for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    ]
