"""The part of an ended session's ledger that nobody was asked about, claimed by one process alone.

    DATA/stores/KEY/ledger/
        SESSION.jsonl     the ledger
        SESSION.claimed   the same while somebody asks about it

A ledger is never taken from a repository. Each of its lines is a JSON object: a `part` with entries, an `ask` about a
range of positions, what has completed it (`done`), or the `end` of the session.
"""

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...files.folder import PRIVATE_FILE, Folder, Unread
from ...files.user_folder import open_store_folder

FOLDER = "ledger"
OPEN, CLAIMED = ".jsonl", ".claimed"
MAX_READ_BYTES = 4 << 20
IDLE_SECONDS = 2 * 60 * 60
# So many substantial prompts are worth a run, and so often an entry is asked about in all.
LEAST_PROMPTS, MAX_ASKS = 3, 3
BY = "background"
CAUSE = "background"

Entry = dict[str, Any]


@dataclass
class LeftPart:
    """What a session has left, and the range of positions that it has in the transcript."""

    session: str
    transcript: str
    entries: list[Entry]
    start: int
    end: int
    ask: str = field(default_factory=lambda: os.urandom(8).hex())


def find_left(memory_dir: str) -> list[LeftPart]:
    """The parts of ended sessions that are worth a run, those of the oldest session first."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return []
    found: list[tuple[float, LeftPart]] = []
    with folder:
        for name in sorted([entry.name for entry in folder.scan() if entry.name.endswith((OPEN, CLAIMED))]):
            with suppress(OSError, Unread):
                age = time.time() - folder.status(name).st_mtime
                if name.endswith(CLAIMED):
                    # The process that claimed it is gone, so it is given back.
                    if age > IDLE_SECONDS and not folder.kind(name.removesuffix(CLAIMED) + OPEN):
                        folder.rename(name, name.removesuffix(CLAIMED) + OPEN)
                    continue
                part, is_ended = _read(name.removesuffix(OPEN), folder.read(name, MAX_READ_BYTES)[0])
                if part and (is_ended or age > IDLE_SECONDS):
                    found.append((-age, part))
    return [part for _age, part in sorted(found, key=lambda each: each[0])]


def claim(memory_dir: str, part: LeftPart) -> bool:
    """Claim a part: only one process can rename its ledger. False where another one was faster."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return False
    with folder:
        try:
            if folder.kind(part.session + CLAIMED):
                return False
            folder.rename(part.session + OPEN, part.session + CLAIMED)
            ask = {"id": part.ask, "cause": CAUSE, "by": BY, "from": part.start, "to": part.end}
            _append(folder, part.session + CLAIMED, "ask", ask)
        except (OSError, Unread):
            return False
    return True


def give_back(memory_dir: str, part: LeftPart, how: str) -> None:
    """Give a claimed ledger back; the part is dealt with where `how` is `drafts` or `nothing`, and is not where it is
    "". Raises OSError."""
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return
    claimed, is_open = part.session + CLAIMED, part.session + OPEN
    with folder:
        # The session may have gone on meanwhile, and have taken its ledger back.
        name = claimed if folder.kind(claimed) else is_open
        _append(folder, name, "done", {"id": part.ask, "how": how or "given_back"})
        if name == is_open:
            return
        if not folder.kind(is_open):
            folder.rename(claimed, is_open)
            return
        data = b"".join([folder.read(each, MAX_READ_BYTES)[0].rstrip(b"\n") + b"\n" for each in (claimed, is_open)])
        folder.replace(is_open, data, mode=PRIVATE_FILE)
        folder.remove(claimed)


def _append(folder: Folder, name: str, kind: str, members: dict[str, object]) -> None:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"v": 1, "kind": kind, "time": stamp, **members}, separators=(",", ":"))
    # A line that a crash has torn spoils no other.
    folder.append(name, f"\n{line}\n".encode(), durable=True)


def _read(session: str, data: bytes) -> tuple[LeftPart | None, bool]:
    """What is left of a ledger, None where it is too little, and whether the session has ended."""
    entries: list[Entry] = []
    asks: dict[str, tuple[int, int]] = {}
    completed: set[str] = set()
    position, transcript, is_ended = 0, "", False
    for line in _lines(data):
        kind, start, end, ask = line.get("kind"), line.get("from"), line.get("to"), line.get("id")
        if kind == "end":
            is_ended = True
        elif kind == "done" and line.get("how") != "given_back":
            completed.add(str(ask))
        elif isinstance(start, int) and isinstance(end, int):
            if kind == "ask":
                asks.setdefault(str(ask), (start, end))
            elif kind == "part" and start >= position:
                position, transcript, is_ended = end, str(line.get("transcript", "")), False
                given = line.get("entries")
                entries += [each for each in given if _is_entry(each)] if isinstance(given, list) else []

    def is_left(at: int) -> bool:
        about = [name for name, (start, end) in asks.items() if start <= at < end]
        return len(about) < MAX_ASKS and not completed.intersection(about)

    left = [entry for entry in entries if is_left(entry["at"])]
    substantial = sum(entry["k"] == "prompt" and entry.get("is_substantial") is True for entry in left)
    if substantial < LEAST_PROMPTS:
        return None, is_ended
    return LeftPart(session, transcript, left, left[0]["at"], position), is_ended


def _lines(data: bytes) -> list[dict[str, Any]]:
    found = []
    for text in data.split(b"\n"):
        with suppress(ValueError, RecursionError):
            line = json.loads(text)
            if isinstance(line, dict):
                found.append(line)
    return found


def _is_entry(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("k"), str) and isinstance(value.get("at"), int)
