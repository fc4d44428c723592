"""How well index and memory files of a store agree, and which of the files are damaged."""

import json
import os
from dataclasses import dataclass, field

from .._backend import twin
from .files import MAX_RECORD_BYTES, Containment, Unread, read_bounded
from .index_md import MAX_INDEX_BYTES, read_records

INACTIVE = ("retired", "archived")


@dataclass
class Health:
    """What an inspection found. Paths are relative to the project, line numbers those of `index.md`."""

    index_problem: str = ""
    """Why there is no index: the words of `Unread`."""
    lines: int = 0
    """How many lines of the index are memories."""
    bad_lines: list[tuple[int, str]] = field(default_factory=list)
    active: int = 0
    """How many memories recall could find."""
    inactive: int = 0
    """How many are retired or archived."""
    unlisted: list[str] = field(default_factory=list)
    """Active memories that the index lacks."""
    vanished: list[tuple[int, str]] = field(default_factory=list)
    """Lines whose file is missing."""
    outside: list[tuple[int, str]] = field(default_factory=list)
    """Lines whose path leaves the store."""
    still_listed: list[tuple[int, str, str]] = field(default_factory=list)
    """Lines of memories that are retired or archived, and which of the two."""
    damaged: list[tuple[str, str]] = field(default_factory=list)
    """Files that recall cannot take for a memory, and why."""


def inspect(root: str, memory_dir: str) -> Health:
    """Read the index and every memory of a project; nothing is written."""
    health = Health()
    listed = _read_index(memory_dir, health)
    containment = Containment(root, memory_dir)
    inactive = {}
    known = set()
    for category, path, data in read_records(root, memory_dir):
        known.add(path)
        problem = _find_problem(containment, category, path, data)
        status = "" if problem or data is None else _status(data)
        if problem:
            health.damaged.append((path, problem))
        elif status in INACTIVE:
            inactive[path] = status
        elif status != "active":
            health.damaged.append((path, "a `record_status` that is not `active`, `retired` or `archived`"))
        else:
            health.active += 1
            if path not in listed:
                health.unlisted.append(path)
    health.inactive = len(inactive)
    for path, line in listed.items():
        if path in inactive:
            health.still_listed.append((line, path, inactive[path]))
        elif path not in known:
            located = containment.locate(path)
            if located is None:
                health.outside.append((line, path))
            elif not os.path.exists(located):
                health.vanished.append((line, path))
    return health


def _read_index(memory_dir: str, health: Health) -> dict[str, int]:
    """Path and line number of every memory in the index."""
    try:
        data = read_bounded(os.path.join(memory_dir, "index.md"), MAX_INDEX_BYTES)
    except Unread as unread:
        health.index_problem = unread.words
        return {}
    index = twin.Index(data)
    health.lines = len(index)
    health.bad_lines = index.bad_lines()
    listed = {}
    for position in range(len(index)):
        _category, _title, path, _tags, line = index.entry(position)
        listed[os.path.normpath(path).replace(os.sep, "/")] = line
    return listed


def _find_problem(containment: Containment, category: str, path: str, data: bytes | None) -> str:
    """Why a rebuilt index would have no line for a file, beside its being retired; "" where it would."""
    if data is None:
        located = containment.locate(path)
        if located is None:
            return "it is a link or outside the store"
        try:
            read_bounded(located, MAX_RECORD_BYTES)
        except Unread as unread:
            return f"it {unread.words}"
    text, skipped, _is_damaged = twin.rebuild_index([(category, path, data)])
    if skipped:
        return str(skipped[0][1])
    if text and not len(twin.Index(text.encode())):
        return "a `category` or `tags` that no index line can hold"
    return ""


def _status(data: bytes) -> object:
    return json.loads(data).get("record_status", "active")
