"""Qwen Code and Kimi Code keep lists of what was typed in a terminal; what is in none of them was sent by a program.

The formats are those of Qwen Code 0.24.4 and Kimi Code 2.1.0.
"""

from __future__ import annotations

import json
from hashlib import md5, sha256
from pathlib import Path
from typing import Any, ClassVar

import pytest

from cuecard.basics.host_table import REQUEST
from cuecard.capture.ledger.entries import Batch, read_batch
from cuecard.capture.ledger.ledger_lines import Ledger

# `project` is a fixture.
from ledger_project import Project, Session
from test_ledger import project  # noqa: F401

ASKING = "remember this: tests never sleep"
WORK = "please rename the parser module everywhere"


class ListedSession(Session):
    """A session of a host that keeps a list of what was typed."""

    host = ""
    variables: ClassVar[dict[str, str]] = {}

    def __init__(self, project: Project, name: str) -> None:  # noqa: F811 - what it is
        super().__init__(project, name)
        self.transcript.unlink()
        self.home = project.root.parent / "home of the user"
        self.transcript = self.home / self.place()
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        self.begin()

    def place(self) -> str:
        """The transcript below the home folder."""
        raise NotImplementedError

    def begin(self) -> None:
        """Write what the host writes when a session begins."""

    def ask(self, prompt: str) -> None:
        """Write a prompt, and what the agent answers."""
        raise NotImplementedError

    def log(self, *messages: str) -> None:
        """Write the list again, with these messages."""
        raise NotImplementedError

    def event(self, name: str, **members: object) -> bytes:
        event = {"hook_event_name": name, "session_id": self.name, "cwd": str(self.project.root), **members}
        return json.dumps({**event, **self.named}).encode()

    @property
    def named(self) -> dict[str, str]:
        """How an event names the transcript."""
        return {"transcript_path": str(self.transcript)}

    def run(self, verb: str, name: str, **members: object) -> str:
        ran = self.project.hook.run(
            verb,
            "--host",
            self.host,
            stdin=self.event(name, **members),
            cwd=self.project.root,
            PATH=self.project.path,
            HOME=str(self.home),
            **self.variables,
        )
        assert (ran.code, ran.stderr) == (0, b"")
        self.project.hook.wait_for_background()
        return ran.stdout.decode()

    def rest(self) -> dict[str, Any]:
        """Let the agent come to rest, and return what the hook prints."""
        printed = self.run("stop", "Stop", stop_hook_active=False)
        return dict(json.loads(printed)) if printed else {}


class QwenSession(ListedSession):
    host = "qwen"

    def place(self) -> str:
        return f".qwen/projects/-a-project/chats/{self.name}.jsonl"

    def ask(self, prompt: str) -> None:
        base = {"sessionId": self.name, "cwd": str(self.project.root)}
        typed = {"type": "user", "provenance": "real_user", "message": {"role": "user", "parts": [{"text": prompt}]}}
        said = {"type": "assistant", "message": {"role": "model", "parts": [{"text": "Noted."}]}}
        self.write({**base, **typed, "uuid": prompt}, {**base, **said})

    def log(self, *messages: str) -> None:
        folder = self.home / ".qwen" / "tmp" / sha256(str(self.project.root).encode()).hexdigest()
        folder.mkdir(parents=True, exist_ok=True)
        entries = [{"sessionId": self.name, "type": "user", "message": message} for message in messages]
        others = [{"sessionId": "another", "type": "user", "message": ASKING}]
        (folder / "logs.json").write_text(json.dumps([*others, *entries]))


