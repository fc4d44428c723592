"""The entry points through which attacks are run. Each entry point is a list of calls to programs.

`executable` and `pure` are the hook, natively and in pure Python; `stop` is the Stop hook, `cli` the command `cuecard`,
`mcp` the MCP server. The last three run with the backend that this installation has.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attacks.attack import LAUNCHER, Attack
from attacks.scene import SAID, Scene

NEW = {
    "category": "decision",
    "title": "Ledger rows are never updated in place",
    "tags": ["ledger", "append-only"],
    "content": {"status": "accepted", "context": "Audits.", "decision": "Append only.", "rationale": ["Audits."]},
}
DRAFT = {
    "category": "decision",
    "action": "create",
    "new_info_summary": "the ledger is written by one process",
    "partial_content": {
        "title": "One process writes the ledger",
        "tags": ["ledger", "writer"],
        "confidence": 0.9,
        "change_summary": "decided",
        "content": {"status": "accepted", "context": "Two blocked.", "decision": "One.", "rationale": ["Locks."]},
    },
}
REPOSITORY = Path(__file__).resolve().parents[2]
LAUNCHERS = ("hooks/cuecard-hook.sh", "hooks/cuecard-mcp.sh", "bin/cuecard")
MCP_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "attacks", "version": "1"},
}


@dataclass(frozen=True)
class Call:
    """One run of a program; `what` is an event of the hook (`prompt`, `need`, ...) or the first word of a command."""

    what: str
    arguments: tuple[str, ...]
    stdin: bytes = b""


def calls_of(entry_point: str, attack: Attack, scene: Scene) -> list[Call]:
    """The calls to run in a scene for an attack, in order, at this entry point."""
    if entry_point in ("executable", "pure"):
        return _hook_calls(attack, scene)
    if entry_point == LAUNCHER:
        return _launcher_calls(attack, scene)
    if entry_point == "stop":
        return _stop_calls(attack, scene)
    return _cli_calls(attack, scene) if entry_point == "cli" else [_mcp_call(attack, scene)]


def _hook_calls(attack: Attack, scene: Scene) -> list[Call]:
    cwd = scene.cwd
    file = str(scene.clone / "src" / "ledger.py")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": file, "old_string": "1", "new_string": "2"}}
    failed = {"tool_name": "Bash", "tool_input": {"command": "make ledger"}, "error": "Deadlock in the ledger"}
    memory = str(scene.clone / ".claude" / "memory" / "decisions" / "ledger-store.json")
    written = {"tool_name": "Write", "tool_input": {"file_path": memory, "content": "{}"}}
    return [
        *[_event(cwd, "prompt", f"s-{number}", prompt=prompt) for number, prompt in enumerate(attack.prompts, 1)],
        _event(cwd, "need", "s-1", hook_event_name="PreToolUse", **edit),
        _event(cwd, "need", "s-1", hook_event_name="PostToolUseFailure", **failed),
        _event(cwd, "guard", "s-1", hook_event_name="PreToolUse", **edit),
        _event(cwd, "validate", "s-1", hook_event_name="PostToolUse", **written),
        _event(cwd, "session", "s-1", hook_event_name="SessionStart", source="compact"),
        _event(cwd, "prompt", "s-1", prompt=attack.prompts[-1]),
    ]


def _launcher_calls(attack: Attack, scene: Scene) -> list[Call]:
    sent = _event(scene.cwd, "prompt", "s-1", prompt=attack.prompts[0]).stdin
    hook, server, command = [str(REPOSITORY / file) for file in LAUNCHERS]
    return [
        Call("prompt", (hook, "prompt"), sent),
        Call("permit", (hook, "permit"), sent),
        Call("mcp", (server,)),
        Call("list", (command, "list")),
    ]


def _stop_calls(attack: Attack, scene: Scene) -> list[Call]:
    cwd = scene.cwd
    common = {"hook_event_name": "Stop", "transcript_path": str(scene.transcript), "last_assistant_message": SAID}
    staged = str(scene.memory_dir / ".cuecard" / "staging" / "s-1")
    command = f"cuecard capture commit {staged} <<'CUECARD'\n[]\nCUECARD"
    asked = {"tool_name": "Bash", "tool_input": {"command": command}}
    return [
        _event(cwd, "stop", "s-1", stop_hook_active=False, **common),
        _event(cwd, "permit", "s-1", hook_event_name="PreToolUse", **asked),
        _event(cwd, "stop", "s-1", stop_hook_active=True, **common),
        _event(cwd, "prompt", "s-1", prompt=attack.prompts[0]),
    ]


def _event(cwd: str, what: str, session: str, **members: object) -> Call:
    payload = {"session_id": session, "cwd": cwd, **members}
    return Call(what, (what,), json.dumps(payload).encode())


def _cli_calls(attack: Attack, scene: Scene) -> list[Call]:
    if attack.commands:
        return [Call(words[0], words) for words in attack.commands]
    prompt = attack.prompts[0]
    staged = scene.memory_dir / ".cuecard" / "staging" / "s-1"
    commit = ["capture", "commit", *([str(staged)] if staged.exists() else [])]
    lines: list[tuple[list[str], object]] = [
        (["list"], None),
        (["recall", prompt, "--json", "--explain"], None),
        (["search", prompt, "--status", "all"], None),
        (["show", "ledger-store"], None),
        (["lineage", "ledger-store"], None),
        (["health"], None),
        (["doctor"], None),
        (["log"], None),
        (["stats"], None),
        (["why", "ledger-store", "--prompt", prompt], None),
        (["replay"], None),
        (["index", "validate"], None),
        (["index", "query", "ledger"], None),
        (["consolidate", "--dry-run"], None),
        (["focus"], None),
        (["trust"], None),
        (["focus", "ledger"], None),
        (["focus", "--clear"], None),
        (["import", "--dry-run", "."], None),
        (["init", "--dry-run"], None),
        (["capture", "sources", ".", "--json"], None),
        (["add"], NEW),
        (["update", "ledger-store"], {"tags": ["ledger", "changed"]}),
        (["retire", "ledger-locks", "--reason", "over"], None),
        (commit, [DRAFT]),
        (["capture", "commit", "--origin", "import"], [DRAFT]),
        (["review"], None),
        (["review", "accept", "--all"], None),
        (["index", "rebuild"], None),
        (["embed"], None),
        (["health", "--quarantine"], None),
        (["gc"], None),
        (["merge"], None),
    ]
    return [Call(words[0], tuple(words), json.dumps(sent).encode() if sent else b"") for words, sent in lines]


def _mcp_call(attack: Attack, scene: Scene) -> Call:
    prompt = attack.prompts[0]
    asked: list[tuple[str, object]] = [
        ("tools/list", {}),
        ("resources/list", {}),
        ("resources/read", {"uri": "cuecard://index"}),
        ("resources/read", {"uri": "cuecard://memory/decision/ledger-store"}),
        ("prompts/get", {"name": "recall", "arguments": {"prompt": prompt}}),
    ]
    tools: list[tuple[str, object]] = [
        ("memory_search", {"query": prompt, "detail": "full", "status": "all"}),
        ("memory_get", {"id": "ledger-store"}),
        ("memory_status", {}),
        ("prompt_hook", {"prompt": prompt, "session_id": "s-1"}),
        ("memory_save", NEW),
        ("memory_update", {"id": "ledger-store", "patch": {"tags": ["ledger", "changed"]}}),
        ("memory_retire", {"id": "ledger-locks", "reason": "over"}),
        ("memory_status", {}),
    ]
    asked += [("tools/call", {"name": name, "arguments": arguments}) for name, arguments in tools]
    return Call("mcp", ("mcp",), mcp_lines(asked))


def mcp_lines(asked: Sequence[tuple[str, object]]) -> bytes:
    """The requests of an MCP client, as lines; `asked` gives each request's method and parameters."""
    lines = []
    for number, (method, params) in enumerate(asked, 1):
        assert isinstance(params, dict)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": MCP_META}}
        lines.append(json.dumps(request) + "\n")
    return "".join(lines).encode()
