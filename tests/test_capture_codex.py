"""A session of ten prompts in a terminal with the real Codex, offline, with a scripted model (`make e2e`).

Runs with `CUECARD_E2E=1` if `codex` is on PATH (npm: `@openai/codex`). No data leaves the machine.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import threading
import time
from contextlib import suppress
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from host_machine import Machine
from test_capture_client import DRAFTS, PROMPTS
from test_hosts_clients import MESSAGE, USAGE, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.skipif(shutil.which("codex") is None, reason="`codex` is not on PATH"),
    pytest.mark.skipif(os.name == "nt", reason="the driver needs a POSIX terminal"),
    pytest.mark.timeout(300),
]
ASK = "cuecard: before you stop"
COMMAND = re.compile(r"(\S*cuecard'? capture commit .*) <<'CUECARD'")
QUIET_SECONDS = 1.5
LONGEST_TURN_SECONDS = 40
# Codex sends these queries to the terminal, and waits for the answers.
ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b]10;?": b"\x1b]10;rgb:ff/ff/ff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:00/00/00\x1b\\",
    b"\x1b[c": b"\x1b[?62;c",
}
REPLIES = [
    "Written.",
    "Added.",
    "Sorry, the clock is passed in now.",
    "All of them pass.",
    "Sorry, one place was left out. Renamed everywhere.",
    "You are right, amounts are cents now.",
    "Added.",
    "The imports and the names.",
]
BYPASS = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")


class Model:
    """A server with the Responses protocol that plays replies.

    A reply is a text, or a function that makes a command from the text of the request.
    """

    def __init__(self, replies: list[str | Callable[[str], str]]) -> None:
        """Start the server; its address is `url`."""
        self.asked: list[str] = []
        left = list(replies)
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.send_error(404)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                request = json.loads(body)
                said = unescape("\n".join(texts(request)))
                reply: str | Callable[[str], str] = "A title."
                # A request without tools asks for a title.
                if request.get("tools"):
                    model.asked.append(said)
                    reply = left.pop(0) if left else "Done."
                item = message(reply) if isinstance(reply, str) else call(reply(said))
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                events = [
                    {"type": "response.created", "response": {"id": "r"}},
                    {"type": "response.output_item.done", "item": item},
                    {"type": "response.completed", "response": {"id": "r", "usage": USAGE}},
                ]
                for event in events:
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def asks(self) -> list[int]:
        """The numbers of the requests to the model that have one more request of the hook than the request before."""
        counts = [0, *[said.count(ASK) for said in self.asked]]
        return [place for place, (before, after) in enumerate(pairwise(counts)) if after > before]


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(inner)


def message(text: str) -> dict[str, Any]:
    return {**MESSAGE, "content": [{"type": "output_text", "text": text}]}


def call(command: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": json.dumps({"cmd": command})}


def hand_in(said: str) -> str:
    """The command that the hook's request in `said` names, with the drafts as its input."""
    found = COMMAND.search(said)
    assert found, said[-2000:]
    return f"{found[1]} <<'CUECARD'\n{json.dumps(DRAFTS)}\nCUECARD"


