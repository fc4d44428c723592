"""Sends events of tools to the hook, and reads what it answers."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hook_process import Hook, Outcome
from scratch_home import kept_of, write_user_settings

ID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
FILE = "src/pay/retry.py"
IDEMPOTENT = ".claude/memory/constraints/idempotent.json"
BACKOFF = ".claude/memory/decisions/backoff.json"
LEDGER = ".claude/memory/decisions/ledger.json"
STYLE = ".claude/memory/preferences/style.json"
CERTIFICATE = ".claude/memory/runbooks/certificate.json"
FLAKY = ".claude/memory/tech-debt/flaky.json"
WHY = ".claude/memory/decisions/certificates.json"
MEMORIES: dict[str, Mapping[str, object]] = {
    IDEMPOTENT: {"title": "Retries carry an idempotency key", "category": "constraint", "cuecard": {"anchors": [FILE]}},
    BACKOFF: {"title": "Back off with jitter", "category": "decision", "related_files": ["src/pay/*.py"]},
    LEDGER: {"title": "The ledger is append-only", "category": "decision", "related_files": ["src/pay/ledger.py"]},
    STYLE: {"title": "Short functions", "category": "preference", "related_files": [FILE]},
    CERTIFICATE: {
        "title": "Renew an expired TLS certificate",
        "category": "runbook",
        "tags": ["tls", "certificate", "expired"],
        "content": {"steps": ["certbot renew", "reload nginx"], "trigger": "certificate has expired"},
    },
    FLAKY: {
        "title": "The browser tests are flaky on port 4444",
        "category": "tech_debt",
        "tags": ["selenium", "flaky"],
        "content": {"description": "connection refused on port 4444"},
    },
    WHY: {
        "title": "TLS certificates come from an expired-proof proxy",
        "category": "decision",
        "tags": ["tls", "certificate", "expired"],
        "content": {"decision": "the proxy renews the TLS certificate before it has expired"},
    },
}
EXPIRED = "Exit code 1\ncurl: (60) SSL certificate problem: the TLS certificate has expired"


def write(project: Path, path: str, memory: Mapping[str, object]) -> None:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    whole = {"id": file.stem, "record_status": "active", "updated_at": "2026-01-01", "tags": [], "content": {}}
    file.write_text(json.dumps(whole | dict(memory)))
    # The files get an old time, so that the next change gives them another time.
    os.utime(file, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000 + len(file.read_bytes())))


def settle(**retrieval: object) -> None:
    write_user_settings({"retrieval": retrieval})


def tell(hook: Hook, project: Path, sent: Mapping[str, object], **environment: str) -> Outcome:
    payload = {"session_id": ID, "cwd": str(project), **sent}
    ran = hook.run("tool-context", stdin=json.dumps(payload).encode(), cwd=project, **environment)
    assert (ran.code, ran.stderr) == (0, b"")
    return ran


def touch(hook: Hook, project: Path, path: object = FILE, tool: str = "Read", **more: object) -> Outcome:
    named = str(project / path) if isinstance(path, str) and not path.startswith("/") else path
    field = "notebook_path" if tool == "NotebookEdit" else "file_path"
    event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {field: named}}
    return tell(hook, project, event | more)


def fail(hook: Hook, project: Path, error: str = EXPIRED, command: str = "make check", **more: object) -> Outcome:
    event = {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "error": error,
        "is_interrupt": False,
    }
    return tell(hook, project, event | more)


def block_of(ran: Outcome, event: str) -> str:
    """The block in an answer; asserts that the answer has nothing else."""
    answer = json.loads(ran.stdout)
    assert ran.stdout.endswith(b"\n")
    block = answer["hookSpecificOutput"]["additionalContext"]
    assert answer == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}
    assert isinstance(block, str)
    return block


def titles(ran: Outcome, event: str = "PreToolUse") -> list[str]:
    """The titles of the memories in a block, in order."""
    if not ran.stdout:
        return []
    block = block_of(ran, event)
    known = {str(memory["title"]) for memory in MEMORIES.values()} | {"Newer", "Never twice"}
    places = {title: block.index(title) for title in known if title in block}
    return sorted(places, key=places.__getitem__)


def session_file(project: Path, session: str = ID) -> Path:
    return kept_of(project / ".claude/memory") / "sessions" / session


def events(project: Path) -> list[Any]:
    """The tool events in the event log of a project."""
    log = kept_of(project / ".claude/memory") / "log/events.jsonl"
    found = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return [event for event in found if event["event"] == "need"]


RETRY = ["Retries carry an idempotency key", "Back off with jitter"]


NOT_HOLDING: list[dict[str, object]] = [
    {"content": {"status": "superseded"}},
    {"content": {"status": "deprecated"}},
    {"cuecard": {"valid_until": "2001-01-01"}},
    {"cuecard": {"valid_from": "2999-01-01"}},
]
