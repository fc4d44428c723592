"""The journal of writes: it keeps the former bytes of changed files, so that each write can be undone.

Every write, import, consolidation and collection is one *operation* and has one file in the user's data folder, where a
repository cannot put files. The file has one line of JSON for the operation, and one line for each file that it
changes, with that file's former bytes. Each line is on the disk before the file changes.
"""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ...basics.timestamp import utc_stamp
from ...files.folder import Folder, Unread
from ...files.user_folder import open_store_folder
from ..settings.writer_settings import read_writer_settings

FOLDER = "journal"
SUFFIX = ".jsonl"
# The last line of an undo that is complete.
DONE = b'{"done": true}'
SECONDS_A_DAY = 86_400
# The limits for a store's whole journal and for one operation. Older or larger operations cannot be undone.
MAX_BYTES = 64 << 20
MAX_OPERATION_BYTES = 32 << 20


@dataclass(frozen=True)
class Step:
    """One file that an operation changed."""

    path: str
    """The path of the file, relative to the project."""
    before: bytes | None
    """The bytes before the operation; None if there was no file."""
    after: str | None
    """The SHA-256 of the bytes after the operation; None if the file was removed."""


@dataclass(frozen=True)
class Operation:
    """All changes that one command made to a store."""

    id: str
    at: str
    """The time in ISO 8601, in UTC."""
    what: str
    """The command, such as `add`, or `import docs/adr`."""
    undoes: str = ""
    """The id of the operation that this one undid; "" if this is not an undo."""
    steps: tuple[Step, ...] = ()
    is_done: bool = False
    """Whether an undo is complete. After a crash it is not."""

    @property
    def changes(self) -> dict[str, tuple[bytes | None, str | None]]:
        """The bytes before and the hash after the operation, by path. Files with no change in the end are left out."""
        found: dict[str, tuple[bytes | None, str | None]] = {}
        for step in self.steps:
            before = found[step.path][0] if step.path in found else step.before
            found[step.path] = before, step.after
        return {path: change for path, change in found.items() if hash_of(change[0]) != change[1]}


@dataclass
class _Open:
    """The operation that current writes belong to."""

    what: str
    undoes: str = ""
    id: str = ""
    stores: set[str] = field(default_factory=set)
    """The memory folders of the stores whose journal has a file for this operation."""


_current: ContextVar[_Open | None] = ContextVar("operation", default=None)


@contextmanager
def operation(what: str, undoes: str = "") -> Iterator[_Open]:
    """Make all writes in the `with` block one operation. Within another operation they belong to the outer one."""
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    token = _current.set(opened := _Open(what, undoes))
    try:
        yield opened
    finally:
        _current.reset(token)


def current_id() -> str:
    """The id of the operation that is open; "" if none is, or if it has changed nothing yet."""
    opened = _current.get()
    return opened.id if opened else ""


def note(memory_dir: str, what: str, step: Step) -> str:
    """Write a change to the journal before it happens, and return the id of its operation.

    `what` names the operation if none is open. Returns "" if the user has no data folder; the change then cannot be
    undone. Raises OSError if the journal cannot be written; the caller must then not make the change.
    """
    folder = open_store_folder(memory_dir, FOLDER, make=True)
    if folder is None:
        return ""
    with folder:
        opened = _current.get() or _Open(what)
        lines = [_encode_step(step)]
        if memory_dir not in opened.stores:
            if not opened.id:
                opened.id = new_id()
            _prune(folder, memory_dir)
            header: dict[str, Any] = {"at": utc_stamp(), "what": opened.what}
            if opened.undoes:
                header["undoes"] = opened.undoes
            lines.insert(0, header)
        data = "".join([json.dumps(line) + "\n" for line in lines]).encode()
        folder.append(opened.id + SUFFIX, data, durable=True)
        opened.stores.add(memory_dir)
        return opened.id


def finish(memory_dir: str, operation_id: str) -> None:
    """Record that an undo is complete. Raises OSError."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is not None:
        with folder:
            folder.append(operation_id + SUFFIX, DONE + b"\n", durable=True)


def read_journal(memory_dir: str) -> list[Operation]:
    """Return the operations of a store that can still be undone, the latest first. Damaged files are left out."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return []
    with folder:
        names = sorted([entry.name for entry in folder.scan() if entry.name.endswith(SUFFIX)], reverse=True)
        found = [_read(folder, name) for name in names]
    return [operation for operation in found if operation is not None]


def hash_of(data: bytes | None) -> str | None:
    """Return the SHA-256 of a file's bytes in hexadecimal; None for None (no file)."""
    return None if data is None else sha256(data).hexdigest()


def new_id() -> str:
    """Return an id made from the current time. It is unique where this process holds the lock of the store."""
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))}-{nanoseconds // 1000:06}"


def _encode_step(step: Step) -> dict[str, Any]:
    before = None if step.before is None else base64.b64encode(step.before).decode()
    return {"path": step.path, "before": before, "after": step.after}


def _read(folder: Folder, name: str) -> Operation | None:
    try:
        lines = folder.read(name, MAX_OPERATION_BYTES)[0].split(b"\n")
        header = json.loads(lines[0])
        # The text after the last line end is empty, or a line that a crash cut off before its change began.
        steps = tuple([_decode_step(json.loads(line)) for line in lines[1:-1] if line != DONE])
        undoes, name = str(header.get("undoes", "")), name.removesuffix(SUFFIX)
        return Operation(name, str(header["at"]), str(header["what"]), undoes, steps, DONE in lines[1:-1])
    except (Unread, ValueError, KeyError, TypeError):
        return None


def _decode_step(line: dict[str, Any]) -> Step:
    before = None if line["before"] is None else base64.b64decode(line["before"], validate=True)
    return Step(str(line["path"]), before, None if line["after"] is None else str(line["after"]))


def _prune(folder: Folder, memory_dir: str) -> None:
    """Remove operations that are older than the user keeps them, and the oldest if the journal is too large."""
    oldest = time.time() - max(1, read_writer_settings(memory_dir).journal_days) * SECONDS_A_DAY
    total = 0
    for entry in sorted(folder.scan(), key=lambda entry: entry.name, reverse=True):
        status = entry.stat(follow_symlinks=False)
        total += status.st_size
        if status.st_mtime < oldest or total > MAX_BYTES:
            folder.remove(entry.name)
