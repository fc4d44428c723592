"""Prompts, tools and subagents inside the real clients, against a scripted model.

The tests run only with `CUECARD_E2E=1`, for the clients that are on PATH. No data leaves the machine.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from cuecard.basics.tables import find_row, read_lines
from cuecard.hosts.features import proof_of, wired_features
from host_clients import AGAIN, RUNS, TOOL_RUNS
from host_machine import BLOCK, PROMPT, Machine
from scripted_model import Reply, ScriptedModel, walk

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.timeout(900),
]
ALL_RUNS = RUNS | TOOL_RUNS
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
# Another prompt that the same memory answers.
OTHER_PROMPT = "does the login check the auth token?"
# Nearly all that the clients take for the context of their model, and not more.
MANY_TOKENS = 120_000
SUMMARY = f"<state_snapshot>{'The user asked, and the agent answered. ' * 20}</state_snapshot>"
# The hosts whose clients are given a subagent, and the call that starts it.
SUBAGENTS: dict[str, Reply] = {
    "claude-code": ("Agent", {"description": "x", "prompt": PROMPT, "subagent_type": "general-purpose"}),
    # The hook of a prompt is called for the prompts of its subagents too.
    "copilot": ("task", {"agent_type": "explore", "description": "x", "prompt": PROMPT, "name": "n", "mode": "sync"}),
}


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
        "droid": ("Execute", "command"),
    }
    name, field = shell.get(host, ("bash", "command"))

    def run(command: str) -> Reply:
        more = {"codex": {}, "vibe": {}, "droid": {"summary": "x", "riskLevel": "low", "riskLevelReason": "x"}}
        return (name, {field: command, **more.get(host, {"description": "x"})})

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
        "droid": (("Create", {"file_path": planted, "content": "{}"}), ("Read", {"file_path": file})),
        "vibe": (("write_file", {"path": planted, "content": "{}"}), ("read_file", {"path": file})),
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


def blocks_in(body: object) -> int:
    """How many blocks of memories a request has."""
    return sum(text.replace("&lt;", "<").count("<memory-context source") for text in walk(body))


def shown_hosts() -> list[str]:
    """The hosts with a client that are known to show files by themselves."""
    return [host for row in read_lines("hosts", "shown_files") if (host := row.partition(" ")[0]) in RUNS]


def cases(feature: str) -> pytest.MarkDecorator:
    hosts = [host for host in RUNS if feature in wired_features(host)]
    hosts += [host for host in TOOL_RUNS if feature in proof_of(host).features]
    return pytest.mark.parametrize("host", hosts)


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


@cases("prompt")
def test_a_session_that_goes_on_is_shown_a_memory_once(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    # The first prompt that a memory answers is one of a session that was taken up again.
    for arguments, prompt, blocks in (((), GO, 0), (AGAIN[host], PROMPT, 1), (AGAIN[host], PROMPT, 1)):
        model.play()
        RUNS[host](machine, model, *arguments, prompt=prompt)
        assert {blocks_in(body) for body in model.bodies} == {blocks}


def test_claude_code_is_shown_a_memory_again_after_a_compaction(machine: Machine, model: ScriptedModel) -> None:
    machine.document("install", "claude-code")
    run, again = RUNS["claude-code"], AGAIN["claude-code"]
    model.play()
    run(machine, model)
    run(machine, model, *again, prompt="/compact")
    for _ in range(2):
        model.play()
        run(machine, model, *again)
        # The summary, which is "ok", has no block.
        assert blocks_in(model.bodies[-1]) == 1


def test_codex_is_shown_a_memory_again_after_a_compaction(machine: Machine, model: ScriptedModel) -> None:
    machine.document("install", "codex")
    run, again = RUNS["codex"], AGAIN["codex"]
    run(machine, model)
    model.play()
    run(machine, model, *again, "-c", "model_auto_compact_token_limit=1")
    # The first request is that for a summary.
    assert len(model.bodies) == 2
    for _ in range(2):
        assert blocks_in(model.bodies[-1]) == 1
        model.play()
        run(machine, model, *again)


@pytest.mark.parametrize("host", ["kilo", "kimi", "opencode", "pi", "qwen"])
def test_a_client_is_shown_a_memory_again_after_a_compaction(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    run, again = RUNS[host], AGAIN[host]
    run(machine, model)
    # The other clients compact at the end of this run, or at the beginning of the next one.
    model.tokens[:] = [MANY_TOKENS]
    run(machine, model, *again, prompt=GO)
    if host == "qwen":
        # The client keeps its conversation where the summary is not shorter.
        model.play(SUMMARY)
        model.tokens[:] = [MANY_TOKENS]
        run(machine, model, *again, prompt="/compress")
    model.tokens.clear()
    run(machine, model, *again, prompt=GO)
    assert blocks_in(model.bodies[-1]) == 0
    for _ in range(2):
        model.play()
        run(machine, model, *again, prompt=OTHER_PROMPT)
        assert blocks_in(model.bodies[-1]) == 1


def test_qwen_is_not_shown_a_memory_again_after_a_compaction_that_failed(
    machine: Machine, model: ScriptedModel
) -> None:
    machine.document("install", "qwen")
    run, again = RUNS["qwen"], AGAIN["qwen"]
    run(machine, model)
    # A summary is not shorter than this conversation, so the client keeps the conversation, and fails.
    with pytest.raises(subprocess.CalledProcessError):
        run(machine, model, *again, prompt="/compress")
    model.play()
    run(machine, model, *again)
    assert {blocks_in(body) for body in model.bodies} == {1}


@pytest.mark.parametrize("host", shown_hosts())
def test_the_client_shows_each_file_that_the_table_names(machine: Machine, model: ScriptedModel, host: str) -> None:
    row = find_row("hosts", "shown_files", host).split(" ")
    # The first of the files that `|` joins; a folder has the notes of Claude Code.
    names = [word.split("|")[0] for word in row if not word.endswith("/")]
    for number, name in enumerate(names):
        file = machine.home / name[2:] if name.startswith("~/") else machine.project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"- This is the file with the number {number} of them.\n")
    subprocess.run(["git", "init", "-q", str(machine.project)], check=True)
    model.play()
    RUNS[host](machine, model, prompt=GO)
    assert [name for number, name in enumerate(names) if not model.has(f"number {number} of them")] == []


@pytest.mark.parametrize("host", shown_hosts())
def test_what_the_client_shows_itself_is_not_injected(machine: Machine, model: ScriptedModel, host: str) -> None:
    said = "Tokens of the login are JWT and last for one hour."
    record = machine.project / ".claude/memory/decisions/jwt.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "content": {"decision": said}}))
    name = find_row("hosts", "shown_files", host).split(" ")[0].split("|")[0]
    (machine.project / name).write_text(f"- {said}\n")
    machine.document("install", host)
    RUNS[host](machine, model)
    list_of_keys = machine.home / ".local/share/cuecard"
    until = time.monotonic() + 60
    while not [*list_of_keys.glob(f"stores/*/hosted/{host}")] and time.monotonic() < until:
        time.sleep(0.1)
    model.play()
    RUNS[host](machine, model)
    assert model.has(said)
    assert {blocks_in(body) for body in model.bodies} == {0}


@cases("guard")
def test_the_guard_keeps_a_memory_from_being_written(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    for what in ("tool", "shell"):
        model.play(calls(host, machine.project)[what])
        ALL_RUNS[host](machine, model, prompt=GO)
        assert told(model, REFUSED), what
        assert not (machine.project / PLANTED).exists(), what


@cases("file")
def test_a_file_brings_the_memories_that_are_anchored_to_it(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    model.play(calls(host, machine.project)["file"])
    ALL_RUNS[host](machine, model, prompt=GO)
    assert told(model, ANCHORED)


@cases("failure")
def test_a_failed_command_brings_the_memories_that_help(machine: Machine, model: ScriptedModel, host: str) -> None:
    machine.document("install", host)
    model.play(calls(host, machine.project)["failure"])
    ALL_RUNS[host](machine, model, prompt=GO)
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
