"""The quick checks before a commit (`.pre-commit-config.yaml`)."""

import importlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backends import miss

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / ".pre-commit-config.yaml"
# At least one hook of each kind: format, lint, types, vectors.
HOOKS = {"ruff-check", "ruff-format", "mypy", "imports", "rustfmt", "clippy", "vectors", "vectors-in-rust"}
# Files of a commit for which every hook has something to do. `make lint` checks all other files.
COMMITTED = ("python/cuecard/_pure/__init__.py", "rust/core/src/lib.rs")

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def hooks() -> dict[str, dict[str, Any]]:
    """The hooks by id, read with pre-commit itself; raises an error if the file is invalid."""
    if importlib.util.find_spec("pre_commit") is None:
        miss("`pre_commit` of the dependency group `dev`")
    config = importlib.import_module("pre_commit.clientlib").load_config(str(CONFIG))
    assert [repository["repo"] for repository in config["repos"]] == ["local"]
    return {hook["id"]: hook for hook in config["repos"][0]["hooks"]}


def test_there_is_a_hook_for_every_kind_of_check(hooks: dict[str, dict[str, Any]]) -> None:
    assert set(hooks) == HOOKS
    assert {hook["language"] for hook in hooks.values()} <= {"system", "unsupported"}


def test_every_command_is_there(hooks: dict[str, dict[str, Any]]) -> None:
    for hook in hooks.values():
        program, *arguments = shlex.split(hook["entry"])
        assert program == "cargo" or program.startswith(".venv/bin/")
        if program != "cargo":
            assert (ROOT / program).is_file(), "`make dev` makes it"
        paths = [argument for argument in arguments if argument.startswith("tests/")]
        assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.timeout(1200)
def test_every_hook_runs_and_passes(hooks: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    assert hooks
    if not (ROOT / ".git").exists() or shutil.which("cargo") is None:
        miss("the repository, or `cargo`")
    # Hooks may reformat files, and a commit that runs these tests has a git index of its own. So git's variables are
    # removed.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["PRE_COMMIT_HOME"] = str(tmp_path)
    # `make test` runs the vectors themselves. Here it is enough that pytest accepts the command and finds tests.
    environment["PYTEST_ADDOPTS"] = "--collect-only"
    command = [sys.executable, "-m", "pre_commit", "run", "--files", *COMMITTED]
    command += ["--show-diff-on-failure", "--color", "never"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = [line for line in done.stdout.splitlines() if line.endswith("Passed")]
    assert len(passed) == len(HOOKS), done.stdout
