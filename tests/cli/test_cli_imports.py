"""Which modules each command loads: commands that only read do not load the models, and help loads hardly anything."""

import subprocess
import sys
from pathlib import Path

import pytest

from command_process import environment
from cuecard.cli.command_table import COMMANDS
from small_project import write_project

# pydantic builds the models, and loading it takes longer than these commands take. rich draws on terminals.
HEAVY = {
    "argparse",
    "click",
    "dataclasses",
    "filelock",
    "importlib.metadata",
    "inspect",
    "pydantic",
    "rich",
    "subprocess",
    "typer",
    "typing",
}
PROMPT = "why is the hook not a python script?"
READING = [
    ["--help"],
    ["show", "--help"],
    ["recall", PROMPT],
    ["search", "hook"],
    ["show", "native-hook"],
    ["list"],
    ["log"],
    ["why", "native-hook", "--prompt", PROMPT],
    ["stats"],
    ["timeline", "native-hook"],
    ["lineage", "native-hook"],
]

PROGRAM = """
import sys
from cuecard.cli.run import run
status = run(sys.argv[1:])
sys.stderr.write(" ".join(sys.modules))
sys.exit(status)
"""


def loaded_by(tmp_path: Path, arguments: list[str]) -> set[str]:
    """The modules that a successful run of the command has loaded."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=write_project(tmp_path / "project"),
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(ran.stderr.split())


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_commands_that_read_load_neither_models_nor_frameworks(tmp_path: Path, arguments: list[str]) -> None:
    loaded = loaded_by(tmp_path, arguments)
    assert "cuecard.cli.run" in loaded
    assert not HEAVY & loaded


def test_the_doctor_loads_as_little_as_they_do(tmp_path: Path, fresh_data: Path) -> None:
    # If a hook is on PATH, the doctor starts it. Where a store is gone, it reads what was written there.
    heavy = (HEAVY | {"difflib", "shutil"}) - {"subprocess"}
    assert not heavy & loaded_by(tmp_path, ["doctor"])


def test_the_doctor_loads_no_subprocess_without_a_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not {"subprocess", "sysconfig"} & loaded_by(tmp_path, ["doctor"])


def test_the_list_of_commands_loads_none_of_them(tmp_path: Path) -> None:
    modules = {f"cuecard.cli.commands.{place.partition(':')[0]}" for place, _ in COMMANDS.values()}
    assert not modules & loaded_by(tmp_path, ["--help"])
