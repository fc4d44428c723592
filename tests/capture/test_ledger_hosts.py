"""Runs of Codex and Gemini CLI that nobody watches are recognised, and their agents are not asked.

The formats are those of Codex 0.169.0, Gemini CLI 0.61.0, Copilot CLI 1.0.102 and the plugin for OpenCode.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cuecard.capture.ledger.transcript_lines import open_transcript

# `project` is a fixture.
from ledger_project import Project, Session
from test_ledger import project  # noqa: F401

ASKING = "remember this: tests never sleep"


class GeminiSession(Session):
    """A session of Gemini CLI: its transcript, and the list of prompts that were typed in a terminal."""

    def __init__(self, project: Project, name: str) -> None:  # noqa: F811 - what it is
        super().__init__(project, name)
        self.folder: Path = project.root.parent / "tmp"
        self.transcript = self.folder / "chats" / f"session-{name}.jsonl"
        self.transcript.parent.mkdir(parents=True)
        context = {"id": "c", "type": "user", "content": [{"text": "<session_context>\nIt is Tuesday."}]}
        self.write({"sessionId": name, "kind": "main"}, {"$set": {"messages": [context]}})
        self.records = 0

    def say(self, prompt: str, answer: str = "Noted.") -> None:
        self.records += 1
        user = {"id": f"u{self.records}", "type": "user", "content": [{"text": prompt}]}
        self.write(user, {"id": f"g{self.records}", "type": "gemini", "content": answer})

    def log(self, *messages: str, session: str = "") -> None:
        """Write the list of typed prompts again, with these messages."""
        entries = [{"sessionId": session or self.name, "type": "user", "message": message} for message in messages]
        (self.folder / "logs.json").write_text(json.dumps(entries, indent=2))

    def end_turn(self, prompt: str, *, is_continued: bool = False) -> str:
        """Run the hook at the end of a turn, and return what it prints."""
        ran = self.stop("--host", "gemini", prompt=prompt, prompt_response="Noted.", stop_hook_active=is_continued)
        return ran.stdout.decode()


@pytest.fixture
def gemini(project: Project) -> GeminiSession:  # noqa: F811
    return GeminiSession(project, "s-1")


def test_a_prompt_that_was_typed_in_gemini_cli_may_be_answered_with_an_ask(gemini: GeminiSession) -> None:
    gemini.say(ASKING)
    gemini.log("/help", ASKING, "/stats")
    answer = json.loads(gemini.end_turn(ASKING))
    assert answer["decision"] == "deny"
    assert "tests never sleep" in answer["reason"]
    # What comes after the hook's request is an answer to it, whatever text the host calls the prompt.
    assert gemini.end_turn(answer["reason"], is_continued=True) == ""


def test_a_prompt_with_the_text_of_a_file_behind_it_was_typed(gemini: GeminiSession) -> None:
    gemini.say(f"{ASKING} @a.txt\n--- Content from referenced files ---\na")
    gemini.log(f"{ASKING} @a.txt")
    assert gemini.end_turn(f"{ASKING} @a.txt\n--- Content from referenced files ---\na") != ""


LISTS: list[tuple[str, Any]] = [
    ("none", None),
    ("of another session", [{"sessionId": "s-2", "message": ASKING}]),
    # With `gemini --resume latest -p`, a session that was begun in a terminal is continued without a terminal.
    ("without this prompt", [{"sessionId": "s-1", "message": "please rename the parser module"}]),
    ("with commands alone", [{"sessionId": "s-1", "message": "/compress"}]),
    ("no list", {"s-1": ASKING}),
    ("no texts", [1, None, {"sessionId": 1}]),
]


@pytest.mark.parametrize(("what", "listed"), LISTS, ids=[what for what, _ in LISTS])
def test_a_prompt_of_gemini_cli_that_nobody_typed_has_no_ledger(gemini: GeminiSession, what: str, listed: Any) -> None:  # noqa: ANN401
    gemini.say(ASKING)
    if listed is not None:
        (gemini.folder / "logs.json").write_text(json.dumps(listed))
    assert gemini.end_turn(ASKING) == "", what
    assert gemini.project.names() == []


def test_a_damaged_list_of_gemini_cli_means_that_nobody_typed(gemini: GeminiSession) -> None:
    gemini.say(ASKING)
    (gemini.folder / "logs.json").write_text('[{"sessionId": "s-1"')
    assert gemini.end_turn(ASKING) == ""
    (gemini.folder / "logs.json").unlink()
    (gemini.folder / "logs.json").mkdir()
    assert gemini.end_turn(ASKING) == ""


def compressed(name: str, *kept: str) -> list[dict[str, Any]]:
    """The records that Gemini CLI writes after it has compressed a conversation, and whenever that one is resumed."""
    thanks = {"id": "t1", "type": "gemini", "content": [{"text": "Got it. Thanks for the additional context!"}]}
    snapshot = {"id": "t0", "type": "user", "content": [{"text": "<state_snapshot>"}]}
    messages = [{"id": text, "type": "user", "content": [{"text": text}]} for text in kept]
    return [{"$set": {"sessionId": name}}, {"$set": {"messages": [snapshot, thanks, *messages]}}]


def test_the_first_stop_after_a_compression_of_gemini_cli_asks_and_later_ones_do_not(gemini: GeminiSession) -> None:
    prompts = ["please rename the parser module everywhere", "now go on with the tests", "now the readme too"]
    gemini.say(prompts[0])
    gemini.log(prompts[0])
    assert gemini.end_turn(prompts[0]) == ""
    gemini.write(*compressed("s-1", prompts[0]))
    gemini.say(prompts[1])
    gemini.log(prompts[0], "/compress", prompts[1])
    assert "The conversation was compacted" in gemini.end_turn(prompts[1])
    assert gemini.end_turn("cuecard: ...", is_continued=True) == ""
    # The conversation is taken up again.
    gemini.write(*compressed("s-1", *prompts[:2]))
    gemini.say(prompts[2])
    gemini.log(prompts[0], "/compress", *prompts[1:])
    assert gemini.end_turn(prompts[2]) == ""


def test_the_first_stop_of_gemini_cli_is_not_behind_a_compression(gemini: GeminiSession) -> None:
    gemini.say("please rename the parser module everywhere")
    gemini.log("please rename the parser module everywhere")
    assert gemini.end_turn("please rename the parser module everywhere") == ""
    assert [entry["k"] for entry in gemini.entries()] == ["prompt", "agent"]


def test_a_program_that_goes_on_with_a_session_of_gemini_cli_leaves_nothing_in_its_ledger(
    gemini: GeminiSession,
) -> None:
    typed = ["please rename the parser module everywhere", "remember this: names are never shortened"]
    gemini.say(typed[0])
    gemini.log(typed[0])
    assert gemini.end_turn(typed[0]) == ""
    before = gemini.lines()
    # `gemini --resume ID -p`: the event at the end names no prompt.
    gemini.say(ASKING, "It is noted.")
    assert gemini.end_turn(ASKING) == ""
    gemini.end("SessionEnd", "--host", "gemini")
    assert gemini.lines() == before
    gemini.say(typed[1])
    gemini.log(*typed)
    assert "names are never shortened" in gemini.end_turn(typed[1])
    assert [entry["text"] for entry in gemini.entries() if entry["k"] == "prompt"] == typed
    assert "It is noted." not in json.dumps(gemini.lines())


def turn(trigger: str, prompt: str) -> list[dict[str, Any]]:
    """The records of a turn of Codex."""
    started = {"type": "task_started", "turn_attribution": {"turn_trigger": trigger}}
    typed = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Noted."}]}
    items = [{"type": "response_item", "payload": item} for item in (typed, said)]
    return [{"type": "event_msg", "payload": started}, *items]


def test_a_session_of_codex_that_goes_on_in_exec_is_left_alone_until_a_user_types_again(project: Project) -> None:  # noqa: F811
    session = project.session("s-1")
    meta = {"type": "session_meta", "payload": {"source": "cli", "originator": "codex-tui"}}
    session.write(meta, *turn("user", "please rename the parser module"))
    assert session.stop("--host", "codex").stdout == b""
    before = session.lines()
    session.write(*turn("exec", ASKING))
    assert session.stop("--host", "codex").stdout == b""
    assert session.lines() == before
    session.write(*turn("user", "remember this: names are never shortened"))
    reason = json.loads(session.stop("--host", "codex").stdout)["reason"]
    assert "names are never shortened" in reason
    assert "tests never sleep" not in reason


def test_a_patch_of_codex_edits_each_of_its_files(project: Project) -> None:  # noqa: F811
    session = project.session("s-1")
    patch = "*** Begin Patch\n*** Update File: api/a.py\n@@\n-x\n+y\n*** Move to: web/a.py\n*** Add File: docs/b.md\n+z"
    for number, (kind, members) in enumerate(
        [
            ("custom_tool_call", {"name": "apply_patch", "input": patch}),
            ("function_call", {"name": "shell", "arguments": json.dumps({"command": ["apply_patch", patch]})}),
        ]
    ):
        session.write(
            *turn("user", "please move the parser module"),
            {"type": "response_item", "payload": {"type": kind, "call_id": f"c{number}", **members}},
            {"type": "response_item", "payload": {"type": f"{kind}_output", "call_id": f"c{number}", "output": "Done"}},
        )
        session.stop("--host", "codex")
        edited = [folder for line in session.lines() for folder in line.get("edited", [])]
        assert [Path(folder).name for folder in edited[-3:]] == ["api", "web", "docs"]
        session = project.session(f"s-{number + 2}")


@pytest.mark.parametrize("path", ["/tmp/a\0b", "/tmp/\ud800"])
def test_what_is_no_path_of_a_transcript_is_a_failure_and_no_defect(path: str) -> None:
    with pytest.raises(OSError, match="is no path"):
        open_transcript(path)


class CopilotSession(Session):
    """A session of Copilot CLI, whose events are its transcript."""

    def __init__(self, project: Project, name: str) -> None:  # noqa: F811 - what it is
        super().__init__(project, name)
        self.transcript = project.root.parent / name / "events.jsonl"
        self.transcript.parent.mkdir()
        self.write({"type": "session.start", "data": {"sessionId": name}})

    def ask(self, prompt: str, **members: object) -> None:
        self.write({"type": "user.message", "data": {"content": prompt, **members}})

    def instruct(self, intro: str) -> None:
        """Write the instructions to the model; Copilot CLI writes them after the first prompt that they apply to."""
        content = f"You are the GitHub Copilot CLI, a terminal assistant built by GitHub. {intro}"
        self.write({"type": "system.message", "data": {"role": "system", "content": content}})

    def answer(self, text: str) -> None:
        self.write({"type": "assistant.message", "data": {"content": text, "toolRequests": []}})

    def end_turn(self, *, is_continued: bool = False) -> str:
        """Let the agent come to rest, and return what the hook prints."""
        self.write({"type": "hook.start", "data": {"hookType": "agentStop"}})
        ran = self.stop("--host", "copilot", stop_hook_active=is_continued)
        self.write({"type": "hook.end", "data": {"hookType": "agentStop"}})
        return ran.stdout.decode()

    def close(self) -> None:
        """End the session with an event that names no transcript."""
        event = {"hook_event_name": "SessionEnd", "session_id": self.name, "cwd": str(self.project.root)}
        where, path = self.project.root, self.project.path
        ran = self.project.hook.run(
            "session", "--host", "copilot", stdin=json.dumps(event).encode(), cwd=where, PATH=path
        )
        assert (ran.code, ran.stdout, ran.stderr) == (0, b"", b"")
        self.project.hook.wait_for_background()


IN_A_TERMINAL = "You are an interactive tool that helps users with software engineering tasks."
FOR_A_PROGRAM = "You are running in non-interactive mode and have no way to communicate with the user."


@pytest.fixture
def copilot(project: Project) -> CopilotSession:  # noqa: F811
    return CopilotSession(project, "s-1")


def test_copilot_cli_is_asked_and_its_answer_is_read_in_its_events(copilot: CopilotSession) -> None:
    copilot.ask(ASKING)
    copilot.instruct(IN_A_TERMINAL)
    copilot.answer("Noted.")
    asked = json.loads(copilot.end_turn())
    assert asked["decision"] == "block"
    assert "tests never sleep" in asked["reason"]
    copilot.ask(asked["reason"], delivery="queued")
    copilot.answer("Nothing worth keeping.")
    assert copilot.end_turn(is_continued=True) == ""
    assert [line["how"] for line in copilot.lines() if line["kind"] == "done"] == ["nothing"]
    assert [entry["text"] for entry in copilot.entries()] == [ASKING, "Noted."]


@pytest.mark.parametrize("intro", [FOR_A_PROGRAM, "You review code.", ""])
def test_a_run_of_copilot_cli_that_nobody_may_watch_has_no_ledger(copilot: CopilotSession, intro: str) -> None:
    copilot.ask(ASKING)
    if intro:
        copilot.instruct(intro)
    copilot.answer("Noted.")
    assert copilot.end_turn() == ""
    copilot.close()
    assert copilot.project.names() == []


def test_a_session_of_copilot_cli_that_goes_on_for_a_program_is_left_alone(copilot: CopilotSession) -> None:
    copilot.ask("please rename the parser module everywhere")
    copilot.instruct(IN_A_TERMINAL)
    copilot.answer("Renamed.")
    assert copilot.end_turn() == ""
    copilot.close()
    before = copilot.lines()
    copilot.ask(ASKING)
    copilot.instruct(FOR_A_PROGRAM)
    copilot.answer("Noted.")
    assert copilot.end_turn() == ""
    copilot.close()
    assert copilot.lines() == before
    assert before[-1]["kind"] == "end"
    # The instructions are not written again where they are the same.
    copilot.ask(f"{ASKING} at all")
    copilot.answer("Noted.")
    assert copilot.end_turn() == ""
    copilot.ask("remember this: names are never shortened")
    copilot.instruct(IN_A_TERMINAL)
    copilot.answer("Noted.")
    reason = json.loads(copilot.end_turn())["reason"]
    assert "names are never shortened" in reason
    assert "tests never sleep" not in reason


def test_copilot_cli_is_not_asked_while_it_plans(copilot: CopilotSession) -> None:
    copilot.ask("please rename the parser module everywhere")
    copilot.instruct(IN_A_TERMINAL)
    copilot.answer("Renamed.")
    assert copilot.end_turn() == ""
    copilot.ask(ASKING, agentMode="plan")
    copilot.answer("Noted.")
    assert copilot.end_turn() == ""
    assert ASKING in [entry["text"] for entry in copilot.entries()]


class OpenCodeSession(Session):
    """A session of OpenCode in one terminal: its plugin gives the hook new lines of a transcript, which is no file."""

    def __init__(self, project: Project, name: str, terminal: str) -> None:  # noqa: F811 - what it is
        super().__init__(project, name)
        self.transcript.unlink()
        self.transcript = project.root / f"{name}-{terminal}.jsonl"
        self.text = ""

    def end_turn(self, prompt: str, answer: str = "Done.", *, start: int = -1) -> str:
        """Add a turn, run the hook at its end, and return what it prints.

        The hook gets all lines from the byte `start` on; without `start`, the lines of this turn.
        """
        start = len(self.text) if start < 0 else start
        for kind, said in (("user", prompt), ("assistant", [{"type": "text", "text": answer}])):
            self.text += json.dumps({"type": kind, "message": {"role": kind, "content": said}}) + "\n"
        lines: dict[str, Any] = {"transcript_start": start, "transcript_lines": self.text[start:]}
        return self.stop("--host", "opencode", last_assistant_message=answer, **lines).stdout.decode()


def test_the_messages_of_opencode_come_with_the_event_and_count_once(project: Project) -> None:  # noqa: F811
    session = OpenCodeSession(project, "s-1", "a")
    assert session.end_turn("please rename the parser module everywhere", "Renamed.") == ""
    assert session.end_turn("now add a test for its dates", "Added.") == ""
    # What was handed over before is handed over again, as by a second plugin.
    reason = json.loads(session.end_turn(ASKING, "Noted.", start=0))["reason"]
    assert "tests never sleep" in reason
    # Another terminal counts from the beginning.
    again = OpenCodeSession(project, "s-1", "b")
    assert again.end_turn("and remove the old module as well", "Removed.") == ""
    assert [entry["text"] for entry in again.entries()] == [
        "please rename the parser module everywhere",
        "Renamed.",
        "now add a test for its dates",
        "Added.",
        ASKING,
        "Noted.",
        "and remove the old module as well",
        "Removed.",
    ]
    places = [entry["at"] for entry in again.entries()]
    assert places == sorted(set(places))
    assert list(project.root.parent.glob("**/s-1-*.jsonl")) == []
