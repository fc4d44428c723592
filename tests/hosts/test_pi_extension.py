"""What the extension of pi hands to the hook, with events in the form of pi 1.6.0."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from cuecard.capture.ledger.entries import Batch, read_batch
from cuecard.capture.ledger.ledger_lines import Ledger
from host_machine import Machine

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

WISH = "remember this: tests never sleep"
# It notes what it is sent, fails once if there is a file `failure` in its folder, and answers each stop with what
# `answer` there says.
HOOK = """
import json, pathlib, sys
folder = pathlib.Path(__file__).parent
with (folder / "sent").open("a") as file:
    file.write(json.dumps([sys.argv[1], json.loads(sys.stdin.read())]) + "\\n")
if (folder / "failure").exists():
    (folder / "failure").unlink()
    sys.exit(1)
if sys.argv[1] == "stop" and (folder / "answer").exists():
    print((folder / "answer").read_text())
    (folder / "answer").unlink()
"""
RUN = """
import begin from FILE
const handlers = {}
let measured = 0
const measure = Buffer.byteLength
Buffer.byteLength = (text, ...more) => ((measured += text.length), measure(text, ...more))
begin({ on: (name, handler) => (handlers[name] = handler) })
const ctx = { mode: MODE, cwd: "/project", sessionManager: { getSessionId: () => "s-1" } }
const answers = []
for (const [name, event] of EVENTS)
  if (name === "mode") ctx.mode = event
  else answers.push((await handlers[name](event, ctx)) ?? null)
console.log(JSON.stringify({ answers, measured }))
"""
Event = tuple[str, Any]


def typed(text: str, source: str = "interactive") -> Event:
    return "input", {"text": text, "source": source}


def message(role: str, content: object, **more: object) -> Event:
    return "message_end", {"message": {"role": role, "content": content, **more}}


def said(text: str, *calls: dict[str, Any]) -> Event:
    return message("assistant", [{"type": "text", "text": text}, *calls])


def call(name: str, **given: object) -> dict[str, Any]:
    return {"type": "toolCall", "id": f"call-{name}", "name": name, "arguments": given}


STOP: Event = ("agent_before_settle", {"entries": []})
END: Event = ("session_shutdown", {"reason": "quit"})


class Pi:
    """The extension of pi with a hook of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(folder)
        self.folder = folder
        # How much text the extension has measured.
        self.measured = 0
        text = Path(self.machine.document("install", "pi")["file"]).read_text()
        command = next(line for line in text.splitlines() if line.startswith("const command = "))
        own = [sys.executable, str(folder / "hook.py"), "prompt", "--host", "pi"]
        (folder / "hook.py").write_text(HOOK)
        # Node reads a `.mjs` file as a module.
        (folder / "extension.mjs").write_text(text.replace(command, f"const command = {json.dumps(own)}"))

    def play(self, *events: Event, mode: str = "tui") -> list[Any]:
        """Send the events, and return what the extension answers to each."""
        text = RUN
        filled = {"FILE": str(self.folder / "extension.mjs"), "MODE": mode, "EVENTS": events}
        for name, value in filled.items():
            text = text.replace(name, json.dumps(value))
        script = self.folder / "run.mjs"
        script.write_text(text)
        played = json.loads(self.machine.ask([str(shutil.which("node")), str(script)], {}))
        self.measured = played["measured"]
        return list(played["answers"])

    def sent(self, verb: str) -> list[dict[str, Any]]:
        """The events of a verb that the hook got."""
        file = self.folder / "sent"
        lines = file.read_text().splitlines() if file.exists() else []
        return [payload for name, payload in map(json.loads, lines) if name == verb]

    def entries(self, verb: str = "stop") -> list[dict[str, Any]]:
        """The entries of a ledger that are made of the lines of all events of a verb."""
        lines = "".join([payload["transcript_lines"] for payload in self.sent(verb)]).encode().splitlines()
        return read_batch(Batch(Ledger(), "s-1", list(enumerate(lines)), len(lines), str)).entries


