"""Claims the ledgers of earlier sessions and gives them back (SPEC 56.9).

The agent of only one session at a time is asked about a ledger.
"""

import time
from contextlib import suppress
from dataclasses import dataclass

from ...files.folder import Folder
from ...files.user_folder import open_store_folder
from .ledger_file import CLAIMED, FOLDER, OPEN, give_back, ledger_names, read_in
from .ledger_lines import Ask, Ledger, ask_line, is_substantial_prompt, write_line

IDLE_SECONDS = 2 * 60 * 60
# At most this many ledgers of earlier sessions are read: the most recently written ones.
MAX_EARLIER = 20


@dataclass(frozen=True)
class Earlier:
    """The ledger of an earlier session."""

    session: str
    ledger: Ledger


def find_earlier(memory_dir: str, session: str) -> list[Earlier]:
    """The ledgers of ended or idle sessions that have unprocessed substantial prompts, the oldest ledger first.

    The ledger of `session` is left out. A session is idle if its ledger was not written for two hours.
    """
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return []
    with folder:
        looked_at = [_look_at(folder, name) for name in ledger_names(folder)]
        found = {name: aged for name, aged in looked_at if aged}
        found.pop(session, None)
        ordered = sorted((aged, name) for name, aged in found.items())[-MAX_EARLIER:]
        ledgers = [(name, read_in(folder, f"{name}{OPEN}")) for _, name in ordered]
    return [
        Earlier(name, ledger)
        for name, ledger in ledgers
        if ledger and any(map(is_substantial_prompt, ledger.left_entries()))
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
            folder.append(claimed, ask_line(ask, utc_now()))
        except OSError:
            return False
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
            if ledger is None or not any(each.id == ask for each in ledger.asks):
                continue
            if how:
                with suppress(OSError):
                    folder.append(name, write_line("done", utc_now(), {"id": ask, "how": how}))
            elif name.endswith(CLAIMED):
                give_back(folder, name.removesuffix(CLAIMED))


def utc_now() -> str:
    """The current second (UTC), in the time format of ledgers."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


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
