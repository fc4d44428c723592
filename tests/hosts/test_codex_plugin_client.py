"""The plugin in the real Codex, alone and beside the installed hooks, against a scripted model (`make e2e`)."""

import os
from pathlib import Path

import pytest

from host_clients import AGAIN, RUNS, start
from host_machine import Machine
from scripted_model import ScriptedModel, walk

# `clone` is imported because it is a fixture.
from test_plugin_client import clone  # noqa: F401

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.name == "nt", reason="the launcher is a POSIX shell script"),
    pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started"),
    pytest.mark.timeout(600),
]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "machine").mkdir()
    return Machine(tmp_path / "machine")


def add_plugin(machine: Machine, model: ScriptedModel, clone: Path) -> None:  # noqa: F811
    # The first run writes the settings with the model.
    RUNS["codex"](machine, model)
    start(machine, "codex", "plugin", "marketplace", "add", str(clone))
    start(machine, "codex", "plugin", "add", "cuecard@cuecard")


def test_the_plugin_in_codex_shows_a_memory_once(machine: Machine, model: ScriptedModel, clone: Path) -> None:  # noqa: F811
    add_plugin(machine, model, clone)
    for arguments in ((), AGAIN["codex"]):
        model.play()
        printed = RUNS["codex"](machine, model, *arguments)
        assert {sum(text.count("<memory-context source") for text in walk(body)) for body in model.bodies} == {1}
        # Codex warns of a time limit that it does not take.
        assert "clamping" not in printed


def test_the_plugin_and_the_hooks_are_not_both_installed(machine: Machine, model: ScriptedModel, clone: Path) -> None:  # noqa: F811
    machine.document("install", "codex")
    add_plugin(machine, model, clone)
    [codex] = [host for host in machine.document("hosts")["hosts"] if host["host"] == "codex"]
    assert any("the plugin `cuecard` is enabled" in problem for problem in codex["problems"])
    machine.document("uninstall", "codex")
    ran = machine.run("install", "codex")
    assert ran.code != 0
    assert "the plugin `cuecard` is enabled" in ran.stderr
