"""The folder that `tools/make_plugin.py` writes is the whole plugin, and has little else of the repository."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from plugin_clone import BLOCK, REPOSITORY, Launcher, interpreter

pytestmark = pytest.mark.process
MAKER = REPOSITORY / "tools" / "make_plugin.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "the plugin"
    ran = subprocess.run([sys.executable, str(MAKER), str(made)], capture_output=True, text=True, check=True)
    assert re.fullmatch(rf"{re.escape(str(made))}: \d+\.\d MiB\n", ran.stdout)
    return made


def test_it_has_every_file_that_its_manifests_and_launchers_name(folder: Path) -> None:
    texts = [file for name in ("hooks", "bin", ".claude-plugin", ".codex-plugin") for file in (folder / name).iterdir()]
    texts.append(folder / ".mcp.json")
    named = set()
    for file in texts:
        if file.suffix != ".png":
            named |= set(re.findall(r"\$\{?(?:CLAUDE_)?PLUGIN_ROOT\}?/([\w./-]+)", file.read_text("utf-8")))
    assert "hooks/cuecard-hook.sh" in named
    assert [name for name in named if not (folder / name).exists()] == []


def test_it_has_nothing_of_the_tests_and_benches(folder: Path) -> None:
    kept = {path.name for path in folder.iterdir()}
    assert kept.isdisjoint({"tests", "benches", "docs", "rust", "tools", "examples", ".github", ".claude"})
    assert [*folder.rglob("__pycache__"), *folder.rglob("*.so")] == []


def test_a_folder_with_something_in_it_is_refused(folder: Path) -> None:
    ran = subprocess.run([sys.executable, str(MAKER), str(folder)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, f"error: {folder} is not empty\n")


def test_its_launcher_answers_a_prompt_without_an_installation(folder: Path, tmp_path: Path) -> None:
    launcher = Launcher(tmp_path / "machine")
    launcher.put("python3", interpreter())
    ran = launcher.run(script=folder / "hooks" / "cuecard-hook.sh")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert BLOCK.splitlines()[1] in ran.stdout.decode()
