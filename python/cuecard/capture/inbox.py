"""Drafts that wait until the user has looked at them.

    DATA/stores/KEY/inbox/
        ID.json      a draft, and where it comes from
        dealt-with   a line for each section of a source that an agent has dealt with
        refused      see `refusals`

It lies in the user's data folder: nothing that a repository brings along is taken for a draft that waits. Rules:
docs/reference/capture-commit.md, "Inbox".
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass, replace

from ..errors import InputError, LimitError, MissingError, WriteError
from ..files.folder import PRIVATE_FILE, Folder, Unread, is_temporary
from ..files.user_folder import data_path, open_store_folder
from ..store.intake.intake import admit
from ..store.records.record_file import Fields, decode_any
from .draft import digest

FOLDER = "inbox"
SUFFIX = ".json"
DEALT_WITH = "dealt-with"
MAX_DRAFTS = 1000
MAX_BYTES = 256 << 10
MAX_DEALT_WITH_BYTES = 8 << 20
# A file that a writer has left behind is older.
LEFTOVER_SECONDS = 3600


@dataclass(frozen=True)
class WaitingDraft:
    """A draft that waits for the user."""

    id: str
    at: str
    """When it came, ISO 8601, UTC."""
    origin: str
    """Who wrote it, as `cuecard.origin` will say."""
    source: Fields
    """What it was written from, as `cuecard.source` will say."""
    raw: Fields
    """The draft as it was handed in, without secrets."""
    why: str = ""
    """What makes it vague; "" where nothing does."""

    def as_dict(self) -> Fields:
        """What its file holds, and with `id` what `--json` prints."""
        why = {"why": self.why} if self.why else {}
        return {"at": self.at, "origin": self.origin, "source": self.source, **why, "draft": self.raw}


def leave(memory_dir: str, raw: Fields, origin: str, source: Fields, why: str = "") -> WaitingDraft:
    """Let a draft wait, redacted; the same draft waits once. `why` says what makes it vague. The result is on the disk.

    Raises `LimitError` where it is too large or too many wait, `WriteError` where it cannot be kept.
    """
    clean = admit(raw).fields
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    waiting = WaitingDraft(digest(clean), at, origin, admit(source).fields, clean, why)
    data = _encode(waiting)
    with _make(memory_dir) as folder:
        try:
            _sweep(folder)
            known = [entry.name for entry in folder.scan() if entry.name.endswith(SUFFIX)]
            if waiting.id + SUFFIX in known:
                return find_waiting(memory_dir, waiting.id)
            if len(known) >= MAX_DRAFTS:
                hint = "`cuecard review` accepts and rejects them"
                raise LimitError(f"{len(known)} drafts wait already", hint, expected=f"at most {MAX_DRAFTS}")
            _put(folder, waiting, data)
        except OSError as error:
            raise _unwritten(error) from error
    return waiting


def read_inbox(memory_dir: str) -> list[WaitingDraft]:
    """The drafts that wait for a store, the oldest first. What cannot be read is left out."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return []
    with folder:
        names = [entry.name for entry in folder.scan() if entry.name.endswith(SUFFIX)]
        found = [_read(folder, name) for name in names]
    return sorted([waiting for waiting in found if waiting], key=lambda waiting: (waiting.at, waiting.id))


def find_waiting(memory_dir: str, name: str) -> WaitingDraft:
    """The draft with that id, or the one whose id begins so. Raises `MissingError`."""
    found = [waiting for waiting in read_inbox(memory_dir) if name and waiting.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    what = f"`{name[:40]}` begins several ids" if found else f"no draft with the id `{name[:40]}` waits"
    raise MissingError(what, "`cuecard review` lists the drafts that wait")


def rewrite(memory_dir: str, waiting: WaitingDraft, raw: Fields) -> WaitingDraft:
    """Put another text in the place of a draft that waits. Raises as `leave`."""
    changed = replace(waiting, raw=admit(raw).fields)
    with _make(memory_dir) as folder:
        try:
            _put(folder, changed, _encode(changed))
        except OSError as error:
            raise _unwritten(error) from error
    return changed


def discard(memory_dir: str, waiting: WaitingDraft) -> None:
    """Delete a draft that waits. Raises `WriteError`."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return
    with folder:
        try:
            folder.remove(waiting.id + SUFFIX)
        except FileNotFoundError:
            # Another process was faster.
            return
        except OSError as error:
            raise _unwritten(error) from error


def key_of(source: Fields) -> str:
    """A name for a section of a source as it reads now; "" for what is none."""
    names = ("kind", "path", "heading", "digest")
    return digest([source.get(name, "") for name in names]) if source.get("path") else ""


def note_dealt_with(memory_dir: str, sources: list[Fields]) -> None:
    """Remember that an agent has dealt with sections of sources. Raises `WriteError`."""
    keys = [key for source in sources if (key := key_of(source))]
    if not keys:
        return
    with _make(memory_dir) as folder:
        try:
            # A line that a crash has torn spoils no other.
            data = "".join([f"\n{key}" for key in keys]) + "\n"
            folder.append(DEALT_WITH, data.encode(), PRIVATE_FILE, durable=True)
        except OSError as error:
            raise _unwritten(error) from error


def read_dealt_with(memory_dir: str) -> set[str]:
    """The keys of the sections that an agent has dealt with, those of the drafts that wait among them."""
    keys = {key_of(waiting.source) for waiting in read_inbox(memory_dir)}
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is not None:
        with folder, suppress(Unread):
            keys |= set(folder.read(DEALT_WITH, MAX_DEALT_WITH_BYTES)[0].decode("ascii", "replace").split())
    return keys


def _make(memory_dir: str) -> Folder:
    folder = open_store_folder(memory_dir, FOLDER, make=True)
    if folder is None:
        what = f"drafts cannot be kept in `{data_path() or 'a home folder'}`"
        raise WriteError(what, "set `CUECARD_HOME` to a folder that you can write to")
    return folder


def _encode(waiting: WaitingDraft) -> bytes:
    data = json.dumps(waiting.as_dict(), indent=2).encode() + b"\n"
    if len(data) > MAX_BYTES:
        raise LimitError("the draft is over 256 KiB", "keep it short; split it into several")
    return data


def _put(folder: Folder, waiting: WaitingDraft, data: bytes) -> None:
    folder.replace(waiting.id + SUFFIX, data, mode=PRIVATE_FILE)
    folder.sync()


def _read(folder: Folder, name: str) -> WaitingDraft | None:
    try:
        found = decode_any(folder.read(name, MAX_BYTES)[0], name)
    except (Unread, InputError):
        return None
    if not isinstance(found, dict):
        return None
    at, origin, source, raw = (found.get(member) for member in ("at", "origin", "source", "draft"))
    if not isinstance(at, str) or not isinstance(origin, str):
        return None
    if not isinstance(source, dict) or not isinstance(raw, dict):
        return None
    why = found.get("why")
    return WaitingDraft(name.removesuffix(SUFFIX), at, origin, source, raw, why if isinstance(why, str) else "")


def _sweep(folder: Folder) -> None:
    """Remove what a crash has left of a file that was being written."""
    for entry in list(folder.scan()):
        # Another process may have been faster.
        with suppress(OSError):
            if is_temporary(entry.name) and entry.stat(follow_symlinks=False).st_mtime < time.time() - LEFTOVER_SECONDS:
                folder.remove(entry.name)


def _unwritten(error: OSError) -> WriteError:
    return WriteError(f"the drafts cannot be kept: {error.strerror or error}", "make room, or check the permissions")