class KimiSession(ListedSession):
    host = "kimi"

    def place(self) -> str:
        return f".kimi-code/sessions/wd_project_1/{self.name}/agents/main/wire.jsonl"

    def begin(self) -> None:
        self.write({"type": "metadata", "protocol_version": "1.5"})
        state = self.transcript.parents[2] / "state.json"
        state.write_text(json.dumps({"id": self.name, "cwd": str(self.project.root)}))

    def ask(self, prompt: str) -> None:
        base = {"agentId": "main", "time": 1_795_953_499_000}
        content = [{"type": "text", "text": prompt}]
        typed = {"role": "user", "content": content, "id": prompt, "origin": {"kind": "user"}}
        said = {"type": "content.part", "part": {"type": "text", "text": "Noted."}}
        self.write({**base, "type": "context.append_message", "message": typed})
        self.write({**base, "type": "context.append_loop_event", "event": said})

    def log(self, *messages: str) -> None:
        folder = self.home / ".kimi-code" / "user-history"
        folder.mkdir(exist_ok=True)
        lines = [json.dumps({"content": message}) + "\n" for message in messages]
        name = md5(str(self.project.root).encode(), usedforsecurity=False).hexdigest()
        (folder / f"{name}.jsonl").write_text("".join(lines))

    @property
    def named(self) -> dict[str, str]:
        return {}


@pytest.fixture(params=[QwenSession, KimiSession], ids=["qwen", "kimi"])
def listed(request: pytest.FixtureRequest, project: Project) -> ListedSession:  # noqa: F811
    made = request.param(project, "s-1")
    assert isinstance(made, ListedSession)
    return made


def reason_of(answer: dict[str, Any]) -> str:
    """The request in the answer to a stop."""
    return str(answer.get("reason") or answer["hookSpecificOutput"]["permissionDecisionReason"])


def prompts_of(session: Session) -> list[str]:
    return [entry["text"] for entry in session.entries() if entry["k"] == "prompt"]


def test_a_wish_that_was_typed_is_asked_about_in_the_form_of_the_host(listed: ListedSession) -> None:
    listed.ask(ASKING)
    listed.log("/help", ASKING)
    answer = listed.rest()
    assert reason_of(answer).startswith(REQUEST)
    assert ASKING in reason_of(answer)
    if listed.host == "kimi":
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    else:
        assert answer["decision"] == "block"
    assert prompts_of(listed) == [ASKING]


@pytest.mark.parametrize("listing", [(), ("/compact",), (WORK,)])
def test_a_prompt_that_stands_in_no_list_has_no_ledger(listed: ListedSession, listing: tuple[str, ...]) -> None:
    listed.ask(ASKING)
    if listing:
        listed.log(*listing)
    assert listed.rest() == {}
    assert listed.project.names() == []


def test_a_program_that_goes_on_with_a_session_leaves_nothing_in_its_ledger(listed: ListedSession) -> None:
    listed.ask(WORK)
    listed.log(WORK)
    assert listed.rest() == {}
    before = listed.lines()
    listed.ask(ASKING)
    assert listed.rest() == {}
    listed.run("session", "SessionEnd")
    assert listed.lines() == before
    listed.ask("remember this: names are never shortened")
    listed.log(WORK, "/model", "remember this: names are never shortened")
    reason = reason_of(listed.rest())
    assert "names are never shortened" in reason
    assert "tests never sleep" not in reason


def test_the_end_of_a_session_completes_its_ledger(listed: ListedSession) -> None:
    listed.ask(WORK)
    listed.log(WORK)
    listed.run("session", "SessionEnd")
    assert prompts_of(listed) == [WORK]
    assert listed.lines()[-1]["kind"] == "end"


def test_a_damaged_list_means_that_nobody_typed(listed: ListedSession) -> None:
    listed.ask(ASKING)
    listed.log(ASKING)
    [file] = [*listed.home.rglob("logs.json"), *listed.home.rglob("user-history/*.jsonl")]
    for damage in (b'[{"sessionId": "s-1"', b"\xff", b"[" * 100_000, b'{"content": 1}\n[]\n', b"[1, null, {}]"):
        file.write_bytes(damage)
        assert listed.rest() == {}
    file.unlink()
    file.mkdir()
    assert listed.rest() == {}


