"""The inbox: drafts that wait for the user's review.

    DATA/stores/KEY/inbox/
        ID.json      a draft and its source
        dealt-with   a line for each section of a source that an agent has processed
        refused      see `refusals`
        dealt/       see `dealt`
        expiring     see `expiry`

The inbox is in the user's data folder, so that a repository cannot add drafts to it. Rules:
docs/reference/capture-commit.md, "Inbox".
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ..basics.digest import sha256_hex
from ..basics.timestamp import utc_stamp
from ..errors import InputError, LimitError, MissingError, WriteError
from ..files.folder import PRIVATE_FILE, Folder, Unread, is_temporary
from ..files.user_folder import data_path, open_store_folder, read_kept
from ..store.intake.intake import admit
from ..store.records.record_file import Fields, decode_any
from .draft import digest

FOLDER = "inbox"
SUFFIX = ".json"
DEALT_WITH = "dealt-with"
MAX_DRAFTS = 1000
MAX_BYTES = 256 << 10
MAX_DEALT_WITH_BYTES = 8 << 20
# What the user is told before accepting a draft for the user's own store.
OF_USER = "it is for your own store, which counts in all your projects"
# A temporary file older than this was left behind by a crash.
LEFTOVER_SECONDS = 3600


@dataclass(frozen=True)
class WaitingDraft:
    """A draft that waits for the user."""

    id: str
    at: str
    """When the draft arrived, ISO 8601, UTC."""
    origin: str
    """The writer, as it will be stored in `cuecard.origin`."""
    source: Fields
    """What the draft was written from, as it will be stored in `cuecard.source`."""
    raw: Fields
    """The draft as it was sent, without secrets."""
    why: str = ""
    """Why the draft is vague; "" if it is not."""
    note: str = ""
    """What the user should know before accepting the draft; "" for nothing."""
    former: Fields = field(default_factory=dict)
    """The text before the last edit; empty if there was none."""

    @property
    def text_hash(self) -> str:
        """A hash of all that becomes part of a memory when the draft is accepted; an edit changes it."""
        return sha256_hex(json.dumps([self.raw, self.source, self.origin], sort_keys=True).encode())

    def as_dict(self) -> Fields:
        """The JSON object in the draft's file. `--json` prints the same object with an `id`."""
        notes = {name: text for name, text in (("why", self.why), ("note", self.note)) if text}
        former = {"former": self.former} if self.former else {}
        return {"at": self.at, "origin": self.origin, "source": self.source, **notes, "draft": self.raw, **former}


def leave(memory_dir: str, raw: Fields, origin: str, source: Fields, why: str = "", note: str = "") -> WaitingDraft:
    """Store a draft, without its secrets, durably in the inbox. A draft that already waits there is returned unchanged.

    `why` says why the draft is vague, and `note` what the user should know. Raises `LimitError` if the draft is too
    large or too many drafts wait, and `WriteError` if the draft cannot be written.
    """
    clean = admit(raw).fields
    at = utc_stamp()
    waiting = WaitingDraft(digest(clean), at, origin, admit(source).fields, clean, why, note)
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
    """The waiting drafts of a store, the oldest first. Unreadable files are left out."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return []
    with folder:
        names = [entry.name for entry in folder.scan() if entry.name.endswith(SUFFIX)]
        found = [_read(folder, name) for name in names]
    return sorted([waiting for waiting in found if waiting], key=lambda waiting: (waiting.at, waiting.id))


def find_waiting(memory_dir: str, name: str) -> WaitingDraft:
    """The draft with the id `name`, or the only draft whose id begins with `name`. Raises `MissingError`."""
    found = [waiting for waiting in read_inbox(memory_dir) if name and waiting.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    what = f"several ids begin with `{name[:40]}`" if found else f"no draft with the id `{name[:40]}` waits"
    raise MissingError(what, "`cuecard review` lists the drafts that wait")


def rewrite(memory_dir: str, waiting: WaitingDraft, raw: Fields) -> WaitingDraft:
    """Replace the text of a waiting draft. Raises what `leave` raises."""
    changed = replace(waiting, raw=admit(raw).fields, former=waiting.raw)
    with _make(memory_dir) as folder:
        try:
            _put(folder, changed, _encode(changed))
        except OSError as error:
            raise _unwritten(error) from error
    return changed


def put_back(memory_dir: str, waiting: WaitingDraft) -> None:
    """Let a draft wait again after a decision was taken back. Raises what `leave` raises."""
    with _make(memory_dir) as folder:
        try:
            _put(folder, waiting, _encode(waiting))
        except OSError as error:
            raise _unwritten(error) from error


def discard(memory_dir: str, waiting: WaitingDraft) -> None:
    """Take a draft out of the inbox. Raises `WriteError`."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return
    with folder:
        try:
            folder.remove(waiting.id + SUFFIX)
        except FileNotFoundError:
            # Another process has already deleted the draft.
            return
        except OSError as error:
            raise _unwritten(error) from error


