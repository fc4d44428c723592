"""The inbox is bounded in time: a draft that nobody has decided about expires, and says so a week before.

Rules: docs/reference/capture-commit.md, "Inbox".
"""

import time
from contextlib import suppress

from ..basics.counted import counted
from ..basics.timestamp import parse_timestamp
from ..files.folder import PRIVATE_FILE
from ..files.user_folder import open_store_folder, read_kept
from ..store.log.user_notice import leave_user_notice
from .dealt import EXPIRED, note_dealt
from .inbox import FOLDER, WaitingDraft, discard, read_inbox

LIFE_DAYS, WARNING_DAYS = 90, 7
DAY_SECONDS = 86_400
# The ids of the drafts of which the user was told that they expire, each with the time.
WARNED = "expiring"
MAX_BYTES = 1 << 18


def days_left(waiting: WaitingDraft, now: float | None = None) -> int:
    """After how many days a draft expires; 0 if it is due."""
    arrived = parse_timestamp(waiting.at)
    now = time.time() if now is None else now
    age = 0.0 if arrived is None else (now - arrived / 1_000_000) / DAY_SECONDS
    return max(0, LIFE_DAYS - int(max(age, 0.0)))


def expire(memory_dir: str, now: float | None = None) -> list[WaitingDraft]:
    """Take the drafts out of the inbox that are due and of which the user was told a week before.

    Of those that will be due soon the user is told once. Returns what was taken out; `undo` puts it back. Raises
    `WriteError`.
    """
    now = time.time() if now is None else now
    due = [waiting for waiting in read_inbox(memory_dir) if days_left(waiting, now) <= WARNING_DAYS]
    told = _read(memory_dir)
    gone = [
        one
        for one in due
        if days_left(one, now) == 0 and one.id in told and now - told[one.id] >= WARNING_DAYS * DAY_SECONDS
    ]
    for waiting in gone:
        note_dealt(memory_dir, waiting, EXPIRED)
        discard(memory_dir, waiting)
    fresh = [one for one in due if one.id not in told]
    # A draft that left the inbox is forgotten here: if it is put back, it is due again, and the user is told again.
    kept = {one.id: told[one.id] for one in due if one.id in told and one not in gone}
    if fresh and _tell(memory_dir, len(fresh)):
        kept |= {one.id: now for one in fresh}
    if kept.keys() != told.keys():
        with suppress(OSError):
            _write(memory_dir, kept)
    return gone


def _tell(memory_dir: str, count: int) -> bool:
    """Tell the user that drafts expire; returns whether the notice is written."""
    what = counted(count, "waiting draft expires", "waiting drafts expire")
    try:
        leave_user_notice(memory_dir, f"cuecard: {what} in {WARNING_DAYS} days; see `cuecard review`")
    except OSError:
        return False
    return True


def _read(memory_dir: str) -> dict[str, float]:
    warned = (read_kept(memory_dir, FOLDER, WARNED, limit=MAX_BYTES) or b"").decode("ascii", "replace")
    pairs = [line.split(" ") for line in warned.splitlines()]
    return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}


def _write(memory_dir: str, told: dict[str, float]) -> None:
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is not None:
        with folder:
            text = "".join([f"{name} {int(at)}\n" for name, at in told.items()])
            folder.replace(WARNED, text.encode(), mode=PRIVATE_FILE)
