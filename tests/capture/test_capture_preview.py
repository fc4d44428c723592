"""`cuecard capture preview` shows for a transcript what the hook would do, and writes nothing."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import command_process
from capture_sessions import CaptureSession, read_session_projects, read_sessions, write_transcript
from cuecard.capture.ledger import stop
from cuecard.capture.ledger.preview import preview_sessions
from cuecard.errors import InputError
from cuecard.files.environment import Environment
from cuecard.retrieval.near import find_near
from scratch_home import kept_of

if TYPE_CHECKING:
    from command_process import Ran

PROJECTS = read_session_projects()
SESSIONS = {session.id: session for session in read_sessions()}
# Every thirtieth session, and some sessions with a special mode or a compaction.
CHOSEN = [
    name
    for place, (name, session) in enumerate(SESSIONS.items())
    if place % 30 == 0
    or (place % 4 == 1 and (session.mode != "default" or any(turn.compaction for turn in session.turns)))
]
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PROMPTS = [f"we change part number {number} of the parser" for number in range(18)]
TOLD = tuple[str, Any]


class Replay:
    """A session whose transcript grows turn by turn; the hook runs at each stop."""

    def __init__(self, session: CaptureSession, folder: Path) -> None:
        self.session = session
        self.project = folder / "project"
        self.memory = self.project / ".claude" / "memory"
        self.memory.mkdir(parents=True)
        self.file = folder / f"{session.id}.jsonl"

    def run(self) -> list[TOLD]:
        """Run the session, and return the entries and requests (`ask`) of its ledger, in order."""
        transcript = write_transcript(self.session, PROJECTS[self.session.project], str(self.project))
        lines = [json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in transcript.records]
        done = 0
        for number, turn in enumerate(self.session.turns):
            if turn.compaction:
                self.note("PreCompact")
                continue
            end = transcript.answer_lines[number] + 1
            with self.file.open("ab") as file:
                file.write(b"".join(lines[done:end]))
            done = end
            if self.stop(turn.agent):
                assert not self.stop("Nothing worth keeping.", stop_hook_active=True)
        with self.file.open("ab") as file:
            file.write(b"".join(lines[done:]))
        self.note("SessionEnd")
        return self.read()

    def read(self) -> list[TOLD]:
        told: list[TOLD] = []
        file = kept_of(self.memory) / "ledger" / f"{self.session.id}.jsonl"
        for line in file.read_text("utf-8").splitlines() if file.exists() else []:
            written = json.loads(line)
            told += [("entry", entry) for entry in written.get("entries", [])]
            told += [("ask", written["cause"])] if written["kind"] == "ask" else []
        return told

    def event(self, name: str, **members: object) -> bytes:
        mode = "plan" if self.session.mode == "plan" else "default"
        event = {"hook_event_name": name, "session_id": self.session.id, "cwd": str(self.project)}
        return json.dumps({**event, "transcript_path": str(self.file), "permission_mode": mode, **members}).encode()

    def stop(self, said: str, **members: object) -> bytes:
        event = self.event("Stop", last_assistant_message=said, **members)
        verdict = stop.answer(
            event, "codex" if self.session.host == "codex" else "claude-code", Environment(), find_near
        )
        assert verdict.notes == []
        return verdict.stdout

    def note(self, name: str) -> None:
        stop.note_event(self.event(name), "claude-code", Environment())


@pytest.mark.parametrize("name", CHOSEN)
def test_the_preview_has_the_entries_and_asks_of_the_hook(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop, "PAUSES", ())
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for variable in [variable for variable in os.environ if variable.startswith("CLAUDE")]:
        monkeypatch.delenv(variable)
    replay = Replay(SESSIONS[name], tmp_path)
    expected = replay.run()
    [preview] = preview_sessions([str(replay.file)], 8)
    told: list[TOLD] = []
    for part in preview.parts:
        told += [("entry", entry) for entry in part.entries]
        told += [("ask", part.cause)] if part.cause else []
    assert told == expected
    assert preview.is_interactive == bool(expected)
    # The entries of the preview's ledger are the same as the entries in its parts.
    assert preview.ledger.entries == [entry for kind, entry in told if kind == "entry"]


def write_session(file: Path, prompts: list[str], answer: str = "Done.", **members: object) -> Path:
    records: list[dict[str, object]] = []
    for prompt in prompts:
        records.append({"type": "user", "message": {"role": "user", "content": prompt}, **members})
        said = [{"type": "text", "text": answer}]
        records.append({"type": "assistant", "message": {"role": "assistant", "content": said}, **members})
    file.write_text("".join([json.dumps(record) + "\n" for record in records]))
    return file


class Command:
    """The command in a project with a store."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        (self.project / ".claude" / "memory").mkdir(parents=True)
        self.home.mkdir()

    def run(self, *arguments: str) -> Ran:
        return command_process.run(self.home, self.project, "capture", "preview", *arguments)

    def causes(self, *files: Path) -> list[list[str | None]]:
        """For each session, the cause of the request at each stop; None if nobody is asked."""
        ran = self.run(*map(str, files), "--json")
        assert (ran.code, ran.stderr) == (0, "")
        sessions = ran.document["sessions"]
        return [[part["cause"] for part in each["parts"] if part["event"] == "stop"] for each in sessions]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def files_of(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def test_each_stop_is_named_and_nothing_is_written(command: Command, tmp_path: Path) -> None:
    quoted = 'it says\n> the cache is never cleared\nremove that line, the token is "' + TOKEN + '"'
    file = write_session(tmp_path / "s.jsonl", [quoted, "remember this: the tests never sleep"])
    before = files_of(tmp_path)
    ran = command.run(str(file))
    assert (ran.code, ran.stderr) == (0, "")
    assert f"{file}: 2 stops, 1 ask" in ran.stdout
    assert "[quoted from others: " in ran.stdout
    assert TOKEN not in ran.stdout
    assert "\n    agent: Done.\n-- stop 1: the agent is not asked; 1 substantial prompt with a weight of" in ran.stdout
    assert "[2] user: remember this: the tests never sleep" in ran.stdout
    assert "-- stop 2: the agent is asked (word); 2 substantial prompts" in ran.stdout
    assert files_of(tmp_path) == before


def test_the_setting_of_the_project_counts(command: Command, tmp_path: Path) -> None:
    file = write_session(tmp_path / "s.jsonl", PROMPTS)
    assert command.causes(file) == [[None] * 15 + ["prompts"] + [None] * 2]
    assert command_process.run(command.home, command.project, "config", "capture.every", "4", "--user").code == 0
    assert command.causes(file) == [([None] * 7 + ["prompts"]) * 2 + [None] * 2]


def test_a_later_session_is_asked_about_what_an_earlier_one_left(command: Command, tmp_path: Path) -> None:
    first = write_session(tmp_path / "a.jsonl", PROMPTS[:3], "Sorry, you are right.")
    second = write_session(tmp_path / "b.jsonl", PROMPTS[3:5])
    third = write_session(tmp_path / "c.jsonl", PROMPTS[5:6])
    # The second session was also asked about the first one. So only its own two prompts are left, and these are too
    # few.
    assert command.causes(first, second, third) == [[None] * 3, ["earlier", None], [None]]


def test_a_run_of_a_program_has_no_ledger(command: Command, tmp_path: Path) -> None:
    file = write_session(tmp_path / "s.jsonl", PROMPTS, entrypoint="sdk-cli")
    assert command.run(str(file)).stdout == (
        f"{file}: a run that nobody watches: it has no ledger, and its agent is never asked\n"
    )


def test_an_agent_that_plans_is_not_asked(command: Command, tmp_path: Path) -> None:
    file = write_session(tmp_path / "s.jsonl", ["remember this: the tests never sleep"], permissionMode="plan")
    ran = command.run(str(file))
    assert "-- stop 1: the agent may not change anything, so it is not asked; 1 substantial prompt" in ran.stdout


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read: No such file or directory"),
        ("", "is not a transcript: no line of it has a message of a user or an agent"),
        ("# Notes\n\nThese are notes.\n", "is not a transcript: "),
        ('{"type":"user"\n{"a":1}\n', "is not a transcript: "),
    ],
)
def test_a_file_that_is_no_transcript_is_refused(
    command: Command, tmp_path: Path, content: str | None, reason: str
) -> None:
    file = tmp_path / "s.jsonl"
    if content is not None:
        file.write_text(content)
    ran = command.run(str(file))
    assert (ran.code, ran.stdout) == (1, "")
    assert f"error: `{file}` {reason}" in ran.stderr
    assert "hint: name " in ran.stderr


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        preview_sessions([str(tmp_path)], 8)


@pytest.mark.skipif(shutil.which("mkfifo") is None, reason="the system has no named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is not a regular file"):
        preview_sessions([str(tmp_path / "pipe")], 8)
