"""Each command of the plugin in the real Claude Code: what its text tells the agent is not refused (`make e2e`)."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cuecard import Store
from import_sources import NYGARD
from plugin_clone import PROMPT
from records import draft, put, stored

# `clone` and `client` are imported because they are fixtures.
from test_command_client import PLACE, QUESTIONS, bash
from test_plugin_client import client, clone, pytestmark  # noqa: F401

if TYPE_CHECKING:
    from types import ModuleType

    from plugin_clone import Launcher

NEW = {
    "category": "constraint",
    "title": "Invoices are numbered without gaps",
    "tags": ["invoices"],
    "content": {"kind": "technical", "rule": "An invoice number is never skipped.", "impact": []},
}
NOTHING = [{"category": "decision", "action": "noop"}]


def tool(name: str, **given: object) -> dict[str, Any]:
    """A call of a tool of the plugin's MCP server."""
    return {"tool": f"mcp__plugin_cuecard_cuecard__memory_{name}", "input": given}


# What the agent calls in each command, in this order: later commands find what earlier ones did.
CALLS: dict[str, list[dict[str, Any]]] = {
    "search invoices": [tool("search", query="invoices"), tool("get", id="tls")],
    "recall how do we renew it?": [tool("search", query="renew the certificate"), tool("get", id="tls")],
    "save invoices have no gaps": [tool("search", query="invoices"), tool("save", **NEW)],
    "remember the certificate": [
        tool("search", query="certificate"),
        tool("update", id="tls", patch={"tags": ["certificate", "tls", "renewal"]}),
    ],
    "status": [
        bash("cuecard health"),
        bash("cuecard stats --since 7d"),
        bash("cuecard list --status retired"),
        bash("cuecard list --status archived"),
    ],
    "config": [bash("cuecard doctor")],
    "inbox": [bash("cuecard review list --json")],
    "shown": [bash("cuecard log --limit 3 --json")],
    "wrong": [bash("cuecard log --shown --limit 1 --json"), bash("cuecard wrong tls")],
    "import docs/adr": [
        bash("cuecard capture sources --json 'docs/adr'"),
        bash("cuecard capture commit --origin import", NOTHING),
    ],
    "enrich": [bash("cuecard enrich --json"), bash("cuecard enrich --apply -", [["decision/redis", QUESTIONS]])],
    "finish": [
        bash("cuecard enrich --json"),
        bash("cuecard capture sources --json"),
        bash("cuecard enrich --apply -", [["decision/redis", QUESTIONS]]),
        bash("cuecard capture commit --origin import", NOTHING),
    ],
    "retire the certificate": [
        tool("search", query="certificate", status="all"),
        tool("retire", id="tls", reason="the user asked for it"),
    ],
    "restore the certificate": [tool("search", query="certificate", status="all"), bash("cuecard restore 'tls'")],
    "gc": [bash("cuecard gc --dry-run"), bash("cuecard gc")],
}
# What a client tells the model of a call that it does not run, and what a command prints that does nothing.
REFUSED = re.compile(
    r"requires approval|haven.t granted|permission to use|was denied|not allowed|No such tool|command not found|"
    r"doesn.t want to proceed|^error: |<tool_use_error>",
    re.MULTILINE,
)


@pytest.fixture
def project(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of the launcher with one more memory, and a document."""
    # The Python on PATH must have the packages that the commands need.
    monkeypatch.setenv("E2E_PATH", str(Path(sys.executable).parent))
    store = Store(launcher.project)
    put(store, stored("tls", "runbook", title="Renew the TLS certificate", tags=["certificate", "tls"]))
    store.add(draft("Sessions are kept in Redis") | {"id": "redis"})
    file = launcher.project / PLACE
    file.parent.mkdir(parents=True)
    file.write_text(NYGARD)
    return launcher.project


def results_of(result: Any) -> list[str]:  # noqa: ANN401 - untyped
    """The results of all tool calls in a session."""
    last = len(result.main_requests) - 1
    return [text for role, text in result.texts(last) if role.endswith("tool_result")]


def assert_all_were_run(results: list[str], calls: list[dict[str, Any]]) -> None:
    assert len(results) == len(calls), results
    refused = [(call["input"], text) for call, text in zip(calls, results, strict=True) if REFUSED.search(text)]
    assert refused == []


def test_a_run_for_a_program_refuses_no_command_that_the_plugin_prescribes(
    client: ModuleType,  # noqa: F811
    clone: Path,  # noqa: F811
    launcher: Launcher,
    project: Path,
    tmp_path: Path,
) -> None:
    def run(prompt: str, number: int, script: list[Any]) -> Any:  # noqa: ANN401 - untyped
        given = {"plugins": [clone], "home": str(launcher.home), "out": str(tmp_path / f"out-{number}")}
        result = client.run(prompt, project, script=[*script, {"text": "Done."}], **given)
        assert result.rc == 0, result.stderr
        return result

    # A prompt that a memory answers, so that there is something that was shown.
    run(PROMPT, 0, [])
    for number, (words, calls) in enumerate(CALLS.items(), 1):
        result = run(f"/cuecard:{words}", number, calls)
        assert_all_were_run(results_of(result), calls)
        denials = [json.loads(line).get("permission_denials") for line in result.stdout.splitlines() if line[:1] == "{"]
        assert not any(denials), denials


@pytest.mark.usefixtures("client")
def test_a_session_in_a_terminal_asks_about_no_command_that_the_plugin_prescribes(
    clone: Path,  # noqa: F811
    launcher: Launcher,
    project: Path,
    tmp_path: Path,
) -> None:
    """A question about a call would leave the call without a result."""
    terminal = importlib.import_module("cc_terminal")
    result = terminal.type_prompts(
        [PROMPT, *[f"/cuecard:{words}" for words in CALLS]],
        project,
        plugins=[clone],
        script=[{"text": "Done."}, *[reply for calls in CALLS.values() for reply in [*calls, {"text": "Done."}]]],
        home=str(launcher.home),
        out=str(tmp_path / "out"),
        timeout=800,
    )
    assert_all_were_run(results_of(result), [call for calls in CALLS.values() for call in calls])
