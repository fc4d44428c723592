"""Notices that the user sees once beside an answer: saved memories, waiting drafts, and failures (SPEC 14.1).

Rules: docs/reference/capture-commit.md, "Notice".
"""

import os
import time

from ...files.folder import PRIVATE_FILE, Folder
from ...files.user_folder import open_project_folder, open_store_folder
from ..host.session import session_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "notice"
MAX_BYTES = 4096
INBOX = "inbox"
STAGING = "staging"
# An empty file. In the inbox its time is when the user was last told of waiting drafts; in the folder of a session it
# says that the user was told of the session's undone work.
TOLD = "told"
# For this many seconds the user is not told again of waiting drafts.
QUIET_SECONDS = 24 * 60 * 60
# A session that was active within this many seconds may still finish its work.
AT_WORK_SECONDS = 30 * 60
# More drafts than this never wait, and a week has fewer sessions than this.
MAX_DRAFTS = 1000
MAX_SESSIONS = 200


def take_user_notice(memory_dir: str, session: str | None, *, is_first: bool) -> bytes:
    """Return the notice lines of a store and mark them as shown; `is_first` is set at the first prompt of a session."""
    lines = _take(memory_dir) + b"\n"
    if is_first:
        lines += _find_undone(memory_dir, session).encode()
    return lines + _count_waiting(memory_dir).encode()


def _take(memory_dir: str) -> bytes:
    """Remove the notice file and return its bytes; empty if there is none, or if another process gets the bytes."""
    folder = open_project_folder(memory_dir)
    if folder is None:
        return b""
    taken = f"{NAME}.{os.getpid()}.taken"
    with folder:
        try:
            folder.rename(NAME, taken)
        except OSError:
            return b""
        data = folder.read_if_any(taken, MAX_BYTES) or b""
        try:
            folder.remove(taken)
        except OSError:
            # Another process removed the file after this one had read it.
            return data
    return data


def _count_waiting(memory_dir: str) -> str:
    """Return a line about waiting drafts; "" if none waits, or if the user was told within a day.

    Before the line is returned, a file records that the user was told. If this file cannot be written, the result is
    "", because otherwise the line would appear at every prompt.
    """
    folder = open_store_folder(memory_dir, INBOX)
    if folder is None:
        return ""
    with folder:
        if _age_of(folder, TOLD) < QUIET_SECONDS:
            return ""
        count = len(_list(folder, lambda name: name.endswith(".json"), MAX_DRAFTS))
        try:
            if count:
                folder.replace(TOLD, b"", mode=PRIVATE_FILE, durable=False)
        except OSError:
            return ""
    if not count:
        return ""
    return f"cuecard: {'1 draft waits' if count == 1 else f'{count} drafts wait'} for `cuecard review`\n"


def _find_undone(memory_dir: str, session: str | None) -> str:
    """Return lines about undone work of earlier sessions; "" if there is none or the user has been told already."""
    staging = open_store_folder(memory_dir, STAGING)
    if staging is None:
        return ""
    own = session_file_name(session) if session else None
    failed = unanswered = 0
    with staging:
        for name in _list(staging, lambda name: name != own, MAX_SESSIONS):
            if _age_of(staging, name) < AT_WORK_SECONDS:
                continue
            try:
                folder = staging.folder(name)
            except OSError:
                continue
            with folder:
                drafts, is_asked = undone_in(folder)
                if not drafts and not is_asked:
                    continue
                try:
                    folder.create(TOLD, b"", PRIVATE_FILE)
                except OSError:
                    continue
                failed += drafts
                unanswered += is_asked and not drafts
    lines = ""
    if failed:
        count = "1 draft" if failed == 1 else f"{failed} drafts"
        lines += f"cuecard: {count} of earlier sessions could not be saved; see `cuecard doctor`\n"
    if unanswered:
        count = "1 earlier session" if unanswered == 1 else f"{unanswered} earlier sessions"
        lines += f"cuecard: {count} ended before its drafts were written; see `cuecard doctor`\n"
    return lines


def undone_in(folder: Folder) -> tuple[int, bool]:
    """Return how many drafts of a session failed, and whether a request to the session has no answer yet."""
    names = undone_files(folder)
    drafts = sum(map(is_failed, names))
    return drafts, drafts < len(names)


def undone_files(folder: Folder) -> list[str]:
    """Return the names of the files in a session's staging folder that mean undone work: failed drafts, the request."""
    return _list(folder, lambda name: is_failed(name) or name == "triage.json", MAX_DRAFTS)


def is_failed(name: str) -> bool:
    """Whether a file name is that of a draft that could not be saved."""
    return name.startswith("failed-") and name.endswith(".json")


def _list(folder: Folder, is_wanted: "Callable[[str], bool]", limit: int) -> list[str]:
    """Return at most `limit` names in a folder for which `is_wanted` returns True, in no particular order."""
    names: list[str] = []
    try:
        for entry in folder.scan():
            if is_wanted(entry.name):
                names.append(entry.name)
            if len(names) == limit:
                break
    except OSError:
        pass
    return names


def _age_of(folder: Folder, name: str) -> float:
    """Return how many seconds ago an entry of a folder was changed; infinite if the entry is missing.

    A time in the future, as after a clock was set back, counts as equally long ago.
    """
    try:
        return abs(time.time() - folder.status(name).st_mtime)
    except OSError:
        return float("inf")
