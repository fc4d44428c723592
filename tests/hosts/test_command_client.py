"""The plugin's commands for many documents or memories, run by the real Claude Code (`make e2e`)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from command_process import run_process
from cuecard import Store
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import accept
from import_sources import NYGARD
from records import draft, read

# `clone` and `client` are imported because they are fixtures.
from test_plugin_client import client, clone, pytestmark  # noqa: F401

if TYPE_CHECKING:
    from types import ModuleType

    from plugin_clone import Launcher

PLACE = "docs/adr/0007-redis.md"
QUESTIONS = ["where do logins survive a deployment?", "why are people logged out?"]
PROMPT = "where do we keep the sessions of people who are logged in?"


class Say:
    """Sends prompts to the client; the answers of the model come from a script."""

    def __init__(self, client: ModuleType, clone: Path, launcher: Launcher, out: Path) -> None:  # noqa: F811
        self._client, self._clone, self._launcher, self._out, self._count = client, clone, launcher, out, 0
        self.has_plugin = True

    def __call__(self, prompt: str, *script: object) -> Any:  # noqa: ANN401 - untyped
        self._count += 1
        result = self._client.run(
            prompt,
            self._launcher.project,
            plugins=[self._clone] if self.has_plugin else [],
            home=str(self._launcher.home),
            out=str(self._out / f"out-{self._count}"),
            script=[*script, {"text": "Done."}],
        )
        assert result.rc == 0, result.stderr
        return result


@pytest.fixture
def say(
    client: ModuleType,  # noqa: F811
    clone: Path,  # noqa: F811
    launcher: Launcher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Say:
    # The Python on PATH must have the packages that the commands need.
    monkeypatch.setenv("E2E_PATH", str(Path(sys.executable).parent))
    return Say(client, clone, launcher, tmp_path)


def bash(command: str, sent: object = None) -> dict[str, Any]:
    """A call of the Bash tool; the command gets a document on stdin, as in the plugin's commands."""
    line = command if sent is None else f"{command} <<'CUECARD'\n{json.dumps(sent)}\nCUECARD"
    return {"tool": "Bash", "input": {"command": line, "description": "as the command of the plugin says"}}


def answers_of(result: Any) -> list[str]:  # noqa: ANN401 - untyped
    """The results of the tool calls in a session."""
    last = len(result.main_requests) - 1
    return [text for role, text in result.texts(last) if role.endswith("tool_result")]


def test_documents_become_drafts_and_then_memories_that_are_recalled(say: Say, launcher: Launcher) -> None:
    file = launcher.project / PLACE
    file.parent.mkdir(parents=True)
    file.write_text(NYGARD)
    store = Store(launcher.project)
    listing = bash("cuecard capture sources --json 'docs/adr'")
    first = say("/cuecard:import docs/adr", listing)
    assert "docs/adr" in first.body_text(0)
    [listed] = answers_of(first)
    [task] = json.loads(listed)["work"]
    assert task["draft"]["title"] == "Keep sessions in Redis"
    better = draft("Sessions are kept in Redis", content=task["draft"]["content"])
    proposed = {
        "category": "decision",
        "action": "create",
        "new_info_summary": "sessions are kept in Redis so that they survive a deployment",
        "partial_content": {name: better[name] for name in ("title", "tags", "content")} | {"questions": QUESTIONS},
        "source": task["source"],
    }
    reading = {"tool": "Read", "input": {"file_path": str(file)}}
    second = say(
        "/cuecard:import docs/adr",
        reading,
        bash("cuecard capture commit --origin import", [proposed]),
        listing,
    )
    read_file, committed, left = answers_of(second)
    assert "Workers are restarted often" in read_file
    assert committed.startswith("waiting "), committed
    assert json.loads(left)["left"] == 0
    # The draft has no effect until the user accepts it.
    assert say(PROMPT).injected() == []
    [waiting] = read_inbox(store.memory_dir)
    assert waiting.source["path"] == PLACE
    accept(store, [waiting])
    [injected] = say(PROMPT).injected()
    assert "Sessions are kept in Redis" in injected["text"]


def test_memories_get_questions_and_are_recalled_by_them(say: Say, launcher: Launcher) -> None:
    store = Store(launcher.project)
    store.add(draft("Sessions are kept in Redis"))
    first = say("/cuecard:enrich", bash("cuecard enrich --json"))
    [listed] = answers_of(first)
    work = json.loads(listed)["work"]
    assert "decision/sessions-are-kept-in-redis" in [task["memory"] for task in work]
    sent = [[task["memory"], QUESTIONS] for task in work if task["memory"].startswith("decision")]
    second = say("/cuecard:enrich", bash("cuecard enrich --apply -", sent))
    assert "updated  decision/" in answers_of(second)[0]
    assert read(store, "sessions-are-kept-in-redis")["cuecard"]["questions"] == QUESTIONS
    [injected] = say(PROMPT).injected()
    assert "Sessions are kept in Redis" in injected["text"]


def test_a_project_that_begins_with_init_answers_the_next_prompt(say: Say, launcher: Launcher) -> None:
    file = launcher.project / PLACE
    file.parent.mkdir(parents=True)
    file.write_text(NYGARD)
    (launcher.home / ".claude").mkdir()
    ran = run_process(launcher.home, launcher.project, "init", "--yes")
    assert ran.code == 0, ran.stderr
    say.has_plugin = False
    [injected] = say(PROMPT).injected()
    assert "Keep sessions in Redis" in injected["text"]
