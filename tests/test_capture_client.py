"""From a session that taught something to the next one that is told, through Claude Code itself; `make e2e`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cuecard.capture.background.drafting_model import claude_command
from scratch_home import kept_of

# `clone` and `client` are fixtures.
from test_plugin_client import client, clone, pytestmark  # noqa: F401

if TYPE_CHECKING:
    from types import ModuleType

    from plugin_clone import Launcher

SESSION = "0f4c2b1e-7d3a-4c59-9a67-1b2c3d4e5f60"
WORKED = (
    "We decided to use PostgreSQL for the ledger because it needs transactions across two workers, instead of SQLite.\n"
    "The build failed with `ModuleNotFoundError: No module named 'psycopg'`. The root cause was a missing system"
    " library; the fix was to install libpq-dev before the wheel is built."
)
DRAFTS: list[dict[str, Any]] = [
    {
        "category": "decision",
        "action": "create",
        "new_info_summary": "the ledger is kept in PostgreSQL",
        "partial_content": {
            "title": "The ledger is kept in PostgreSQL",
            "tags": ["postgresql", "ledger"],
            "confidence": 0.9,
            "change_summary": "decided",
            "content": {
                "status": "accepted",
                "context": "two workers write",
                "decision": "PostgreSQL and not SQLite",
                "rationale": ["transactions across workers"],
            },
        },
    },
    {
        "category": "runbook",
        "action": "create",
        "new_info_summary": "psycopg is missing in the build",
        "partial_content": {
            "title": "The build does not find psycopg",
            "tags": ["psycopg", "build"],
            "confidence": 0.9,
            "change_summary": "fixed once",
            "content": {
                "trigger": "No module named 'psycopg'",
                "root_cause": "libpq-dev is missing",
                "steps": ["install libpq-dev", "build the wheel again"],
                "verification": "import psycopg",
            },
        },
    },
]


def test_the_client_that_drafts_in_the_background_has_no_tools_hooks_and_transcript(
    client: ModuleType,  # noqa: F811
    clone: Path,  # noqa: F811
    launcher: Launcher,
    tmp_path: Path,
) -> None:
    hook = {"hooks": [{"type": "command", "command": f"touch '{tmp_path}/called'"}]}
    settings = launcher.project / ".claude" / "settings.json"
    settings.write_text(json.dumps({"hooks": {"UserPromptSubmit": [hook], "SessionEnd": [hook]}}))
    (launcher.project / "CLAUDE.md").write_text("Use tabs in Makefiles.")
    command = claude_command("claude", "", "You draft.")
    # The driver reads another form of output.
    place = command.index("--output-format")
    ran = client.run(
        "what was typed",
        launcher.project,
        plugins=[clone],
        home=str(launcher.home),
        out=str(tmp_path / "out"),
        script=["[]"],
        extra_args=[*command[2:place], *command[place + 2 :]],
    )
    assert ran.rc == 0, ran.stderr
    [request] = ran.requests
    assert not request["body"].get("tools")
    said = json.dumps(request["body"])
    assert "You draft." in said
    assert "what was typed" in said
    assert "Use tabs" not in said
    assert ran.transcript == []
    assert not (tmp_path / "called").exists()


def test_what_a_session_taught_is_saved_by_its_agent_and_recalled_in_the_next(
    client: ModuleType,  # noqa: F811
    clone: Path,  # noqa: F811
    launcher: Launcher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A Python that has what the commands need.
    monkeypatch.setenv("E2E_PATH", str(Path(sys.executable).parent))
    memory = launcher.project / ".claude" / "memory"
    staging = kept_of(memory) / "staging" / SESSION

    def say(prompt: str, number: int, *arguments: str, script: list[Any] | None = None) -> Any:  # noqa: ANN401 - untyped
        result = client.run(
            prompt,
            launcher.project,
            plugins=[clone],
            home=str(launcher.home),
            out=str(tmp_path / f"out-{number}"),
            script=script or [{"text": "So be it."}],
            extra_args=list(arguments),
        )
        assert result.rc == 0, result.stderr
        return result

    # Nobody is asked, and no rule lets the command through but the plugin's own leave.
    commit = f"cuecard capture commit '{staging}' <<'CUECARD'\n{json.dumps(DRAFTS)}\nCUECARD"
    handing_in = {"tool": "Bash", "input": {"command": commit, "description": "hand in the drafts"}}
    work = say(
        "Where do we keep the ledger?", 0, "--session-id", SESSION, script=[{"text": WORKED}, handing_in, "Done."]
    )
    said = work.body_text(len(work.main_requests) - 1)
    assert said.count("Stop hook feedback:") == 1
    # The client says it once more by itself.
    reason = said.partition("Stop hook feedback:")[2].partition("then stop:")[0]
    assert re.findall(r"^- \[(\w+)\]", reason, re.MULTILINE) == ["DECISION", "RUNBOOK"]
    assert re.findall(r"created +\.claude/memory/(\w+)/", said) == ["decisions", "runbooks"]
    [decision] = memory.glob("decisions/*.json")
    [runbook] = [file for file in memory.glob("runbooks/*.json") if file.stem != "tls"]
    for file in (decision, runbook):
        source = json.loads(file.read_text("utf-8"))["cuecard"]
        assert source["origin"] == "agent"
        assert source["source"]["session"] == SESSION
        assert source["source"]["transcript"] == f"{SESSION}.jsonl"
        assert 0 <= source["source"]["start"] < source["source"]["end"]
    assert not list(staging.glob("context-*"))

    # The user is told at the next prompt, and once.
    told = []
    for number in (1, 2):
        attachments = say("thanks, go on with the rest", number, "--resume", SESSION).hook_attachments()
        told.append([kind for kind, _, record in attachments if "cuecard: created" in json.dumps(record)])
    assert told == [["hook_system_message"], ["hook_system_message"]]
    assert not (kept_of(memory) / "notice").exists()

    # Another session recalls both.
    for number, (prompt, title) in enumerate(
        [
            ("why do we keep the ledger in postgresql?", "The ledger is kept in PostgreSQL"),
            ("the build fails: No module named 'psycopg'", "The build does not find psycopg"),
        ]
    ):
        injected = say(prompt, 3 + number).injected()
        assert any(title in each["text"] for each in injected), injected
