"""Claims the ledgers of earlier sessions and gives them back (docs/reference/ledger.md).

The agent of only one session at a time is asked about a ledger.
"""

import time
from contextlib import suppress
from dataclasses import dataclass

from ..._backend import IDLE_SECONDS, LEFT, LEFT_WORDS, tell_left
from ...basics.timestamp import utc_stamp
from ...files.folder import Folder, Unread
from ...files.user_folder import open_project_folder, open_store_folder
from .facts import note_answered
from .ledger_file import CLAIMED, FOLDER, OPEN, give_back, ledger_names, read_in
from .ledger_lines import Ask, Ledger, ask_line, corrections_of, is_substantial_prompt, write_line
from .unread_sessions import has_unread, is_active

# A longer file `left` is begun again. It has a line for each change of what a session has left.
MAX_LEFT_BYTES = 1 << 15
# At most this many ledgers of earlier sessions are read: the most recently written ones.
MAX_EARLIER = 20
# With so many unprocessed prompts of earlier sessions a stop looks at them.
ENOUGH = 3


@dataclass(frozen=True)
class Earlier:
    """The ledger of an earlier session."""

    session: str
    ledger: Ledger


def find_earlier(memory_dir: str, session: str) -> list[Earlier]:
    """The ledgers of ended or idle sessions that have unprocessed substantial prompts, the oldest ledger first.

    The ledger of `session` is left out, and those that its agent was asked about before. A session is idle if its
    ledger was not written for two hours, and nothing was typed in it.
    """
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        tell_all_left(memory_dir, {})
        return []
    with folder:
        looked_at = [_look_at(folder, name) for name in ledger_names(folder)]
        looked_at = [(name, 0 if is_active(memory_dir, name) else aged) for name, aged in looked_at]
        found = {name: aged for name, aged in looked_at if aged}
        found.pop(session, None)
        ordered = sorted((aged, name) for name, aged in found.items())[-MAX_EARLIER:]
        ledgers = [(name, read_in(folder, f"{name}{OPEN}")) for _, name in ordered]
    tell_all_left(memory_dir, {name: ledger for name, ledger in ledgers if ledger})
    return [
        Earlier(name, ledger)
        for name, ledger in ledgers
        if ledger and not ledger.was_asked(session) and any(map(is_substantial_prompt, ledger.left_entries()))
    ]


def claim(memory_dir: str, earlier: str, ask: Ask) -> bool:
    """Claim the ledger of the session `earlier` by renaming its file, and add the request to the agent (`ask`) to it.

    Returns False if another process claimed it first.
    """
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return False
    claimed = f"{earlier}{CLAIMED}"
    with folder:
        if folder.kind(claimed):
            return False
        try:
            folder.rename(f"{earlier}{OPEN}", claimed)
            folder.append(claimed, ask_line(ask, utc_stamp()))
        except OSError:
            return False
        ledger = read_in(folder, claimed)
    # While the agent works, no other session needs to look at this one.
    tell_left(memory_dir, earlier, count_left(ledger), has_ended=False)
    return True


def settle(memory_dir: str, ask: str, how: str) -> None:
    """Record how a request to an agent ended, in every ledger that has the request; `ask` is its id.

    If `how` is "", give those of the ledgers back that are claimed, and record nothing.
    """
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return
    with folder:
        for name in ledger_names(folder):
            ledger = read_in(folder, name)
            asked = [each for each in ledger.asks if each.id == ask] if ledger else []
            if not asked:
                continue
            session = name.removesuffix(OPEN).removesuffix(CLAIMED)
            if how:
                with suppress(OSError):
                    folder.append(name, write_line("done", utc_stamp(), {"id": ask, "how": how}))
                ledger = read_in(folder, name)
            elif name.endswith(CLAIMED):
                give_back(folder, session)
            is_over = ledger is not None and ledger.is_ended
            tell_left(memory_dir, session, count_left(ledger), has_ended=is_over and not how)
            if how and asked[0].by == session:
                note_answered(memory_dir, session)


def count_left(ledger: Ledger | None) -> int:
    """The number of unprocessed substantial prompts in a ledger, and at least `ENOUGH` if one is a correction.

    A stop looks at what earlier sessions left if these numbers have a sum of `ENOUGH` (SPEC 30.6).
    """
    left = ledger.left_entries() if ledger else []
    prompts = sum(map(is_substantial_prompt, left))
    return max(prompts, ENOUGH) if prompts and any(map(corrections_of, left)) else prompts


def tell_all_left(memory_dir: str, ledgers: dict[str, Ledger]) -> None:
    """Write into the file `left` what the ledgers of sessions that are over have left, where it is not there yet.

    Sessions that the file names and that have no ledger any more have left nothing.
    """
    known = _read_left(memory_dir)
    folder = open_store_folder(memory_dir, FOLDER)
    names = set()
    if folder:
        with folder:
            names = {name.removesuffix(OPEN).removesuffix(CLAIMED) for name in ledger_names(folder)}
    missing = [name for name, count in (known or {}).items() if count and name not in names]
    gone = {name: 0 for name in missing if not has_unread(memory_dir, name)}
    counts = {name: count_left(ledger) for name, ledger in ledgers.items()} | gone
    fresh = {name: count for name, count in counts.items() if (known or {}).get(name) != count}
    if known is None and not fresh:
        # An empty line begins the file.
        fresh = {"-": 0}
    for name, count in fresh.items():
        tell_left(memory_dir, name, count, has_ended=True, make=True)


def _read_left(memory_dir: str) -> dict[str, int] | None:
    """The number that each session has left by the file `left`.

    None if the file is missing or too large; then it is begun again.
    """
    folder = open_project_folder(memory_dir)
    if folder is None:
        return None
    with folder:
        try:
            text = folder.read(LEFT, MAX_LEFT_BYTES)[0].decode("utf-8", "replace")
        except Unread:
            with suppress(OSError):
                folder.remove(LEFT)
            return None
    words = [line.split(" ") for line in text.splitlines()]
    return {line[0]: int(line[1]) for line in words if len(line) == LEFT_WORDS and line[1].isdigit()}


def _look_at(folder: Folder, name: str) -> tuple[str, float]:
    """The session of a ledger file, and the time of its last write, or 0 if the session still runs.

    An idle claimed ledger is given back.
    """
    session = name.removesuffix(OPEN).removesuffix(CLAIMED)
    try:
        modified = folder.status(name).st_mtime
    except OSError:
        return session, 0
    is_idle = modified < time.time() - IDLE_SECONDS
    if name.endswith(CLAIMED):
        if is_idle:
            give_back(folder, session)
    elif not is_idle:
        ledger = read_in(folder, name)
        is_idle = ledger is not None and ledger.is_ended
    return session, modified if is_idle else 0
