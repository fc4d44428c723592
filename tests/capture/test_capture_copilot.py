"""A session of ten prompts in a terminal with the real Copilot CLI, offline, with a scripted model (`make e2e`).

Runs with `CUECARD_E2E=1` if `copilot` is on PATH (npm: `@github/copilot`). No data leaves the machine.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from client_terminal import REPLIES, ClientTerminal, Reply, Script, ScriptedModel, find_asks, hand_in
from host_machine import Machine
from test_capture_client import DRAFTS, PROMPTS
from test_hosts_clients import MESSAGE, USAGE, run

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.skipif(shutil.which("copilot") is None, reason="`copilot` is not on PATH"),
    pytest.mark.skipif(os.name == "nt", reason="the driver needs a POSIX terminal"),
    pytest.mark.timeout(300),
]
REMEMBER = "remember this: tests never sleep, they take the clock"
# Copilot CLI loads its hooks before it reads keys.
FIRST_SECONDS = 12
PLAN = "--plan"


class Model(ScriptedModel):
    """A server with the Messages protocol."""

    def encode(self, reply: Reply, path: str) -> str:
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": reply.text}
        if reply.command:
            given = {"command": reply.command, "description": "hand in the drafts"}
            block = {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
        reason = "tool_use" if reply.command else "end_turn"
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**MESSAGE, "model": "m", "content": [], "usage": USAGE}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": USAGE},
            {"type": "message_stop"},
        ]
        return "".join([f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events])


class Copilot:
    """Copilot CLI in a project with one memory, with our hooks."""

    def __init__(self, folder: Path, script: Script) -> None:
        self.machine = Machine(folder)
        self.model = Model(script)
        self.memory = self.machine.project / ".claude" / "memory"
        settings = self.machine.home / ".copilot" / "config.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps({"trustedFolders": [str(self.machine.project)]}))
        self.machine.document("install", "copilot")

    @property
    def variables(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        provider = {"BASE_URL": self.model.url, "TYPE": "anthropic", "API_KEY": "x"}
        server = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
        server |= {"COPILOT_OFFLINE": "true", "COPILOT_MODEL": "claude-sonnet-4.5", "COPILOT_AUTO_UPDATE": "false"}
        return {"PATH": path, "TERM": "xterm-256color", "CUECARD_LOG": "off", **server, **self.machine.variables}

    def execute(self, *arguments: str) -> None:
        """Run `copilot -p`."""
        run(self.machine, "copilot", *arguments, **self.variables)

    def type_prompts(self, *prompts: str, options: tuple[str, ...] = ()) -> None:
        """Run a session in a terminal in which the prompts are typed."""
        command = [shutil.which("copilot") or "", "--allow-all", *options]
        terminal = ClientTerminal(command, self.machine.project, self.variables, self.model.asked)
        terminal.first_seconds = FIRST_SECONDS
        terminal.type_prompts(prompts, quits="/exit")

    @property
    def ledgers(self) -> list[list[dict[str, Any]]]:
        """The lines of all ledgers."""
        files = self.machine.home.rglob("ledger/*.jsonl")
        return [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The entries of all ledgers."""
        return [entry for lines in self.ledgers for line in lines for entry in line.get("entries", [])]


def texts_of(copilot: Copilot, kind: str) -> list[str]:
    return [entry["text"] for entry in copilot.entries if entry["k"] == kind]


def test_what_a_session_taught_is_saved_by_its_agent_after_eight_prompts(tmp_path: Path) -> None:
    copilot = Copilot(tmp_path, [*REPLIES, hand_in(json.dumps(DRAFTS)), "Saved.", "Done.", "Here it is."])
    copilot.type_prompts(*PROMPTS)
    assert find_asks(copilot.model.asked) == [8]
    assert PROMPTS[5] in copilot.model.asked[8]
    saved = {
        path.parent.name: json.loads(path.read_text("utf-8"))
        for path in copilot.memory.glob("*/*.json")
        if path.stem != "jwt"
    }
    for folder, proposed in zip(("preferences", "constraints", "runbooks"), DRAFTS, strict=True):
        assert saved[folder]["title"] == proposed["partial_content"]["title"]
        assert saved[folder]["cuecard"]["questions"]
        assert saved[folder]["cuecard"]["evidence"]
    [lines] = copilot.ledgers
    assert [line["how"] for line in lines if line["kind"] == "done"] == ["drafts"]
    assert texts_of(copilot, "prompt") == list(PROMPTS)
    # The client writes the agent's last message while the hook runs; the answer to the ask is none of the work.
    assert texts_of(copilot, "agent") == [*REPLIES, "Done.", "Here it is."]
    assert lines[-1]["kind"] == "end"


def test_the_first_stop_after_a_compaction_asks(tmp_path: Path) -> None:
    copilot = Copilot(tmp_path, [])
    copilot.type_prompts(*PROMPTS[:2], "/compact", PROMPTS[3])
    [lines] = copilot.ledgers
    assert [line["cause"] for line in lines if line["kind"] == "ask"] == ["compaction"]
    assert len(find_asks(copilot.model.asked)) == 1


def test_a_run_for_a_program_is_left_alone_also_in_a_session_of_a_terminal(tmp_path: Path) -> None:
    copilot = Copilot(tmp_path, [])
    copilot.execute("-p", REMEMBER)
    assert len(copilot.model.asked) == 1
    assert copilot.ledgers == []
    copilot.type_prompts(PROMPTS[0])
    [before] = copilot.ledgers
    copilot.execute("--continue", "-p", REMEMBER)
    copilot.execute("--continue", "-p", REMEMBER)
    assert len(copilot.model.asked) == 4
    assert find_asks(copilot.model.asked) == []
    assert copilot.ledgers == [before]
    # The user takes the session up again, and what the program asked is none of it.
    copilot.type_prompts(PROMPTS[1], options=("--continue",))
    assert texts_of(copilot, "prompt") == list(PROMPTS[:2])


def test_plan_mode_is_left_alone(tmp_path: Path) -> None:
    copilot = Copilot(tmp_path, [])
    copilot.type_prompts(REMEMBER, options=(PLAN,))
    assert find_asks(copilot.model.asked) == []
    assert texts_of(copilot, "prompt") == [REMEMBER]