def prompts_of(pi: Pi) -> list[str]:
    """The prompts in the lines of all stops."""
    return [entry["text"] for entry in pi.entries() if entry["k"] == "prompt"]


@pytest.fixture
def pi(tmp_path: Path) -> Pi:
    return Pi(tmp_path)


def test_what_was_typed_said_and_done_is_handed_over_once(pi: Pi) -> None:
    failed = message("toolResult", [{"type": "text", "text": "no"}], toolCallId="call-bash", isError=True)
    edit = call("edit", path="/project/a.txt", edits=[{"oldText": "a", "newText": "b"}])
    back = call("edit", path="/project/a.txt", edits=[{"oldText": "b", "newText": "a"}])
    done = message("toolResult", [{"type": "text", "text": "ok"}], toolCallId="call-edit", isError=False)
    pi.play(
        typed("write a parser"), said("I try.", call("bash", command="make")), failed, said("Written."), STOP,
        typed(WISH), said("", edit), done, said("", back), done, ("session_compact", {}), said("Noted."), STOP, STOP,
    )  # fmt: skip
    first, second = pi.sent("stop")
    assert first["transcript_start"] == 0
    assert second["transcript_start"] == len(first["transcript_lines"].encode())
    assert first["transcript_path"] == second["transcript_path"]
    assert (first["session_id"], first["cwd"], first["stop_hook_active"]) == ("s-1", "/project", False)
    told = [(entry["k"], entry.get("text") or entry.get("command") or entry.get("file")) for entry in pi.entries()]
    assert ("prompt", "write a parser") in told
    assert ("failed", "make") in told
    assert ("reverted", "/project/a.txt") in told
    assert ("prompt", WISH) in told
    assert [kind for kind, _ in told].count("compaction") == 1
    assert [payload["hook_event_name"] for payload in pi.sent("session")] == ["PostCompact"]


def test_the_agent_goes_on_with_a_request_and_the_next_stop_says_so(pi: Pi) -> None:
    (pi.folder / "answer").write_text(json.dumps({"decision": "block", "reason": "cuecard: before you stop, x"}))
    answers = pi.play(typed(WISH), said("Noted."), STOP, said("Nothing worth keeping."), STOP)
    [asked] = [answer for answer in answers if answer]
    assert asked["continue"] is True
    [entry] = asked["entries"]
    assert (entry["type"], entry["content"]) == ("custom_message", "cuecard: before you stop, x")
    assert [payload["stop_hook_active"] for payload in pi.sent("stop")] == [False, True]


@pytest.mark.parametrize("source", ["rpc", "extension", "another", ""])
def test_what_another_source_sends_was_not_typed(pi: Pi, source: str) -> None:
    start: Event = ("before_agent_start", {"prompt": WISH, "messageType": "user"})
    pi.play(typed(WISH, source), start, said("Noted."), STOP)
    assert [entry["k"] for entry in pi.entries()] == ["agent"]
    assert [payload["source"] for payload in pi.sent("prompt")] == ["sdk"]


@pytest.mark.parametrize("mode", ["print", "rpc", "json"])
def test_without_a_terminal_nothing_is_handed_over(pi: Pi, mode: str) -> None:
    pi.play(typed(WISH), said("Noted."), STOP, END, mode=mode)
    assert pi.sent("stop") == pi.sent("session") == []


@pytest.mark.parametrize("mode", ["print", "rpc", "json"])
def test_without_a_terminal_nothing_is_kept(pi: Pi, mode: str) -> None:
    done = message("toolResult", "done", toolCallId="a")
    aborted: Event = ("agent_settled", {"aborted": True})
    pi.play(typed(WISH), said("Noted."), done, ("session_compact", {}), aborted, STOP, ("mode", "tui"), STOP, mode=mode)
    assert pi.measured == 0
    assert pi.sent("stop") == []


def test_files_in_front_of_a_prompt_were_not_typed(pi: Pi) -> None:
    files = '<file name="/project/a.md">\nremember this: a\n</file>\n<file name="b">\nb\n</file>\n'
    pi.play(typed(f"{files}see <file name> there"), typed(files), STOP)
    assert [entry["text"] for entry in pi.entries() if entry["k"] == "prompt"] == ["see <file name> there"]


