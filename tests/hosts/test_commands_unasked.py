"""Each command of the plugin runs what it prescribes in the real Claude Code, without a question (`make e2e`)."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cuecard import Store
from import_sources import NYGARD
from records import draft

# `clone` and `client` are imported because they are fixtures.
from test_plugin_client import client, clone, pytestmark  # noqa: F401

if TYPE_CHECKING:
    from types import ModuleType

    from plugin_clone import Launcher

TITLE = "Sessions are kept in Redis"
MEMORY = "sessions-are-kept-in-redis"
RETIRED = "logs-are-json"
SOURCE = {"kind": "adr", "path": "docs/adr/7.md", "heading": "", "digest": "0" * 64}
NOTHING = [{"category": "decision", "action": "noop", "source": SOURCE}]
SAVED = {
    "category": "preference",
    "title": "Indent with tabs",
    "tags": ["tabs"],
    "content": {"topic": "indentation", "value": "tabs", "reason": "a rule of the team", "strength": "strong"},
    "cuecard": {"origin": "user", "questions": ["tabs or spaces?"]},
}


def bash(command: str, sent: object = None) -> dict[str, Any]:
    line = command if sent is None else f"{command} <<'CUECARD'\n{json.dumps(sent)}\nCUECARD"
    return {"tool": "Bash", "input": {"command": line, "description": "as the command says"}}


def server(tool: str, **arguments: object) -> dict[str, Any]:
    return {"tool": f"mcp__plugin_cuecard_cuecard__{tool}", "input": arguments}


SEARCH = server("memory_search", query="sessions")
GET = server("memory_get", id=MEMORY)
# What the agent does when a user types the command, as the file of the command prescribes it.
PRESCRIBED: dict[str, list[dict[str, Any]]] = {
    "config": [bash("cuecard doctor")],
    "enrich": [
        bash("cuecard enrich --json"),
        bash("cuecard enrich --apply -", [[f"decision/{MEMORY}", ["why are people logged out?", "c'est où?"]]]),
    ],
    "finish": [
        bash("cuecard enrich --json"),
        bash("cuecard capture sources --json"),
        bash("cuecard enrich --apply -", [[f"decision/{MEMORY}", ["where's my login?"], "Sessions stay in Redis"]]),
        bash("cuecard capture commit --origin import", NOTHING),
    ],
    "gc": [bash("cuecard gc --dry-run"), bash("cuecard gc")],
    "import docs/adr": [
        bash("cuecard capture sources --json 'docs/adr'"),
        bash("cuecard capture commit --origin import", NOTHING),
    ],
    "recall where are sessions kept?": [SEARCH, GET],
    "remember we indent with tabs": [SEARCH, server("memory_save", **SAVED)],
    f"restore {RETIRED}": [server("memory_search", query="logs", status="all"), bash(f"cuecard restore '{RETIRED}'")],
    f"retire {MEMORY}": [SEARCH, server("memory_retire", id=MEMORY, reason="the user asked for it")],
    "save we indent with tabs": [SEARCH, server("memory_save", **SAVED)],
    "search sessions": [SEARCH, GET],
    "status": [
        bash("cuecard health"),
        bash("cuecard stats --since 7d"),
        bash("cuecard list --status retired"),
        bash("cuecard list --status archived"),
    ],
}
# Words of the client's answers to a tool call that it did not run.
REFUSALS = ("requires approval", "requested permissions", "haven't granted", "doesn't want to proceed", "No such tool")


@pytest.fixture
def project(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The Python on PATH must have the packages that the commands need.
    monkeypatch.setenv("E2E_PATH", str(Path(sys.executable).parent))
    file = launcher.project / "docs" / "adr" / "7.md"
    file.parent.mkdir(parents=True)
    file.write_text(NYGARD)
    store = Store(launcher.project)
    store.add(draft(TITLE))
    store.add(draft("Logs are JSON"))
    store.retire(RETIRED, reason="no more")
    return launcher.project


@pytest.mark.parametrize("typed", PRESCRIBED, ids=lambda typed: typed.split()[0])
@pytest.mark.parametrize("place", ["print", "terminal"])
def test_a_command_runs_what_it_prescribes_without_a_question(
    client: ModuleType,  # noqa: F811
    clone: Path,  # noqa: F811
    launcher: Launcher,
    project: Path,
    tmp_path: Path,
    place: str,
    typed: str,
) -> None:
    script = [*PRESCRIBED[typed], {"text": "Done."}]
    options: dict[str, Any] = {"plugins": [clone], "home": str(launcher.home), "out": str(tmp_path / "out")}
    prompt = f"/cuecard:{typed}"
    if place == "print":
        result = client.run(prompt, project, script=script, **options)
    else:
        result = importlib.import_module("cc_terminal").type_prompts([prompt], project, script=script, **options)
    # A question on the terminal would leave the call without an answer, so the requests would be fewer.
    assert len(result.main_requests) == len(script)
    answers = [text for role, text in result.texts(len(script) - 1) if role.endswith("tool_result")]
    assert len(answers) == len(PRESCRIBED[typed])
    for answer in answers:
        assert not any(words in answer for words in REFUSALS), answer


def test_every_command_is_tried() -> None:
    files = Path(__file__).resolve().parents[2].joinpath("commands").glob("*.md")
    assert {typed.split()[0] for typed in PRESCRIBED} == {file.stem for file in files}
