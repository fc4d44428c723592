"""Reads the log of capture: what was asked, answered, drafted and refused, and what the user decided."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from .._backend import LOG_FOLDER as FOLDER
from ..basics.chars import scrub
from ..basics.light_dataclass import replace
from ..basics.timestamp import parse_timestamp
from ..files.folder import Folder
from ..files.user_folder import open_store_folder
from ..store.log.capture_event import ANSWER, ASK, FILE, KINDS, MAX_LOG_BYTES, OLDER_FILE, CaptureEvent
from ..store.log.events import MICROSECONDS

LEDGERS = "ledger"
LEDGER_ENDINGS = (".jsonl", ".claimed")
MAX_LEDGER_BYTES = 4 << 20


def read_captures(memory_dir: str, since: int | None = None, session: str = "") -> list[CaptureEvent]:
    """The capture events of a store, the oldest first, in sessions whose ids start with `session`.

    `since` is in seconds since 1970; earlier events are left out. The requests for memories in the ledgers, and the
    answers to them, are included. Unreadable lines are left out.
    """
    found = [*_read_log(memory_dir), *_read_ledgers(memory_dir)]
    chosen = [
        event for event in found if event.session.startswith(session) and (since is None or _second_of(event) >= since)
    ]
    return sorted(chosen, key=lambda event: event.time)


def count_captures(events: Sequence[CaptureEvent]) -> dict[str, int]:
    """The number of events of each kind, such as `draft created`; the kinds are in the order of a capture's steps."""
    counts = Counter([(KINDS.index(event.kind), event.what) for event in events])
    return {f"{KINDS[kind]} {what}": counts[kind, what] for kind, what in sorted(counts)}


def _second_of(event: CaptureEvent) -> int:
    return (parse_timestamp(event.time) or 0) // MICROSECONDS


def _read_log(memory_dir: str) -> Iterator[CaptureEvent]:
    folder = open_store_folder(memory_dir, FOLDER)
    if folder is None:
        return
    with folder:
        for name in (OLDER_FILE, FILE):
            for line in _read_lines(folder, name, 2 * MAX_LOG_BYTES):
                kind, what = _text(line, "event"), _text(line, "what")
                if line.get("v") == 1 and kind in KINDS and what and parse_timestamp(_text(line, "time")):
                    tokens = line.get("tokens")
                    count = tokens if isinstance(tokens, int) and 0 <= tokens < 1 << 53 else 0
                    texts = {name: _text(line, name) for name in ("session", "category", "title", "why", "time")}
                    yield CaptureEvent(kind, what, tokens=count, **texts)


def _read_ledgers(memory_dir: str) -> Iterator[CaptureEvent]:
    """Each request for memories once, even if several ledgers have it, and the answers to these requests."""
    folder = open_store_folder(memory_dir, LEDGERS)
    if folder is None:
        return
    asks: dict[str, CaptureEvent] = {}
    answers: dict[str, CaptureEvent] = {}
    with folder:
        names = sorted([entry.name for entry in folder.scan() if entry.name.endswith(LEDGER_ENDINGS)])
        for name in names:
            for line in _read_lines(folder, name, MAX_LEDGER_BYTES):
                kind, ask, when = _text(line, "kind"), _text(line, "id"), _text(line, "time")
                if not parse_timestamp(when):
                    continue
                if kind == ASK:
                    asks.setdefault(ask, CaptureEvent(ASK, _text(line, "cause"), _text(line, "by"), time=when))
                elif kind == "done":
                    answers.setdefault(ask, CaptureEvent(ANSWER, _text(line, "how"), time=when))
    yield from asks.values()
    # Answers with drafts are in the log already, with their outcomes.
    for ask, answer in answers.items():
        if ask in asks and answer.what != "drafts":
            yield replace(answer, session=asks[ask].session)


def _read_lines(folder: Folder, name: str, limit: int) -> Iterator[dict[str, object]]:
    for text in (folder.read_if_any(name, limit) or b"").split(b"\n"):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict):
            yield line


def _text(line: dict[str, object], name: str) -> str:
    value = line.get(name)
    return scrub(value) if isinstance(value, str) else ""