def test_words_between_the_ends_of_files_were_typed(pi: Pi) -> None:
    words = "why does it print </file> twice"
    pi.play(typed(f'<file name="/project/a.md">\na\n</file>\n{words}'), STOP)
    assert prompts_of(pi) == [words]


def test_the_end_of_a_session_brings_what_no_stop_has(pi: Pi) -> None:
    pi.play(typed(WISH), said("I beg"), ("agent_settled", {"aborted": True}), END)
    assert [payload["hook_event_name"] for payload in pi.sent("session")] == ["SessionEnd"]
    assert [entry["text"] for entry in pi.entries("session") if entry["k"] == "prompt"] == [WISH]
    assert "[Request interrupted" in pi.sent("session")[0]["transcript_lines"]


def test_messages_of_wrong_types_and_huge_ones_do_no_harm(pi: Pi) -> None:
    huge = "word " * 400_000
    odd = [message("assistant", content) for content in (None, 7, [], [None, 7, {"type": "text"}], {"type": "text"})]
    wrong: list[Any] = [None, 7, [], {"edits": 7}, {"edits": [None]}, {"edits": [7]}]
    names: list[Any] = [None, 7, {}, "constructor", "toString", "__proto__"]
    calls = [said("x", {"type": "toolCall", "name": "edit", "arguments": given}) for given in wrong]
    calls += [said("x", {"type": "toolCall", "name": name, "arguments": {}}) for name in names]
    results = [message("toolResult", content) for content in (None, "text", [{"type": "image"}])]
    many = [said(huge, call("write", path="a", content=huge), call("other", id=huge)) for _ in range(20)]
    pi.play(typed(huge), *odd, *calls, *results, message("custom", huge), *many, typed(WISH), STOP)
    [stop] = pi.sent("stop")
    assert len(stop["transcript_lines"].encode()) <= 400_000
    assert stop["transcript_start"] > 0
    assert prompts_of(pi)[1:] == [WISH]


def test_a_long_turn_keeps_the_prompt_that_began_it(pi: Pi) -> None:
    done = [said("x" * 9_000), message("toolResult", "y" * 5_000, toolCallId="a")] * 100
    pi.play(typed(WISH), *done, typed("go on with the parser now"), *done, said("Noted."), STOP)
    assert prompts_of(pi) == [WISH, "go on with the parser now"]
    [stop] = pi.sent("stop")
    lines = stop["transcript_lines"]
    assert len(lines) <= 400_000
    assert "Noted." in lines
    # Each line is measured once, also where many are dropped.
    assert pi.measured == stop["transcript_start"] + len(lines)


def test_one_huge_message_takes_the_place_of_no_other(pi: Pi) -> None:
    write = call("write", path="a", content="word " * 4_000)
    pi.play(typed(WISH), said("I begin."), said("", *[write] * 30), said("Noted."), STOP)
    assert [entry.get("text") for entry in pi.entries()] == [WISH, "I begin.\nNoted."]


def test_a_hook_that_fails_gets_the_lines_again(pi: Pi) -> None:
    (pi.folder / "failure").touch()
    pi.play(typed(WISH), said("Noted."), STOP, typed("go on with the parser now"), STOP, typed("more"), STOP)
    first, again, last = pi.sent("stop")
    assert (first["transcript_start"], again["transcript_start"]) == (0, 0)
    assert again["transcript_lines"].startswith(first["transcript_lines"])
    assert "go on with the parser now" in again["transcript_lines"]
    assert last["transcript_start"] == len(again["transcript_lines"])
    assert WISH not in last["transcript_lines"]


def test_without_its_hook_the_extension_does_no_harm(pi: Pi) -> None:
    (pi.folder / "hook.py").unlink()
    start: Event = ("before_agent_start", {"prompt": WISH, "messageType": "user"})
    assert pi.play(typed(WISH), start, said("Noted."), STOP, END) == [None] * 5
