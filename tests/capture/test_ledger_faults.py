"""A hook may be killed at any call that changes the disk: no part of a session is lost or recorded twice."""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from cuecard.capture.ledger.ledger_file import LedgerFile
from cuecard.capture.ledger.stop import StopAnswer, answer, note_event
from cuecard.files.environment import Environment
from cuecard.retrieval.near import find_near
from killed_process import needs_fork, run_killed
from scratch_home import kept_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.fault

PROMPTS = [f"we change part number {number} of the parser" for number in range(18)]
MOST_CALLS = 400


class Sessions:
    """Sessions of one project; their stops are handled in this process."""

    def __init__(self, root: Path, programs: Path) -> None:
        self.root = root
        self.programs = programs
        self.memory_dir = root / ".claude" / "memory"
        self.memory_dir.mkdir(parents=True)

    def say(self, session: str, prompt: str, answer: str = "Done.") -> None:
        records = [
            {"type": "user", "message": {"role": "user", "content": prompt}},
            {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}},
        ]
        with self.root.with_name(f"{session}.jsonl").open("ab") as file:
            file.write(b"".join(json.dumps(record).encode() + b"\n" for record in records))

    def payload(self, session: str, event: str = "Stop") -> bytes:
        members = {"hook_event_name": event, "session_id": session, "cwd": str(self.root), "stop_hook_active": False}
        return json.dumps({**members, "transcript_path": str(self.root.with_name(f"{session}.jsonl"))}).encode()

    def stop(self, session: str) -> StopAnswer:
        return answer(self.payload(session), "codex", Environment(), find_near)

    def end(self, session: str) -> None:
        note_event(self.payload(session, "SessionEnd"), "codex", Environment())

    def prompts(self, session: str) -> list[str]:
        entries = LedgerFile(str(self.memory_dir), session).ledger.entries
        return [entry["text"] for entry in entries if entry["k"] == "prompt"]


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "cuecard"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return Sessions(tmp_path / "project", programs)


@needs_fork
def test_a_stop_that_is_killed_at_any_call_loses_no_prompt_and_notes_none_twice(sessions: Sessions) -> None:
    for prompt in PROMPTS[:15]:
        sessions.say("s", prompt)
        sessions.stop("s")
    # At the next stop the agent is asked, so that the process is killed at each step of a request.
    sessions.say("s", PROMPTS[15])
    kept, saved = kept_of(sessions.memory_dir), sessions.root.with_name("saved")
    shutil.copytree(kept, saved)
    for killed_at in range(MOST_CALLS):
        shutil.rmtree(kept)
        shutil.copytree(saved, kept)
        done = run_killed(lambda: sessions.stop("s"), killed_at)
        sessions.stop("s")
        assert sessions.prompts("s") == PROMPTS[:16], killed_at
        if done is not None:
            assert killed_at > 5
            return
    raise AssertionError("the stop makes more calls than expected")


@needs_fork
def test_a_claim_that_is_killed_at_any_call_is_made_again(sessions: Sessions) -> None:
    for prompt in PROMPTS[:3]:
        sessions.say("earlier", prompt, "Sorry, you are right.")
        sessions.stop("earlier")
    sessions.end("earlier")
    sessions.say("later", "what does the build script do here")
    kept, saved = kept_of(sessions.memory_dir), sessions.root.with_name("saved")
    shutil.copytree(kept, saved)
    for killed_at in range(MOST_CALLS):
        shutil.rmtree(kept)
        shutil.copytree(saved, kept)
        done = run_killed(lambda: sessions.stop("later"), killed_at)
        if done is not None:
            assert killed_at > 5
            return
        long_ago = time.time() - 3 * 3600
        for file in (kept / "ledger").iterdir():
            os.utime(file, (long_ago, long_ago))
        sessions.say("third", "what does the build script do here")
        asked = sessions.stop("third").stdout
        assert all(prompt.encode() in asked for prompt in PROMPTS[:3]), killed_at
        shutil.rmtree(kept)
        sessions.root.with_name("third.jsonl").unlink()
        shutil.copytree(saved, kept)
    raise AssertionError("the stop makes more calls than expected")


@needs_fork
def test_two_sessions_at_once_do_not_mix_their_ledgers(sessions: Sessions) -> None:
    children = []
    for name in ("one", "two"):
        child = os.fork()
        if child == 0:
            try:
                for prompt in PROMPTS:
                    sessions.say(name, f"{prompt} in {name}")
                    sessions.stop(name)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    for name in ("one", "two"):
        assert sessions.prompts(name) == [f"{prompt} in {name}" for prompt in PROMPTS]


@needs_fork
def test_of_sessions_that_claim_at_once_one_is_asked(sessions: Sessions) -> None:
    for prompt in PROMPTS[:3]:
        sessions.say("earlier", prompt, "Sorry, you are right.")
        sessions.stop("earlier")
    sessions.end("earlier")
    asked = sessions.root.with_name("asked")
    children = []
    for number in range(6):
        sessions.say(f"later-{number}", "hm")
        child = os.fork()
        if child == 0:
            try:
                if sessions.stop(f"later-{number}").stdout:
                    (asked.parent / f"asked-{number}").touch()
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    assert len(list(asked.parent.glob("asked-*"))) == 1
