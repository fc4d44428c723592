"""A statement from one Claude Code session becomes a memory, and the next session is shown it (`make e2e`)."""

from __future__ import annotations

import importlib
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cuecard.capture.background.drafting_model import claude_command
from scratch_home import kept_of

# `clone` and `client` are imported because they are fixtures.
from test_plugin_client import client, clone, pytestmark  # noqa: F401

if TYPE_CHECKING:
    from types import ModuleType

    from plugin_clone import Launcher

SESSION = "0f4c2b1e-7d3a-4c59-9a67-1b2c3d4e5f60"
PROMPTS = (
    "please write a small parser for the ledger files",
    "now add a test for the parser with dates",
    "no, never sleep in tests, pass the clock in instead",
    "run the whole test suite and fix what fails",
    "rename the function parse_all to parse_ledger everywhere please",
    "that is wrong, amounts are integers in cents and never floats",
    "add a section about the format to the readme",
    "what else in this module should we clean up",
    "ok do the first two of these things then",
    "and now show me the whole diff once more",
)
FAILS: dict[str, Any] = {"tool": "Bash", "input": {"command": "cat made.txt", "description": "run the suite"}}
FIXES: dict[str, Any] = {"tool": "Write", "input": {"file_path": "{project}/made.txt", "content": "made"}}
ALLOWED = ("--allowedTools", "Bash(cat:*)", "Write")


def draft(category: str, title: str, content: dict[str, Any]) -> dict[str, Any]:
    partial = {"title": title, "tags": ["ledger"], "confidence": 0.9, "change_summary": "new", "content": content}
    own = {"questions": [f"what holds for {category}?"], "evidence": [{"kind": "user", "ref": "the session"}]}
    return {"category": category, "action": "create", "new_info_summary": title, "partial_content": {**partial, **own}}


DRAFTS = [
    draft(
        "preference",
        "Tests take the clock as an argument and never sleep",
        {
            "topic": "time in tests of the parser",
            "value": "the clock is passed in as an argument, as the fixtures do it",
            "reason": "tests that sleep make the suite slow and fail on busy machines",
            "strength": "strong",
        },
    ),
    draft(
        "constraint",
        "Amounts of the ledger are integers in cents",
        {
            "kind": "policy",
            "rule": "every amount of money is stored and computed as an integer number of cents, never as a float",
            "impact": ["sums of floats are off by a cent in reports"],
            "severity": "high",
            "active": True,
        },
    ),
    draft(
        "runbook",
        "The suite needs made.txt before it runs",
        {
            "trigger": "the suite fails because made.txt is missing",
            "steps": ["write made.txt into the root of the project", "run the suite again"],
            "verification": "the suite passes",
        },
    ),
]


class Client:
    """Claude Code with the plugin, as one user in one project."""

    def __init__(self, launcher: Launcher, clone: Path, scratch: Path) -> None:  # noqa: F811 - what it is
        self.launcher = launcher
        self.clone = clone
        self.scratch = scratch
        self.memory = launcher.project / ".claude" / "memory"
        self.ledgers = kept_of(self.memory) / "ledger"
        self.runs = 0

    def run(self, module: ModuleType, prompts: Any, *arguments: str, script: list[Any], **more: Any) -> Any:  # noqa: ANN401
        self.runs += 1
        options: dict[str, Any] = {
            **more,
            "home": str(self.launcher.home),
            "out": str(self.scratch / f"out-{self.runs}"),
            "script": script,
        }
        start = module.run if isinstance(prompts, str) else module.type_prompts
        return start(prompts, self.launcher.project, plugins=[self.clone], extra_args=list(arguments), **options)

    def asked(self, result: Any) -> int:  # noqa: ANN401 - untyped
        """The number of requests to the model in a run that contain a new request of the hook to the agent."""
        bodies = [json.dumps(request["body"]["messages"]) for request in result.main_requests]
        counts = [body.count("cuecard: before you stop") for body in bodies]
        return sum(after > before for before, after in zip([0, *counts], counts, strict=False))


@pytest.fixture
def terminal(client: ModuleType) -> ModuleType:  # noqa: F811
    """The module that drives sessions in a terminal.

    It needs `client`, which adds the folder of both modules to the import path.
    """
    assert client.__name__ == "cc_session"
    return importlib.import_module("cc_terminal")


