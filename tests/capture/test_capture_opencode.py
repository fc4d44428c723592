"""A session in a terminal with the real OpenCode, offline, with a scripted model (`make e2e`).

Runs with `CUECARD_E2E=1` if `opencode` is on PATH (npm: `opencode-ai`). No data leaves the machine.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from client_terminal import REPLIES, ClientTerminal, Script, find_asks, hand_in
from host_machine import Machine
from test_capture_client import DRAFTS, PROMPTS
from test_capture_copilot import REMEMBER, Model
from test_hosts_clients import run

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.skipif(shutil.which("opencode") is None, reason="`opencode` is not on PATH"),
    pytest.mark.skipif(os.name == "nt", reason="the driver needs a POSIX terminal"),
    pytest.mark.timeout(400),
]
# Without a network, OpenCode takes up to two minutes before it reads keys.
FIRST_SECONDS = 100
QUIET_SECONDS = 3


class OpenCode:
    """OpenCode in a project with one memory, with our plugin."""

    def __init__(self, folder: Path, script: Script) -> None:
        self.machine = Machine(folder)
        self.model = Model(script)
        self.memory = self.machine.project / ".claude" / "memory"
        settings = self.machine.home / ".config" / "opencode" / "opencode.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        name = "anthropic/claude-sonnet-4-5"
        provider = {"anthropic": {"options": {"baseURL": f"{self.model.url}/v1", "apiKey": "x"}}}
        content = {"model": name, "small_model": name, "autoupdate": False, "provider": provider}
        settings.write_text(json.dumps(content))
        self.machine.document("install", "opencode")

    @property
    def variables(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "TERM": "xterm-256color", "CUECARD_LOG": "off", **self.machine.variables}

    def type_prompts(self, *prompts: str, options: tuple[str, ...] = ()) -> None:
        """Run a session in a terminal in which the prompts are typed."""
        command = [shutil.which("opencode") or "", *options]
        terminal = ClientTerminal(command, self.machine.project, self.variables, self.model.asked)
        terminal.quiet_seconds, terminal.first_seconds = QUIET_SECONDS, FIRST_SECONDS
        terminal.type_prompts(prompts, quits="/exit")

    @property
    def ledgers(self) -> list[list[dict[str, Any]]]:
        """The lines of all ledgers."""
        files = self.machine.home.rglob("ledger/*.jsonl")
        return [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]


def texts_of(lines: list[dict[str, Any]], kind: str) -> list[str]:
    return [entry["text"] for line in lines for entry in line.get("entries", []) if entry["k"] == kind]


def test_what_a_session_taught_is_saved_by_its_agent_after_eight_prompts(tmp_path: Path) -> None:
    opencode = OpenCode(tmp_path, [*REPLIES, hand_in(json.dumps(DRAFTS)), "Saved.", "Done.", "Here it is."])
    opencode.type_prompts(*PROMPTS)
    assert find_asks(opencode.model.asked) == [8]
    saved = {path.parent.name for path in opencode.memory.glob("*/*.json") if path.stem != "jwt"}
    assert saved == {"preferences", "constraints", "runbooks"}
    [lines] = opencode.ledgers
    assert [line["how"] for line in lines if line["kind"] == "done"] == ["drafts"]
    assert texts_of(lines, "prompt") == list(PROMPTS)
    assert texts_of(lines, "agent") == [*REPLIES, "Done.", "Here it is."]
    assert lines[-1]["kind"] == "end"


def test_a_run_for_a_program_is_left_alone(tmp_path: Path) -> None:
    opencode = OpenCode(tmp_path, [])
    run(opencode.machine, "opencode", "run", REMEMBER, **opencode.variables)
    assert len(opencode.model.asked) == 1
    assert opencode.ledgers == []


def test_the_first_stop_after_a_compaction_asks(tmp_path: Path) -> None:
    opencode = OpenCode(tmp_path, [])
    opencode.type_prompts(*PROMPTS[:2], "/compact", PROMPTS[3])
    [lines] = opencode.ledgers
    assert [line["cause"] for line in lines if line["kind"] == "ask"] == ["compaction"]
    assert texts_of(lines, "prompt") == [*PROMPTS[:2], PROMPTS[3]]


def test_plan_mode_is_left_alone(tmp_path: Path) -> None:
    opencode = OpenCode(tmp_path, [])
    opencode.type_prompts(REMEMBER, options=("--agent", "plan"))
    assert find_asks(opencode.model.asked) == []
    [lines] = opencode.ledgers
    assert texts_of(lines, "prompt") == [REMEMBER]