@pytest.mark.parametrize("below", ["elsewhere", "the project"])
def test_the_folder_that_a_variable_names_has_the_transcripts_of_kimi_code(
    project: Project,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    below: str,
) -> None:
    session = KimiSession(project, "s-1")
    session.ask(ASKING)
    session.log(ASKING)
    place = (project.root if below == "the project" else project.root.parent) / "moved"
    (session.home / ".kimi-code").rename(place)
    monkeypatch.setattr(session, "variables", {"KIMI_CODE_HOME": str(place)})
    # A repository that names itself is not heeded.
    assert bool(session.rest()) == (below == "elsewhere")


def test_only_the_end_of_a_long_list_of_kimi_code_is_read(project: Project) -> None:  # noqa: F811
    session = KimiSession(project, "s-1")
    session.ask(ASKING)
    session.log("word " * 2_000_000, ASKING)
    assert ASKING in reason_of(session.rest())


def test_a_list_that_is_too_large_is_told_in_the_log(project: Project) -> None:  # noqa: F811
    session = QwenSession(project, "s-1")
    session.ask(ASKING)
    session.log("word " * 2_000_000, ASKING)
    for verb, name in (("stop", "Stop"), ("session", "SessionEnd")):
        hook, sent = project.hook, session.event(name, stop_hook_active=False)
        ran = hook.run(verb, "--host", "qwen", stdin=sent, cwd=project.root, PATH=project.path, HOME=str(session.home))
        assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")
        hook.wait_for_background()
        told = "the host's `logs.json` is over 8 MiB, so nothing is known of what was typed"
        assert told in (hook.log_file().read_text() if hook.log_file().exists() else "".join(ran.log))


def test_each_typed_prompt_is_read_once_for_all_prompts_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def note(text: str) -> str:
        read.append(text)
        return text

    monkeypatch.setattr("cuecard.capture.ledger.same_prompt.typed_text", note)
    listed = [f"please rename module number {number}" for number in range(20)]
    records = [{"type": "user", "message": {"role": "user", "content": text}} for text in listed]
    lines = list(enumerate([json.dumps(record).encode() for record in records]))
    found = read_batch(Batch(Ledger(), "s-1", lines, len(lines), str, typed=listed))
    assert [entry["text"] for entry in found.entries] == listed
    assert len(read) == 40


def test_what_was_typed_while_qwen_code_worked_stands_in_no_list_and_counts(project: Project) -> None:  # noqa: F811
    session = QwenSession(project, "s-1")
    message = {"role": "user", "parts": [{"text": ASKING}]}
    queued = {"type": "user", "provenance": "real_user", "subtype": "mid_turn_user_message", "message": message}
    session.ask(WORK)
    session.log(WORK)
    session.write(queued)
    assert ASKING in reason_of(session.rest())
    assert prompts_of(session) == [WORK, ASKING]
    # In a turn that a program has begun, nobody types.
    other = QwenSession(project, "s-2")
    other.ask(WORK)
    other.write(queued)
    other.log("please do something else")
    assert other.rest() == {}


def test_the_plugin_for_claude_code_leaves_a_run_of_qwen_code_for_a_program_alone(project: Project) -> None:  # noqa: F811
    session = QwenSession(project, "s-1")
    session.host = "claude-code"
    session.ask(ASKING)
    assert session.rest() == {}
    assert project.names() == []
    session.log(ASKING)
    assert ASKING in reason_of(session.rest())


def test_kimi_code_is_not_asked_while_it_plans(project: Project) -> None:  # noqa: F811
    session = KimiSession(project, "s-1")
    session.write({"type": "plan_mode.enter", "agentId": "main", "time": 1})
    session.ask(ASKING)
    session.log(ASKING)
    assert session.rest() == {}
    assert prompts_of(session) == [ASKING]


@pytest.mark.parametrize("name", ["../s-1", "s-1/../s-1", "*"])
def test_the_id_of_a_session_leads_to_no_other_transcript(project: Project, name: str) -> None:  # noqa: F811
    session = KimiSession(project, "s-1")
    session.ask(ASKING)
    session.log(ASKING)
    session.name = name
    assert session.rest() == {}
    assert session.project.names() == []
    assert Path(session.transcript).is_file()
