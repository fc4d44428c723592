"""The examples run, and print what the documentation says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cuecard
from scratch_home import make_home

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MEMORIES = sorted((EXAMPLES / "teashop" / ".claude" / "memory").glob("[!.]*/*.json"))

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="the scripts are for a Unix shell"),
]


def run(tmp_path: Path, *command: str) -> str:
    """The output of an example; it is started in an unrelated folder."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | make_home(tmp_path / "home") | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_session_runs_and_shows_every_step(tmp_path: Path) -> None:
    shown = run(tmp_path, "sh", str(EXAMPLES / "session.sh"))
    assert "health: GOOD" in shown
    assert "decision: The `charges` worker retries from the queue" in shown
    assert '"additionalContext"' in shown
    assert "impact: ounces differ between suppliers" in shown
    assert "\nput back  .claude/memory/constraints/tea-is-weighed-in-grams.json" in shown


def test_the_python_api_runs(tmp_path: Path) -> None:
    shown = run(tmp_path, sys.executable, str(EXAMPLES / "python_api.py"))
    assert "and nothing for a haiku: []" in shown
    assert "<memory-context" in shown
    assert "written, changed and retired; a search finds it: False" in shown


def test_the_evaluation_finds_what_the_prompts_want(tmp_path: Path) -> None:
    shown = run(tmp_path, "sh", str(EXAMPLES / "evaluation" / "run.sh"))
    for setting in ("precise", "balanced", "eager"):
        assert f"== {setting}\n20 prompts" in shown


def test_the_judgments_name_memories_that_are_there() -> None:
    prompts = [json.loads(line) for line in (EXAMPLES / "evaluation/prompts.jsonl").read_text("utf-8").splitlines()]
    assert {name for prompt in prompts for name in prompt["judgments"]} <= {file.stem for file in MEMORIES}
    assert any(not prompt["judgments"] for prompt in prompts)


def test_the_project_has_thirty_memories_of_every_category() -> None:
    assert len(MEMORIES) == 30
    assert len({file.parent for file in MEMORIES}) == 6
    assert len(cuecard.open(EXAMPLES / "teashop").memories()) == 30


def test_nothing_that_is_derived_is_kept_with_the_project() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "examples"], cwd=EXAMPLES.parent, capture_output=True, encoding="utf-8", check=False
    )
    assert ".cuecard/" not in listed.stdout