def key_of(source: Fields) -> str:
    """A hash that identifies a section of a source and its text; "" for a source without a path."""
    names = ("kind", "path", "heading", "digest")
    return digest([source.get(name, "") for name in names]) if source.get("path") else ""


def note_dealt_with(memory_dir: str, sources: list[Fields]) -> None:
    """Record that an agent has processed these sections of sources. Raises `WriteError`."""
    keys = [key for source in sources if (key := key_of(source))]
    if not keys:
        return
    with _make(memory_dir) as folder:
        try:
            # A crash may have left the last line incomplete. The newline in front keeps the first key apart from it.
            data = "".join([f"\n{key}" for key in keys]) + "\n"
            folder.append(DEALT_WITH, data.encode(), PRIVATE_FILE, durable=True)
        except OSError as error:
            raise _unwritten(error) from error


def read_dealt_with(memory_dir: str) -> set[str]:
    """The keys of the sections that an agent has processed, and of the sections with a waiting draft."""
    keys = {key_of(waiting.source) for waiting in read_inbox(memory_dir)}
    dealt_with = read_kept(memory_dir, FOLDER, DEALT_WITH, limit=MAX_DEALT_WITH_BYTES) or b""
    return keys | set(dealt_with.decode("ascii", "replace").split())


def _make(memory_dir: str) -> Folder:
    folder = open_store_folder(memory_dir, FOLDER, make=True)
    if folder is None:
        path = data_path()
        what = f"drafts cannot be kept in `{path}`" if path else "drafts cannot be kept: there is no home folder"
        raise WriteError(what, "set `CUECARD_HOME` to a folder that you can write to")
    return folder


def _encode(waiting: WaitingDraft) -> bytes:
    data = json.dumps(waiting.as_dict(), indent=2, ensure_ascii=False).encode() + b"\n"
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
    return read_waiting(found, name.removesuffix(SUFFIX)) if isinstance(found, dict) else None


def read_waiting(found: Fields, name: str) -> WaitingDraft | None:
    """A draft with the id `name`, from the members of its file; None if they are of another form."""
    at, origin, source, raw = (found.get(member) for member in ("at", "origin", "source", "draft"))
    if not isinstance(at, str) or not isinstance(origin, str):
        return None
    if not isinstance(source, dict) or not isinstance(raw, dict):
        return None
    why, note = [text if isinstance(text, str) else "" for text in (found.get("why"), found.get("note"))]
    former = found.get("former")
    return WaitingDraft(name, at, origin, source, raw, why, note, former if isinstance(former, dict) else {})


def _sweep(folder: Folder) -> None:
    """Remove temporary files that a crash left behind."""
    for entry in list(folder.scan()):
        # Another process may have removed the file already.
        with suppress(OSError):
            if is_temporary(entry.name) and entry.stat(follow_symlinks=False).st_mtime < time.time() - LEFTOVER_SECONDS:
                folder.remove(entry.name)


def _unwritten(error: OSError) -> WriteError:
    return WriteError(f"the drafts cannot be kept: {error.strerror or error}", "make room, or check the permissions")