class Codex:
    """Codex in a project with one memory, with our hooks."""

    def __init__(self, folder: Path, replies: list[str | Callable[[str], str]]) -> None:
        self.machine = Machine(folder)
        self.model = Model(replies)
        self.memory = self.machine.project / ".claude" / "memory"
        settings = self.machine.home / ".codex" / "config.toml"
        settings.parent.mkdir()
        provider = {"name": "m", "base_url": self.model.url, "wire_api": "responses", "env_key": "KEY"}
        lines = [f"{name} = {json.dumps(value)}" for name, value in provider.items()]
        head = ['model = "m"', 'model_provider = "m"', "check_for_update_on_startup = false"]
        trusted = [f"[projects.{json.dumps(str(self.machine.project))}]", 'trust_level = "trusted"']
        settings.write_text("\n".join([*head, "[model_providers.m]", *lines, *trusted]) + "\n")
        self.machine.document("install", "codex")

    @property
    def variables(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "KEY": "x", "TERM": "xterm-256color", "CUECARD_LOG": "off", **self.machine.variables}

    def execute(self, *arguments: str) -> None:
        """Run `codex exec`."""
        run(self.machine, "codex", "exec", *BYPASS, "--skip-git-repo-check", *arguments, **self.variables)

    def type_prompts(self, *prompts: str) -> None:
        """Run a session in a terminal; each prompt is typed when the client has been silent for a while."""
        import pty  # noqa: PLC0415 - no such module on Windows

        program = shutil.which("codex") or ""
        pid, handle = pty.fork()
        if pid == 0:
            os.chdir(self.machine.project)
            os.execve(program, [program, *BYPASS], self.variables)
        try:
            self._wait(handle, 0)
            for prompt in prompts:
                before = len(self.model.asked)
                for char in prompt:
                    os.write(handle, char.encode())
                    time.sleep(0.01)
                # Codex takes text that arrives at once as pasted text, and then takes the Enter key as pasted, too.
                time.sleep(0.5)
                os.write(handle, b"\r")
                self._wait(handle, before + 1)
            for key in "/quit":
                os.write(handle, key.encode())
                time.sleep(0.05)
            time.sleep(0.5)
            os.write(handle, b"\r")
            self._wait(handle, 0)
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(handle)

    def _wait(self, handle: int, requests: int) -> None:
        """Read until the client has sent `requests` requests, and neither output nor a request came for a while."""
        import select  # noqa: PLC0415 - as above

        end, quiet_since, seen = time.monotonic() + LONGEST_TURN_SECONDS, time.monotonic(), -1
        while time.monotonic() < end and time.monotonic() - quiet_since < QUIET_SECONDS:
            if select.select([handle], [], [], 0.1)[0]:
                try:
                    data = os.read(handle, 1 << 16)
                except OSError:
                    return
                for question, answer in ANSWERS.items():
                    if question in data:
                        os.write(handle, answer)
                quiet_since = time.monotonic()
            if len(self.model.asked) != seen or seen < requests:
                seen, quiet_since = len(self.model.asked), time.monotonic()

    def ledgers(self, ending: str = ".jsonl") -> list[str]:
        """The texts of all ledgers."""
        return [file.read_text("utf-8") for file in self.machine.home.rglob(f"ledger/*{ending}")]


def test_what_a_session_taught_is_saved_by_its_agent_after_eight_prompts(tmp_path: Path) -> None:
    codex = Codex(tmp_path, [*REPLIES, hand_in, "Saved.", "Done.", "Here it is."])
    codex.type_prompts(*PROMPTS)
    assert codex.model.asks == [8]
    assert PROMPTS[5] in codex.model.asked[8]
    saved = {
        path.parent.name: json.loads(path.read_text("utf-8"))
        for path in codex.memory.glob("*/*.json")
        if path.stem != "jwt"
    }
    for folder, proposed in zip(("preferences", "constraints", "runbooks"), DRAFTS, strict=True):
        assert saved[folder]["title"] == proposed["partial_content"]["title"]
        assert saved[folder]["cuecard"]["questions"]
        assert saved[folder]["cuecard"]["evidence"]
    [ledger] = codex.ledgers()
    lines = [json.loads(line) for line in ledger.splitlines()]
    assert [line["how"] for line in lines if line["kind"] == "done"] == ["drafts"]
    typed = [entry["text"] for line in lines for entry in line.get("entries", []) if entry["k"] == "prompt"]
    assert typed == list(PROMPTS)
    assert lines[-1]["kind"] == "end"


def test_a_run_for_a_program_is_left_alone_also_in_a_session_of_a_terminal(tmp_path: Path) -> None:
    codex = Codex(tmp_path, [])
    codex.execute("remember this: tests never sleep, they take the clock")
    assert codex.model.asks == []
    assert codex.ledgers() == []
    codex.type_prompts(PROMPTS[0])
    [before] = codex.ledgers()
    codex.execute("resume", "--last", "remember this: tests never sleep, they take the clock")
    assert codex.model.asks == []
    assert len(codex.model.asked) == 3
    entries = [json.loads(line).get("entries", []) for line in codex.ledgers()[0].splitlines()]
    assert [entry["text"] for part in entries for entry in part if entry["k"] == "prompt"] == [PROMPTS[0]]
    assert codex.ledgers()[0].startswith(before)
