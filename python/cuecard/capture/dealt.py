"""The drafts that the user has decided about: they never come back, and a decision can be taken back.

    DATA/stores/KEY/inbox/dealt/
        ID.json      a draft, what became of it, and the operation that wrote it

Rules: docs/reference/capture-commit.md, "Inbox".
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from .._backend import document_terms
from ..basics.timestamp import parse_timestamp, utc_stamp
from ..errors import InputError, WriteError
from ..files.folder import PRIVATE_FILE, Folder, Unread
from ..files.user_folder import open_store_folder
from ..store.records.record_file import Fields, decode_any, texts_within
from .inbox import FOLDER, MAX_BYTES, SUFFIX, WaitingDraft, read_waiting

DEALT = "dealt"
ACCEPTED, REJECTED, EXPIRED = DECISIONS = ("accepted", "rejected", "expired")
# The newest decisions are remembered.
MAX_DEALT = 2000
# A text of the same source is the rejected draft in other words if so many of all its terms are shared, and a text of
# another source only if nearly all are.
SAME_SOURCE, ANY_SOURCE = 0.5, 0.9


@dataclass(frozen=True)
class Dealt:
    """A draft that the user has decided about."""

    waiting: WaitingDraft
    decision: str
    at: str
    operation: str = ""
    """The id of the write of an accepted draft, or of drafts that were rejected together; "" for one alone."""

    @property
    def action(self) -> str:
        """The id by which the decision is taken back."""
        return self.operation or self._own_action

    @property
    def _own_action(self) -> str:
        return f"d{self.waiting.id}"

    def is_of(self, action: str) -> bool:
        """Whether an id takes the decision back: its own, or that of all that were rejected together."""
        return action == self.action or (self.decision != ACCEPTED and action == self._own_action)


def note_dealt(memory_dir: str, waiting: WaitingDraft, decision: str, operation: str = "") -> Dealt:
    """Remember a decision. Raises `WriteError`."""
    dealt = Dealt(waiting, decision, utc_stamp(), operation)
    document = {"decision": decision, "decided_at": dealt.at, "operation": operation, **waiting.as_dict()}
    folder = open_store_folder(memory_dir, FOLDER, DEALT, make=True)
    if folder is None:
        raise WriteError("the decision cannot be kept", "set `CUECARD_HOME` to a folder that you can write to")
    with folder:
        try:
            _prune(folder)
            data = json.dumps(document, ensure_ascii=False).encode() + b"\n"
            folder.replace(waiting.id + SUFFIX, data, mode=PRIVATE_FILE)
        except OSError as error:
            raise WriteError(f"the decision cannot be kept: {error.strerror or error}", "make room") from error
    return dealt


def read_dealt(memory_dir: str) -> list[Dealt]:
    """The drafts that the user has decided about, the latest decision first."""
    folder = open_store_folder(memory_dir, FOLDER, DEALT)
    if folder is None:
        return []
    with folder:
        names = [entry.name for entry in folder.scan() if entry.name.endswith(SUFFIX)]
        found = [dealt for name in names if (dealt := _read(folder, name))]
    return sorted(found, key=lambda dealt: (dealt.at, dealt.waiting.id), reverse=True)


def forget_dealt(memory_dir: str, dealt: Dealt) -> None:
    """Forget a decision that was taken back. Raises `WriteError`."""
    folder = open_store_folder(memory_dir, FOLDER, DEALT)
    if folder is not None:
        with folder:
            try:
                folder.remove(dealt.waiting.id + SUFFIX)
            except FileNotFoundError:
                return
            except OSError as error:
                raise WriteError(f"the decision cannot be removed: {error.strerror or error}", "") from error


def find_returning(memory_dir: str) -> Callable[[str, Fields, Fields], Dealt | None]:
    """A function that says of a draft, its source and its id, as which decided one it comes back; None for a new one.

    An accepted draft comes back only as itself. A rejected one also in other words.
    """
    dealt = read_dealt(memory_dir)
    rejected = [(one, _terms_of(one.waiting.raw)) for one in dealt if one.decision == REJECTED]
    by_id = {one.waiting.id: one for one in dealt if one.decision != EXPIRED}

    def find(name: str, raw: Fields, source: Fields) -> Dealt | None:
        if name in by_id:
            return by_id[name]
        terms = _terms_of(raw) if rejected else set()
        for one, known in rejected:
            together = len(terms | known)
            is_same = _place_of(source) != "" and _place_of(source) == _place_of(one.waiting.source)
            if together and len(terms & known) >= together * (SAME_SOURCE if is_same else ANY_SOURCE):
                return one
        return None

    return find


def _terms_of(raw: Fields) -> set[str]:
    partial = raw.get("partial_content")
    shown = partial if isinstance(partial, dict) else raw
    texts = texts_within([shown.get("title"), shown.get("content")])
    return {term for text in texts for term in document_terms(text)}


def _place_of(source: Fields) -> str:
    """What a draft was written from: a file, or a session."""
    return str(source.get("path") or source.get("session") or "")


def _read(folder: Folder, name: str) -> Dealt | None:
    try:
        found = decode_any(folder.read(name, MAX_BYTES)[0], name)
    except (Unread, InputError):
        return None
    if not isinstance(found, dict) or found.get("decision") not in DECISIONS:
        return None
    waiting = read_waiting(found, name.removesuffix(SUFFIX))
    at, operation = found.get("decided_at"), found.get("operation", "")
    if waiting is None or not isinstance(at, str) or parse_timestamp(at) is None or not isinstance(operation, str):
        return None
    return Dealt(waiting, str(found["decision"]), at, operation)


def _prune(folder: Folder) -> None:
    entries = [entry for entry in folder.scan() if entry.name.endswith(SUFFIX)]
    if len(entries) < MAX_DEALT:
        return
    for entry in sorted(entries, key=lambda entry: entry.stat(follow_symlinks=False).st_mtime)[: MAX_DEALT // 10]:
        with suppress(OSError):
            folder.remove(entry.name)
