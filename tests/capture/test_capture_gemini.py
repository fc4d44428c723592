"""A session of ten prompts in a terminal with the real Gemini CLI, offline, with a scripted model (`make e2e`).

Runs with `CUECARD_E2E=1` if `gemini` is on PATH (npm: `@google/gemini-cli`). No data leaves the machine.
"""

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from client_terminal import REPLIES, ClientTerminal, Reply, Script, ScriptedModel, find_asks, hand_in
from host_machine import Machine
from test_capture_client import DRAFTS, PROMPTS
from test_hosts_clients import run

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.skipif(shutil.which("gemini") is None, reason="`gemini` is not on PATH"),
    pytest.mark.skipif(os.name == "nt", reason="the driver needs a POSIX terminal"),
    pytest.mark.timeout(300),
]
OPTIONS = ("--skip-trust", "--approval-mode", "yolo", "-m", "gemini-2.5-pro")
# Without a way to sign in, Gemini CLI asks for one.
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}
# Gemini CLI shows nothing for a while before it reads keys, and shows little while hooks run.
FIRST_SECONDS = 12
QUIET_SECONDS = 3
LONGEST_WAIT_SECONDS = 60
REMEMBER = "remember this: tests never sleep, they take the clock"


class Model(ScriptedModel):
    """A server with the protocol of the Gemini API."""

    def encode(self, reply: Reply, path: str) -> str:
        part: dict[str, Any] = {"text": reply.text}
        if reply.command:
            part = {"functionCall": {"name": "run_shell_command", "args": {"command": reply.command}}}
        # A conversation that is said to be short is not compressed.
        counts = {"promptTokenCount": 100_000, "candidatesTokenCount": 1, "totalTokenCount": 100_001}
        content = {"role": "model", "parts": [part]}
        answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": counts}
        return f"data: {json.dumps(answer)}\r\n\r\n" if "stream" in path else json.dumps(answer)


class Gemini:
    """Gemini CLI in a project with one memory, with our hooks."""

    def __init__(self, folder: Path, script: Script) -> None:
        self.machine = Machine(folder)
        self.model = Model(script)
        self.memory = self.machine.project / ".claude" / "memory"
        settings = self.machine.home / ".gemini" / "settings.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps(SETTINGS))
        self.machine.document("install", "gemini")

    @property
    def variables(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        server = {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": self.model.url}
        return {"PATH": path, "TERM": "xterm-256color", "CUECARD_LOG": "off", **server, **self.machine.variables}

    def execute(self, *arguments: str) -> None:
        """Run `gemini -p`."""
        run(self.machine, "gemini", *OPTIONS, *arguments, **self.variables)

    def type_prompts(self, *prompts: str) -> None:
        """Run a session in a terminal in which the prompts are typed."""
        command = [shutil.which("gemini") or "", *OPTIONS]
        terminal = ClientTerminal(command, self.machine.project, self.variables, self.model.asked)
        terminal.quiet_seconds, terminal.first_seconds = QUIET_SECONDS, FIRST_SECONDS
        terminal.type_prompts(prompts)

    @property
    def ledgers(self) -> list[list[dict[str, Any]]]:
        """The lines of all ledgers."""
        files = self.machine.home.rglob("ledger/*.jsonl")
        return [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]

    def ended_ledgers(self) -> list[list[dict[str, Any]]]:
        """The lines of all ledgers, once each session has ended: the client does not wait for that."""
        until = time.monotonic() + LONGEST_WAIT_SECONDS
        while not (found := self.ledgers) or any(lines[-1]["kind"] != "end" for lines in found):
            assert time.monotonic() < until, "a ledger has no end"
            time.sleep(0.1)
        return found

    @property
    def typed(self) -> list[str]:
        """The prompts in all ledgers."""
        entries = [entry for lines in self.ledgers for line in lines for entry in line.get("entries", [])]
        return [entry["text"] for entry in entries if entry["k"] == "prompt"]


def test_what_a_session_taught_is_saved_by_its_agent_after_eight_prompts(tmp_path: Path) -> None:
    gemini = Gemini(tmp_path, [*REPLIES, hand_in(json.dumps(DRAFTS)), "Saved.", "Done.", "Here it is."])
    gemini.type_prompts(*PROMPTS)
    assert find_asks(gemini.model.asked) == [8]
    assert PROMPTS[5] in gemini.model.asked[8]
    saved = {
        path.parent.name: json.loads(path.read_text("utf-8"))
        for path in gemini.memory.glob("*/*.json")
        if path.stem != "jwt"
    }
    for folder, proposed in zip(("preferences", "constraints", "runbooks"), DRAFTS, strict=True):
        assert saved[folder]["title"] == proposed["partial_content"]["title"]
        assert saved[folder]["cuecard"]["questions"]
        assert saved[folder]["cuecard"]["evidence"]
    [lines] = gemini.ledgers
    assert [line["how"] for line in lines if line["kind"] == "done"] == ["drafts"]
    assert gemini.typed == list(PROMPTS)
    [lines] = gemini.ended_ledgers()
    assert lines[-1]["kind"] == "end"


def test_a_run_for_a_program_is_left_alone_also_in_a_session_of_a_terminal(tmp_path: Path) -> None:
    gemini = Gemini(tmp_path, [])
    gemini.execute("-p", REMEMBER)
    assert len(gemini.model.asked) == 1
    assert find_asks(gemini.model.asked) == []
    assert gemini.ledgers == []
    gemini.type_prompts(PROMPTS[0])
    before = gemini.ended_ledgers()
    gemini.execute("--resume", "latest", "-p", REMEMBER)
    assert find_asks(gemini.model.asked) == []
    assert len(gemini.model.asked) == 3
    assert PROMPTS[0] in gemini.model.asked[2]
    assert gemini.ledgers == before
    assert gemini.typed == [PROMPTS[0]]


def test_the_first_stop_after_a_compression_asks(tmp_path: Path) -> None:
    script = ["Written.", "Added.", "Done.", "I went on.", "Nothing worth keeping."]
    gemini = Gemini(tmp_path, [*script])
    gemini.type_prompts(*PROMPTS[:3], "/compress", "go on with the parser now")
    assert find_asks(gemini.model.asked) == [4]
    [lines] = gemini.ledgers
    assert [line["cause"] for line in lines if line["kind"] == "ask"] == ["compaction"]
    assert [line["how"] for line in lines if line["kind"] == "done"] == ["nothing"]


def test_a_file_that_the_prompt_names_is_not_in_the_ledger(tmp_path: Path) -> None:
    gemini = Gemini(tmp_path, ["Noted.", "Nothing worth keeping."])
    (gemini.machine.project / "rules.md").write_text("remember this: the text of a file was not typed\n")
    gemini.type_prompts(f"{REMEMBER} and see @rules.md for more")
    assert "the text of a file was not typed" in gemini.model.asked[0]
    assert find_asks(gemini.model.asked) == [1]
    assert gemini.typed == [f"{REMEMBER} and see @rules.md for more"]
