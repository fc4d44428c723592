"""Finds earlier sessions whose transcripts have something that their ledgers lack (docs/reference/ledger.md).

A stop reads the transcript only where something is due, so a session that broke off may have prompts in no ledger. The
session's file names its transcript.
"""

import time
from dataclasses import dataclass

from ..._backend import IDLE_SECONDS, Typed, read_session, session_file_name
from ..._backend import MAX_SESSION_BYTES as MAX_BYTES
from ..._backend import SESSIONS as FOLDER
from ...files.folder import Folder, Unread
from ...files.user_folder import open_store_folder
from .ledger_file import CLAIMED, OPEN
from .ledger_file import FOLDER as LEDGERS

# At most this many transcripts are read at a stop: those of the sessions that were active last.
MAX_UNREAD = 5


@dataclass(frozen=True)
class UnreadSession:
    """A session that is over, with its host and the path of its transcript."""

    session: str
    host: str
    transcript: str


def find_unread(memory_dir: str, session: str) -> list[UnreadSession]:
    """The sessions that are over and may have prompts in no ledger, without `session`; the oldest first."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return []
    with folder:
        names = [entry.name for entry in folder.scan() if session_file_name(entry.name) and entry.name != session]
        found = [(aged, name, typed) for name in names for aged, typed in [_look_at(folder, name)] if typed]
    found.sort(key=lambda each: each[:2])
    unread = [UnreadSession(name, typed.host, typed.transcript) for _, name, typed in found]
    return [each for each in unread if not _is_claimed(memory_dir, each.session)][-MAX_UNREAD:]


def is_active(memory_dir: str, session: str) -> bool:
    """Whether something was typed in a session within two hours, and it has not ended."""
    aged, typed = _read(memory_dir, session)
    return typed is not None and not typed.has_ended and aged >= time.time() - IDLE_SECONDS


def has_unread(memory_dir: str, session: str) -> bool:
    """Whether a session may have prompts in no ledger."""
    typed = _read(memory_dir, session)[1]
    return typed is not None and _is_unread(typed)


def _read(memory_dir: str, session: str) -> tuple[float, Typed | None]:
    """When a session was active last, and its facts; None if it has none."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None or not session_file_name(session):
        return 0, None
    with folder:
        return _read_in(folder, session)


def _read_in(folder: Folder, name: str) -> tuple[float, Typed | None]:
    try:
        data, status = folder.read(name, MAX_BYTES)
    except Unread:
        return 0, None
    return status.st_mtime, read_session(data).typed


def _is_unread(typed: Typed) -> bool:
    return typed.transcript != "" and typed.open > typed.read


def _look_at(folder: Folder, name: str) -> tuple[float, Typed | None]:
    """When a session was active last, and its facts; None if it goes on, or if nothing in it is unread."""
    aged, typed = _read_in(folder, name)
    is_over = typed is not None and (typed.has_ended or aged < time.time() - IDLE_SECONDS)
    return aged, typed if typed and is_over and _is_unread(typed) else None


def _is_claimed(memory_dir: str, session: str) -> bool:
    folder = open_store_folder(memory_dir, LEDGERS)
    if folder is None:
        return False
    with folder:
        return bool(folder.kind(f"{session}{CLAIMED}")) and not folder.kind(f"{session}{OPEN}")
