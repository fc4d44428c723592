"""Checks the documents that memories point at: whether they are still what the memories saw (SPEC 39.8)."""

import hashlib
import os

from ...basics.counted import counted
from ...files.folder import Unread
from ...files.store_files import read_bounded
from ...store.records.memory import read_memories
from ...store.records.record_file import extension_of
from .finding import Finding

# Documents that are read; a document is as long as an import may read.
MAX_DOCUMENTS = 1000
MAX_BYTES = 1 << 20


def examine_pointers(folder: str, memory_dir: str) -> list[Finding]:
    """A finding about the documents that active memories point at; none if no memory points at one."""
    pointers = [
        (memory.id, extension_of(memory.record).get("pointer"))
        for memory in read_memories(folder, memory_dir)
        if memory.status == "active"
    ]
    named = [(name, pointer) for name, pointer in pointers if isinstance(pointer, dict)][:MAX_DOCUMENTS]
    if not named:
        return []
    states = [(name, str(pointer.get("path")), _state_of(folder, pointer)) for name, pointer in named]
    changed = [f"{name}: {path} {state}" for name, path, state in states if state]
    count = counted(len(named), "memory points at documents", "memories point at documents")
    facts: dict[str, object] = {"pointers": len(named), "changed": len(changed)}
    if not changed:
        return [Finding("pointers", "ok", f"{count}, all as they were", facts=facts)]
    words = f"{count}, of which {len(changed)} changed or are gone"
    hint = "import the documents again with `cuecard import`, or retire the memories"
    return [Finding("pointers", "warn", words, hint, changed, facts)]


def _state_of(folder: str, pointer: dict[str, object]) -> str:
    """What became of the document of a pointer; "" if it has the same bytes, or if the pointer has no hash."""
    path, seen = pointer.get("path"), pointer.get("sha256")
    place = os.path.realpath(os.path.join(folder, str(path)))
    if not place.startswith(os.path.join(os.path.realpath(folder), "")) or not os.path.isfile(place):
        return "is gone"
    try:
        data = read_bounded(place, MAX_BYTES)
    except Unread as unread:
        return unread.words
    return "" if not isinstance(seen, str) or hashlib.sha256(data).hexdigest() == seen else "has changed"
