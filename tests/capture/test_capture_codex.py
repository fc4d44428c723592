"""A session of ten prompts in a terminal with the real Codex, offline, with a scripted model (`make e2e`).

Runs with `CUECARD_E2E=1` if `codex` is on PATH (npm: `@openai/codex`). No data leaves the machine.
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
from test_hosts_clients import MESSAGE, USAGE, run

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.skipif(shutil.which("codex") is None, reason="`codex` is not on PATH"),
    pytest.mark.skipif(os.name == "nt", reason="the driver needs a POSIX terminal"),
    pytest.mark.timeout(300),
]
LONGEST_END_SECONDS = 20
BYPASS = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")


class Model(ScriptedModel):
    """A server with the Responses protocol."""

    def encode(self, reply: Reply, path: str) -> str:
        item: dict[str, Any] = {**MESSAGE, "content": [{"type": "output_text", "text": reply.text}]}
        if reply.command:
            arguments = json.dumps({"cmd": reply.command})
            item = {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": arguments}
        events = [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": "r", "usage": USAGE}},
        ]
        return "".join([f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events])


class Codex:
    """Codex in a project with one memory, with our hooks."""

    def __init__(self, folder: Path, script: Script) -> None:
        self.machine = Machine(folder)
        self.model = Model(script)
        self.memory = self.machine.project / ".claude" / "memory"
        settings = self.machine.home / ".codex" / "config.toml"
        settings.parent.mkdir()
        provider = {"name": "m", "base_url": f"{self.model.url}/v1", "wire_api": "responses", "env_key": "KEY"}
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
        """Run a session in a terminal in which the prompts are typed."""
        command = [shutil.which("codex") or "", *BYPASS]
        ClientTerminal(command, self.machine.project, self.variables, self.model.asked).type_prompts(prompts)
        # The hook does not wait for the Python that completes the ledger.
        end = time.monotonic() + LONGEST_END_SECONDS
        while time.monotonic() < end and not (self.ledgers() and all('"end"' in text for text in self.ledgers())):
            time.sleep(0.1)

    def ledgers(self, ending: str = ".jsonl") -> list[str]:
        """The texts of all ledgers."""
        return [file.read_text("utf-8") for file in self.machine.home.rglob(f"ledger/*{ending}")]


def test_what_a_session_taught_is_saved_by_its_agent_after_eight_prompts(tmp_path: Path) -> None:
    codex = Codex(tmp_path, [*REPLIES, hand_in(json.dumps(DRAFTS)), "Saved.", "Done.", "Here it is."])
    codex.type_prompts(*PROMPTS)
    assert find_asks(codex.model.asked) == [8]
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
    assert find_asks(codex.model.asked) == []
    assert codex.ledgers() == []
    codex.type_prompts(PROMPTS[0])
    [before] = codex.ledgers()
    codex.execute("resume", "--last", "remember this: tests never sleep, they take the clock")
    assert find_asks(codex.model.asked) == []
    assert len(codex.model.asked) == 3
    entries = [json.loads(line).get("entries", []) for line in codex.ledgers()[0].splitlines()]
    assert [entry["text"] for part in entries for entry in part if entry["k"] == "prompt"] == [PROMPTS[0]]
    assert codex.ledgers()[0].startswith(before)


def test_what_the_editor_adds_is_not_in_the_ledger(tmp_path: Path) -> None:
    codex = Codex(tmp_path, ["Noted.", "Nothing worth keeping."])
    wish = "remember this: tests never sleep, they take the clock"
    context = "# Context from my IDE setup:\n\n## Active file: src/a.py\n\n## Open tabs:\n- b.py: src/b.py\n\n"
    codex.type_prompts(f"{context}## My request for Codex:\n{wish}")
    assert find_asks(codex.model.asked) == [1]
    assert "src/b.py" in codex.model.asked[0]
    entries = [json.loads(line).get("entries", []) for line in codex.ledgers()[0].splitlines()]
    assert [entry["text"] for part in entries for entry in part if entry["k"] == "prompt"] == [wish]
