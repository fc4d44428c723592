"""Prompts, tools and subagents inside the real clients, against a scripted model.

The tests run only with `CUECARD_E2E=1`, for the clients that are on PATH. No data leaves the machine.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuecard.hosts.features import wired_features
from host_clients import RUNS
from host_machine import BLOCK, PROMPT, Machine
from scripted_model import Reply, ScriptedModel, walk

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.timeout(900),
]
PLANTED = ".claude/memory/decisions/planted.json"
FILE = "src/pay.py"
ANCHORED, HELP = "Amounts are integers of cents", "Renew an expired TLS certificate"
MEMORIES: dict[str, dict[str, object]] = {
    "constraints/cents.json": {"title": ANCHORED, "category": "constraint", "related_files": [FILE], "tags": []},
    "runbooks/certbot.json": {
        "title": HELP,
        "category": "runbook",
        "tags": ["tls", "certificate", "expired"],
        "content": {"trigger": "certificate has expired"},
    },
}
REFUSED = "which only cuecard writes"
FAILING = "echo 'error: the TLS certificate has expired, which certificate did we use'; exit 3"
WRITING = f"echo '{{}}' > {PLANTED}"
# A prompt that no memory is about.
GO = "please carry out the next step of the plan now"
# The hosts whose clients are given a subagent, and the call that starts it.
SUBAGENTS: dict[str, Reply] = {
    "claude-code": ("Agent", {"description": "x", "prompt": PROMPT, "subagent_type": "general-purpose"}),
    # The hook of a prompt is called for the prompts of its subagents too.
    "copilot": ("task", {"agent_type": "explore", "description": "x", "prompt": PROMPT, "name": "n", "mode": "sync"}),
}


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    model = ScriptedModel()
    yield model
    model.close()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    for path, memory in MEMORIES.items():
        file = machine.project / ".claude/memory" / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"id": file.stem, "updated_at": "2026-01-01", "content": {}, **memory}))
    (machine.project / "src").mkdir()
    (machine.project / FILE).write_text("x = 1\n")
    # Without this setting, Gemini CLI asks how the user wants to sign in.
    settings = machine.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
    return machine


def patch(kind: str, path: str, *lines: str) -> Reply:
    return ("apply_patch", "\n".join(["*** Begin Patch", f"*** {kind} File: {path}", *lines, "*** End Patch"]))


def calls(host: str, project: Path) -> dict[str, Reply]:
    """The calls of a host's own tools: write a memory (by a tool, by the shell), touch a file, fail."""
    planted, file = str(project / PLANTED), str(project / FILE)
    shell = {
        "codex": ("exec_command", "cmd"),
        "claude-code": ("Bash", "command"),
        "gemini": ("run_shell_command", "command"),
        "qwen": ("run_shell_command", "command"),
        "kimi": ("Bash", "command"),
    }
    name, field = shell.get(host, ("bash", "command"))

    def run(command: str) -> Reply:
        return (name, {field: command, "description": "x"} if host != "codex" else {field: command})

    edits: dict[str, tuple[Reply, Reply]] = {
        "codex": (patch("Add", PLANTED, "+{}"), patch("Update", FILE, "@@", "-x = 1", "+x = 2")),
        "claude-code": (
            ("Write", {"file_path": planted, "content": "{}"}),
            ("Read", {"file_path": file}),
        ),
        "gemini": (
            ("write_file", {"file_path": planted, "content": "{}"}),
            ("read_file", {"file_path": file}),
        ),
        "qwen": (
            ("write_file", {"file_path": planted, "content": "{}"}),
            ("read_file", {"file_path": file}),
        ),
        "copilot": (
            ("create", {"path": planted, "file_text": "{}"}),
            ("edit", {"path": file, "old_str": "x = 1", "new_str": "x = 2"}),
        ),
        "opencode": (
            ("write", {"filePath": planted, "content": "{}"}),
            ("edit", {"filePath": file, "oldString": "x = 1", "newString": "x = 2"}),
        ),
        "kimi": (("Write", {"path": planted, "content": "{}"}), ("Read", {"path": file})),
        "pi": (("write", {"path": planted, "content": "{}"}), ("read", {"path": file})),
    }
    tool, touching = edits.get(host, edits["opencode"])
    return {"tool": tool, "shell": run(WRITING), "file": touching, "failure": run(FAILING)}


def told(model: ScriptedModel, words: str) -> int | None:
    """The number of the first request that has these words; None if none has.

    No request before the tool has run may have them, so a number above 0 is what tests look for.
    """
    for number, body in enumerate(model.bodies):
        if any(words in text.replace("&lt;", "<") for text in walk(body)):
            return number
    return None


def cases(feature: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("host", [host for host in RUNS if feature in wired_features(host)])


@cases("prompt")
def test_the_model_is_sent_the_memory_and_an_uninstalled_client_is_as_before(
    machine: Machine, model: ScriptedModel, host: str
) -> None:
    run = RUNS[host]
    machine.document("install", host)
    model.play()
    run(machine, model)
    assert model.has(PROMPT)
    assert model.has(BLOCK)
    machine.document("uninstall", host)
    model.play()
    run(machine, model)
    assert model.has(PROMPT)
    assert not model.has("memory-context source")


@cases("guard")
def test_the_guard_keeps_a_memory_from_being_written(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    for what in ("tool", "shell"):
        model.play(calls(host, machine.project)[what])
        RUNS[host](machine, model, prompt=GO)
        assert told(model, REFUSED), what
        assert not (machine.project / PLANTED).exists(), what


@cases("file")
def test_a_file_brings_the_memories_that_are_anchored_to_it(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    model.play(calls(host, machine.project)["file"])
    RUNS[host](machine, model, prompt=GO)
    assert told(model, ANCHORED)


@cases("failure")
def test_a_failed_command_brings_the_memories_that_help(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    model.play(calls(host, machine.project)["failure"])
    RUNS[host](machine, model, prompt=GO)
    assert told(model, HELP)


@cases("subagent")
def test_a_subagent_gets_the_memories_for_its_prompt_once(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    model.play(SUBAGENTS[host])
    RUNS[host](machine, model, prompt=GO)
    # The request of the subagent, whose own prompt has the block behind it.
    asked = [text for body in model.bodies for text in walk(body) if text.count(PROMPT) and BLOCK in text]
    assert asked
    assert max(text.count(BLOCK) for text in asked) == 1
