"""The rules of the ledger as functions of plain values, for the cases in `tests/data/ledger.toml`."""

from __future__ import annotations

import json

from cuecard.capture.ledger import ledger_lines
from cuecard.capture.ledger.entries import Batch, read_batch
from cuecard.capture.ledger.entry_text import SessionEntries
from cuecard.capture.ledger.moments import Moment, decide, wants_summary
from cuecard.capture.ledger.quotes import find_quotes
from cuecard.capture.ledger.request import CaptureRequest
from cuecard.capture.ledger.substance import is_apology, says_handover, says_nothing_to_save
from cuecard.capture.ledger.wishes import says_remember

__all__ = [
    "capture_cause",
    "capture_phrases",
    "capture_request",
    "find_quotes",
    "ledger_entries",
    "read_ledger",
    "shorten_ledger",
]

LedgerRow = tuple[int, int, str, list[tuple[str, str]], bool, bool, list[int]]


def capture_phrases(text: str) -> list[str]:
    """The names of the phrase tables of which a text contains a phrase."""
    held = {
        "remember": says_remember(text),
        "hands_over": says_handover(text),
        "apology": is_apology(text),
        "nothing": says_nothing_to_save(text),
    }
    return [name for name, holds in held.items() if holds]


def ledger_entries(
    ledger: str, session: str, transcript: str, last_said: str, is_restart: bool, typed: list[str] | None = None
) -> tuple[list[str], bool, bool | None]:
    """The new entries of a transcript, whether no person watches the session, and whether it is read-only.

    `transcript` begins at the ledger's position. The last value is None if the transcript does not say it. Secrets are
    not removed.
    """
    known = ledger_lines.read_ledger(ledger.encode())
    at, lines = known.position, []
    for line in transcript.encode().split(b"\n"):
        lines.append((at, line))
        at += len(line) + 1
    found = read_batch(Batch(known, session, lines, at - 1, str, last_said, is_restart, typed))
    entries = [json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in found.entries]
    return entries, found.is_not_interactive, found.is_read_only


def capture_cause(ledger: str, session: str, start: int, earlier: list[str], every: int) -> tuple[str, bool]:
    """Why an agent should be asked for memories ("" if it should not), and whether a summary is wanted too."""
    ledgers = [ledger_lines.read_ledger(text.encode()) for text in earlier]
    moment = Moment(ledger_lines.read_ledger(ledger.encode()), session, start, ledgers, every)
    cause = decide(moment)
    return cause, bool(cause) and wants_summary(cause, moment)


def read_ledger(data: bytes) -> LedgerRow:
    """The state of a session that results from all lines of a ledger."""
    ledger = ledger_lines.read_ledger(data)
    asks = [(ask.id, ask.how) for ask in ledger.asks]
    left = [entry["at"] for entry in ledger.left_entries()]
    return ledger.position, ledger.base, ledger.transcript, asks, ledger.is_ended, ledger.has_looked, left


def shorten_ledger(data: bytes) -> bytes:
    """The lines of a ledger that are still needed."""
    return ledger_lines.shorten(data)


def capture_request(
    cause: str,
    ledgers: list[str],
    near: str = "",
    wants_summary: bool = False,
) -> str:
    """The text that asks the agent for memories from all entries of some ledgers."""
    read = [ledger_lines.read_ledger(text.encode()).entries for text in ledgers]
    sessions = [SessionEntries(f"s-{number}", entries) for number, entries in enumerate(read)]
    return CaptureRequest(cause, sessions, "/w/whole.txt", "cuecard", "/w", near, wants_summary).to_text()
