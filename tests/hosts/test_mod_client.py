"""The plugin's mod in the real client: what a person sees and presses, and what the model gets. Set CUECARD_E2E=1."""

import json
import os
import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from plugin_clone import REPOSITORY

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.name == "nt", reason="the launcher is a POSIX shell script"),
    pytest.mark.skipif(
        os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: the real client is not started"
    ),
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
    # The first test installs the client, so it needs much time.
    pytest.mark.timeout(900),
]
BAND = r"cuecard: \d+ shown"
OLD = ("2.1.250", "2.1.287")


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a module of tools/
    monkeypatch.syspath_prepend(REPOSITORY / "tests" / "e2e")
    monkeypatch.syspath_prepend(REPOSITORY / "tools")
    monkeypatch.setenv("CLAUDE_CODE_VERSION", os.environ.get("CLAUDE_CODE_VERSION", "2.1.332"))
    return import_module("mod_session")


def test_what_is_shown_is_seen_judged_and_decided_without_a_model(session: Any, tmp_path: Path) -> None:  # noqa: ANN401
    home, project = session.prepare(tmp_path)
    plugin = session.copy_plugin(tmp_path / "plugin")
    driven = session.drive(session.ASK + session.VERDICT + session.PANE, home, project, [plugin])

    assert re.search(r"cuecard: 3 shown · wrong\? a: \w.* b: \w.* c: \w.* · 2 wait: /memories", driven.text("band"))
    # A digit that is typed into the empty prompt is text, and judges nothing.
    assert re.search(r"^❯.1\b", driven.text("typed"), re.MULTILINE)
    assert "wrong: " not in driven.text("typed")
    assert re.search(r"cuecard: 3 shown · wrong: \w.*  u: undo", driven.text("verdict"))
    pane = driven.text("pane")
    assert "s: shown 3" in pane
    assert "i: inbox 2" in pane
    assert re.search(r"shown with its text · “", pane)
    assert "% sure" in pane
    assert "balanced" in driven.text("memory")
    assert "[constraint] Prices in the catalogue" in driven.text("inbox")
    assert "if you accept it: created" in driven.text("draft")
    assert "the nearest memory" in driven.text("draft")
    assert "accepted: Prices in the catalogue" in driven.text("accepted")
    assert "Restore the database" in driven.text("found")

    # One request to the model in all, with one block; verdicts and inbox asked nothing.
    assert len(driven.all_requests) == 1
    assert driven.blocks() == 1
    # Both were taken back.
    assert json.loads(session.run_as(home, project, "cuecard wrong --list --json")) == {"verdicts": []}
    assert len(json.loads(session.run_as(home, project, "cuecard review list --json"))["drafts"]) == 2


def broken(plugin: Path, text: str) -> Path:
    (plugin / "hooks" / "mod.js").write_text(text, encoding="utf-8")
    return plugin


BROKEN = {
    "does not load": "export const register = (",
    "throws": "export const register = on => { on('classic.UserPromptSubmit', () => { throw new Error('x') }) }",
}


@pytest.mark.parametrize("how", ["plugin", "plugin and hook", "two plugins and hook", *BROKEN])
def test_the_model_gets_exactly_one_block(session: Any, tmp_path: Path, how: str) -> None:  # noqa: ANN401
    home, project = session.prepare(tmp_path)
    plugins = [session.copy_plugin(tmp_path / "plugin")]
    if how in BROKEN:
        broken(plugins[0], BROKEN[how])
    if how.startswith("two"):
        plugins.append(session.copy_plugin(tmp_path / "second"))
    if how.endswith("hook"):
        session.run_as(home, project, "cuecard install claude-code")
    driven = session.drive(session.ASK[:4], home, project, plugins)
    assert [driven.blocks(place) for place in range(len(driven.requests))] == [1]


@pytest.mark.parametrize("version", OLD)
def test_an_older_client_gets_its_block_and_works(
    session: Any,  # noqa: ANN401
    tmp_path: Path,
    version: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_VERSION", version)
    home, project = session.prepare(tmp_path)
    plugin = session.copy_plugin(tmp_path / "plugin")
    # 2.1.250 knows no mods; 2.1.287 is the first that does.
    steps = session.ASK if version == "2.1.287" else session.ASK[:4]
    driven = session.drive((*steps, ("show", "end")), home, project, [plugin])
    assert [driven.blocks(place) for place in range(len(driven.requests))] == [1]
    assert bool(re.search(BAND, driven.text("end"))) is (version == "2.1.287")


def test_a_project_does_not_choose_the_programs_of_the_mod(session: Any, tmp_path: Path) -> None:  # noqa: ANN401
    home, project = session.prepare(tmp_path)
    # Installing records the programs; the hook that it installs answers beside the plugin's.
    session.run_as(home, project, "cuecard install claude-code")
    folder, ran = project / "bin", tmp_path / "ran"
    folder.mkdir()
    for name in ("cuecard", "cuecard-hook", "sh", "python3"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> '{ran}'\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    settings = {"env": {"PATH": f"{folder}:/usr/bin:/bin"}}
    (project / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    steps = (*session.ASK, ("key", "C-x", "Tab"), ("key", "a"), ("until", "wrong: [A-Z].* undo"), ("show", "verdict"))
    driven = session.drive(steps, home, project, [session.copy_plugin(tmp_path / "plugin")])
    assert "wrong: A customer was charged twice" in driven.text("verdict")
    assert not ran.exists(), ran.read_text("utf-8")
