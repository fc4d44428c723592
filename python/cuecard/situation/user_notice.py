"""What the user is told once beside an answer: what was saved, what waits, what failed.

Rules: docs/reference/capture-commit.md, "Notice".
"""

import os
import time

from ..files.folder import PRIVATE_FILE, Folder, Unread
from ..files.user_folder import open_store_folder
from ..protocol.session import session_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "notice"
MAX_BYTES = 4096
INBOX = "inbox"
STAGING = "staging"
# Says when the user was told how many drafts wait, or that the session of a folder left something undone.
TOLD = "told"
# So long after it, in seconds, the user is not told again of the drafts that wait.
QUIET_SECONDS = 24 * 60 * 60
# A session that was at work so short a time ago may still do it.
AT_WORK_SECONDS = 30 * 60
# More drafts than ever wait, and more sessions than a week has.
MAX_DRAFTS = 1000
MAX_SESSIONS = 200


def take_user_notice(memory_dir: str, session: str | None, *, is_first: bool) -> bytes:
    """The lines for the user of a store, which are told then; `is_first` at the first prompt of a session."""
    lines = _take(memory_dir) + b"\n"
    if is_first:
        lines += _find_undone(memory_dir, session).encode()
    return lines + _count_waiting(memory_dir).encode()


def leave_user_notice(memory_dir: str, line: str) -> None:
    """Leave a line for the user, behind those that nobody was shown yet. Raises OSError."""
    folder = open_store_folder(memory_dir, make=True)
    if folder is None:
        raise FileNotFoundError(2, "there is no folder for the user's data")
    with folder:
        try:
            before = folder.read(NAME, MAX_BYTES)[0].decode("utf-8", "replace")
        except Unread:
            before = ""
        lines = [*before.splitlines(), line]
        while len(lines) > 1 and len("\n".join(lines).encode()) >= MAX_BYTES:
            lines = lines[1:]
        folder.replace(NAME, ("\n".join(lines) + "\n").encode(), mode=PRIVATE_FILE, durable=False)


def _take(memory_dir: str) -> bytes:
    """Take the notice away and give its bytes; of several processes one gets them, and usually there are none."""
    folder = open_store_folder(memory_dir)
    if folder is None:
        return b""
    taken = f"{NAME}.{os.getpid()}.taken"
    with folder:
        try:
            folder.rename(NAME, taken)
        except OSError:
            return b""
        try:
            data = folder.read(taken, MAX_BYTES)[0]
        except Unread:
            data = b""
        try:
            folder.remove(taken)
        except OSError:
            # Another process was faster; what it holds was read before.
            return data
    return data


def _count_waiting(memory_dir: str) -> str:
    """A line on the drafts that wait for the user; "" where none does, or that was told within a day.

    It is noted first: where that is not possible, nothing is told, or it would be told at every prompt.
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


def note_told(memory_dir: str) -> None:
    """Note that the user was just told of the drafts that wait."""
    folder = open_store_folder(memory_dir, INBOX)
    if folder is not None:
        with folder:
            try:
                folder.replace(TOLD, b"", mode=PRIVATE_FILE, durable=False)
            except OSError:
                # Then the user is told once more.
                return


def _find_undone(memory_dir: str, session: str | None) -> str:
    """Lines on what earlier sessions left undone; "" where nothing is, or that was told before."""
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
    """How many drafts of a session failed, and whether nobody has answered what it was asked."""
    names = undone_files(folder)
    drafts = sum(map(is_failed, names))
    return drafts, drafts < len(names)


def undone_files(folder: Folder) -> list[str]:
    """The files of a session's staging folder that say that something is left to be done: drafts, and the request."""
    return _list(folder, lambda name: is_failed(name) or name == "triage.json", MAX_DRAFTS)


def is_failed(name: str) -> bool:
    """Whether a file holds a draft that could not be saved."""
    return name.startswith("failed-") and name.endswith(".json")


def _list(folder: Folder, is_wanted: "Callable[[str], bool]", limit: int) -> list[str]:
    """The first `limit` names that are wanted, in no order."""
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
    """How long ago an entry was changed, in seconds, a clock that went back counting as one that went on."""
    try:
        return abs(time.time() - folder.status(name).st_mtime)
    except OSError:
        return float("inf")