@pytest.fixture
def project(
    client: ModuleType,  # noqa: F811
    clone: Path,  # noqa: F811
    launcher: Launcher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Client:
    # The Python on PATH must have the packages that the commands need.
    monkeypatch.setenv("E2E_PATH", str(Path(sys.executable).parent))
    assert client.__name__ == "cc_session"
    return Client(launcher, clone, tmp_path)


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
    # The terminal driver needs another output format.
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
    terminal: ModuleType,
    project: Client,
) -> None:
    staging = kept_of(project.memory) / "staging" / SESSION
    # The client does not ask the user, so the command runs only because the plugin approves it.
    commit = f"cuecard capture commit {shlex.quote(str(staging))} <<'CUECARD'\n{json.dumps(DRAFTS)}\nCUECARD"
    handing_in = {"tool": "Bash", "input": {"command": commit, "description": "hand in the drafts"}}
    answers = ["Written.", "Added.", "Sorry, the clock is passed in now.", FAILS, FIXES, FAILS, "It passes now."]
    answers += [
        "Renamed.",
        "You are right, cents now.",
        "Added.",
        "Two things: a and b.",
        handing_in,
        "Saved.",
        "Done.",
    ]
    options = ("--session-id", SESSION, *ALLOWED)
    work = project.run(terminal, PROMPTS, *options, script=[*answers, "Here it is."])
    assert project.asked(work) == 1
    files = [path for path in project.memory.glob("*/*.json") if path.stem != "tls"]
    saved = {path.parent.name: json.loads(path.read_text("utf-8")) for path in files}
    for folder, proposed in zip(("preferences", "constraints", "runbooks"), DRAFTS, strict=True):
        assert saved[folder]["title"] == proposed["partial_content"]["title"]
        assert saved[folder]["cuecard"]["questions"]
        assert saved[folder]["cuecard"]["evidence"]
        assert saved[folder]["cuecard"]["source"]["session"] == SESSION
    lines = (project.ledgers / f"{SESSION}.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["how"] for line in lines if '"kind":"done"' in line] == ["drafts"]

    # A new session recalls the memory that was saved.
    later = project.run(client, "may tests sleep, or do they take the clock?", script=["No."])
    assert any("never sleep" in each["text"] for each in later.injected()), later.injected()


def test_the_first_stop_after_a_compaction_asks(terminal: ModuleType, project: Client) -> None:
    prompts = (*PROMPTS[:3], "/compact", "go on with the parser now")
    script = ["Written.", "Added.", "Done.", "A summary of the work.", "I went on.", "Nothing worth keeping."]
    result = project.run(terminal, prompts, "--session-id", SESSION, script=script)
    assert project.asked(result) == 1
    assert '"cause":"compaction"' in (project.ledgers / f"{SESSION}.jsonl").read_text("utf-8")


def test_a_session_that_ends_early_is_picked_up_by_a_later_one(terminal: ModuleType, project: Client) -> None:
    answers = ["Written.", "Added.", "Sorry, the clock is passed in now."]
    first = project.run(terminal, PROMPTS[:3], "--session-id", SESSION, script=answers)
    assert project.asked(first) == 0
    assert '"kind":"end"' in (project.ledgers / f"{SESSION}.jsonl").read_text("utf-8")
    later = project.run(terminal, ("what does the build script do",), script=["It builds.", "Nothing worth keeping."])
    assert project.asked(later) == 1
    assert '"how":"nothing"' in (project.ledgers / f"{SESSION}.claimed").read_text("utf-8")


def test_plan_mode_and_runs_of_a_program_are_left_alone(
    client: ModuleType,  # noqa: F811
    terminal: ModuleType,
    project: Client,
) -> None:
    asking = "remember this: tests never sleep, they take the clock"
    planned = project.run(terminal, (asking,), "--permission-mode", "plan", script=["Noted."])
    assert project.asked(planned) == 0
    printed = project.run(client, asking, "--session-id", SESSION, script=["Noted."])
    assert project.asked(printed) == 0
    assert len(printed.main_requests) == 1
    assert not (project.ledgers / f"{SESSION}.jsonl").exists()
