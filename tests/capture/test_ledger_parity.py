"""Both backends have equal ledgers for every judged session, and make equal requests at the same stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ledger_parts
from capture_sessions import CaptureSession, read_session_projects, read_sessions, write_transcript
from cuecard.capture.ledger.ledger_lines import Ask, ask_line, read_ledger, write_line

if TYPE_CHECKING:
    from types import ModuleType

SESSIONS = read_sessions()
PROJECTS = read_session_projects()
NEAR = [
    ("DECISION", "Use <redis> for `order` events", ".claude/memory/decisions/redis.json", False),
    ("RUNBOOK", "x" * 200, ".claude/memory/runbooks/<x>.json", True),
]


def steps(session: CaptureSession) -> list[tuple[str, str]]:
    """For each stop of a session, the new part of the transcript and the agent's last text."""
    transcript = write_transcript(session, PROJECTS[session.project])
    lines = transcript.as_bytes().splitlines(keepends=True)
    found, done = [], 0
    for number, turn in enumerate(session.turns):
        if turn.prompt:
            end = transcript.answer_lines[number] + 1
            found.append((b"".join(lines[done:end]).decode(), turn.agent))
            done = end
    return found


def entry_lines(entries: list[str], start: int, end: int) -> str:
    """The line of a ledger for the bytes `start` to `end` of a transcript, which have these entries."""
    rest = f'"base":0,"from":{start},"to":{end},"is_stop":true,"entries":[{",".join(entries)}]'
    return f'{{"v":1,"kind":"part","time":"x","host":"codex","transcript":"t",{rest}}}\n'


def run_session(parts: ModuleType, session: CaptureSession) -> list[object]:
    """Everything that one backend computes at every stop of a session: entries, flags, causes, states and requests."""
    ledger, seen = "", list[object]()
    for text, last_said in steps(session):
        known = read_ledger(ledger.encode())
        start, end = known.position, known.position + len(text.encode())
        entries, *flags = parts.ledger_entries(ledger, session.id, text, last_said, False)
        ledger += entry_lines(entries, start, end)
        cause, wants_summary = parts.capture_cause(ledger, session.id, start, [], 8)
        seen += [entries, flags, cause, wants_summary, parts.read_ledger(ledger.encode())]
        if cause:
            seen.append(parts.capture_request(cause, [ledger], NEAR, wants_summary, "/w/whole.txt", "cuecard x"))
            ask = Ask(f"ask{start}", cause, session.id, known.asked(session.id), end)
            ledger += ask_line(ask, "x").decode() + write_line("done", "x", {"id": ask.id, "how": "nothing"}).decode()
    seen.append(parts.shorten_ledger(ledger.encode()))
    return seen


@pytest.mark.parametrize("remainder", range(5))
def test_both_make_the_same_ledger_of_every_session(native: ModuleType, remainder: int) -> None:
    for session in SESSIONS[remainder::5]:
        assert run_session(native.parts, session) == run_session(ledger_parts, session), session.id


def test_a_request_fits_however_long_a_session_is(native: ModuleType) -> None:
    entries = [
        f'{{"k":"prompt","at":{number},"text":"{"so many words " * 40}","quoted":[[0,20]],"signs":[],'
        '"is_substantial":true}'
        for number in range(60)
    ]
    ledger = entry_lines(entries, 0, 1000)
    where = "/w/whole.txt", "cuecard capture commit /w"
    request = native.parts.capture_request("prompts", [ledger, ledger], NEAR, True, *where)
    assert request == ledger_parts.capture_request("prompts", [ledger, ledger], NEAR, True, *where)
    assert 5000 < len(request) <= 9500
    assert "/w/whole.txt: read that file first" in request
    assert request.endswith("cuecard capture commit /w <<'CUECARD'\n[DRAFT, ...]\nCUECARD")
