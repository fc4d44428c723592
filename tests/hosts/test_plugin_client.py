"""The plugin in the real Claude Code client, offline (`make e2e`)."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from plugin_clone import BLOCK, BLOCK_OF_FILE, LINE, PROMPT, REPOSITORY, Launcher
from scratch_home import kept_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

E2E = Path(__file__).parents[1] / "e2e"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.name == "nt", reason="the launcher is a POSIX shell script"),
    pytest.mark.skipif(
        os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: the real client is not started"
    ),
    # The first test installs the client, so it needs much time.
    pytest.mark.timeout(900),
]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, launcher: Launcher) -> ModuleType:
    monkeypatch.syspath_prepend(E2E)
    # As for a real user, the data folder is in the home folder of the client.
    monkeypatch.setenv("CUECARD_HOME", str(launcher.home / ".local" / "share" / "cuecard"))
    return importlib.import_module("cc_session")


@pytest.fixture
def clone(launcher: Launcher) -> Path:
    """A clone of the working tree as it is now, without an installation."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (REPOSITORY / name).is_file():
            (launcher.clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, launcher.clone / name)
    return launcher.clone


@pytest.mark.parametrize("options", [["--strict"], ["--strict", "--profile", "directory"]])
@pytest.mark.parametrize("target", [".", ".claude-plugin/plugin.json"])
def test_the_client_finds_nothing_to_report(client: ModuleType, clone: Path, target: str, options: list[str]) -> None:
    done = client.plain(["plugin", "validate", str(clone / target), *options])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout, done.stdout


def test_the_backend_of_a_bare_clone_puts_the_memory_before_the_model(
    client: ModuleType, clone: Path, launcher: Launcher, tmp_path: Path
) -> None:
    if shutil.which("cuecard-hook", path=client.clean_env(str(tmp_path), str(tmp_path))["PATH"]):
        pytest.skip("`cuecard-hook` is on the PATH of this machine")
    assert_injected(client, launcher, [clone], tmp_path)


def test_the_hook_on_path_puts_the_memory_before_the_model(
    client: ModuleType,
    clone: Path,
    launcher: Launcher,
    installed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.rmtree(clone / "python")
    monkeypatch.setenv("E2E_PATH", str(installed.parent))
    assert_injected(client, launcher, [clone], tmp_path)


@pytest.mark.parametrize("is_small", [False, True], ids=["repository", "folder of the plugin"])
def test_the_plugin_installed_from_its_own_marketplace_does_the_same(
    client: ModuleType, clone: Path, launcher: Launcher, tmp_path: Path, *, is_small: bool
) -> None:
    market = tmp_path / "the plugin" if is_small else clone
    if is_small:
        subprocess.run([sys.executable, str(REPOSITORY / "tools" / "make_plugin.py"), str(market)], check=True)
    for command in (
        ["validate", str(market), "--strict"],
        ["marketplace", "add", str(market)],
        ["install", "cuecard@cuecard"],
    ):
        done = client.plain(["plugin", *command], home=str(launcher.home))
        assert done.returncode == 0, done.stdout + done.stderr
    assert_injected(client, launcher, [], tmp_path)


def test_a_prompt_that_no_memory_answers_gets_none(
    client: ModuleType, clone: Path, launcher: Launcher, tmp_path: Path
) -> None:
    result = client.run("thanks, bye", launcher.project, plugins=[clone], out=str(tmp_path / "out"))
    assert result.rc == 0
    assert result.injected() == []


def test_a_conversation_is_shown_a_memory_once_and_again_after_it_was_compacted(
    client: ModuleType, clone: Path, launcher: Launcher, tmp_path: Path
) -> None:
    """The session has a question twice, an edit of a file with a constraint, a compaction, and two more prompts."""
    launcher.anchor("src/app.py")
    file = launcher.project / "src" / "app.py"
    file.parent.mkdir()
    file.write_text("one\n")
    edit = [
        {"tool": "Read", "input": {"file_path": str(file)}},
        {"tool": "Edit", "input": {"file_path": str(file), "old_string": "one", "new_string": "two"}},
    ]

    def say(prompt: str, number: int, script: Sequence[dict[str, Any]] = ()) -> list[str]:
        """Send a prompt. Returns all memory blocks in the request to the model, including those of earlier turns.

        Every prompt with a `number` above 0 continues the session. `script` has the tool calls of the model.
        """
        result = client.run(
            prompt,
            launcher.project,
            plugins=[clone],
            home=str(launcher.home),
            out=str(tmp_path / f"out-{number}"),
            script=list(script),
            extra_args=["--dangerously-skip-permissions", *(["--continue"] if number else [])],
            extra_env={"IS_SANDBOX": "1"},
        )
        assert result.rc == 0, result.stderr
        text = result.body_text(len(result.main_requests) - 1)
        return re.findall("<memory-context.*?</memory-context>", text, re.DOTALL)

    assert say(PROMPT, 0) == [BLOCK]
    assert say(PROMPT, 1) == [BLOCK]
    assert say("what is the capital of France, by the way?", 2, edit) == [BLOCK, BLOCK_OF_FILE]
    assert file.read_text() == "two\n"
    say("/compact", 3)
    assert say("continue", 4) == [BLOCK]
    assert say("now the same again, please", 5) == [BLOCK]
    log = (kept_of(launcher.project / ".claude/memory") / "log/events.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in log]
    assert [(event["event"], event["silence"]) for event in events] == [
        ("prompt", None),
        ("prompt", "session"),
        ("prompt", "gate"),
        ("need", None),
        ("need", "session"),
        ("prompt", None),
        ("prompt", "session"),
    ]


def test_the_model_is_told_what_it_needs_once(
    client: ModuleType, clone: Path, launcher: Launcher, tmp_path: Path
) -> None:
    launcher.anchor("src/app.py")
    file = launcher.project / "src" / "app.py"
    file.parent.mkdir()
    file.write_text("one\n")
    read = {"tool": "Read", "input": {"file_path": str(file)}}
    edit = {"tool": "Edit", "input": {"file_path": str(file), "old_string": "one", "new_string": "two"}}
    failing = "echo 'curl: (60) the TLS certificate has expired' >&2; exit 60"
    result = client.run(
        "thanks, bye",
        launcher.project,
        plugins=[clone],
        script=[read, edit, {"tool": "Bash", "input": {"command": failing, "description": "t"}}],
        extra_args=["--dangerously-skip-permissions"],
        extra_env={"IS_SANDBOX": "1"},
        out=str(tmp_path / "out"),
    )
    assert result.rc == 0, result.stderr
    assert file.read_text() == "two\n"
    said = result.body_text(3)
    assert said.count("PreToolUse:Read hook additional context") == 1
    assert "PreToolUse:Edit hook additional context" not in said
    assert said.count("Nothing is written twice") == 1
    assert said.count("PostToolUseFailure:Bash hook additional context") == 1
    assert said.count("Renew the TLS certificate") == 1


def test_a_command_that_writes_into_the_store_is_not_run(
    client: ModuleType, clone: Path, launcher: Launcher, tmp_path: Path
) -> None:
    index = launcher.project / ".claude" / "memory" / "index.md"
    before = index.read_text()
    commands = [f"echo x > '{index}'", f"head -1 '{index}'"]
    result = client.run(
        "thanks, bye",
        launcher.project,
        plugins=[clone],
        script=[{"tool": "Bash", "input": {"command": command, "description": "t"}} for command in commands],
        extra_args=["--dangerously-skip-permissions"],
        extra_env={"IS_SANDBOX": "1"},
        out=str(tmp_path / "out"),
    )
    assert result.rc == 0, result.stderr
    found = [text for role, text in result.texts(len(commands)) if role.endswith("tool_result")]
    assert "PreToolUse:Bash" in found[0]
    assert "use `cuecard index rebuild`" in found[0]
    assert found[1].strip() == LINE.strip()
    assert index.read_text() == before


def test_a_file_that_is_no_memory_is_set_aside_and_the_model_told(
    client: ModuleType, clone: Path, launcher: Launcher, tmp_path: Path
) -> None:
    hooks = clone / "hooks" / "hooks.json"
    without_guard = json.loads(hooks.read_text())
    del without_guard["hooks"]["PreToolUse"]
    hooks.write_text(json.dumps(without_guard))
    file = launcher.project / ".claude" / "memory" / "runbooks" / "new.json"
    result = client.run(
        "thanks, bye",
        launcher.project,
        plugins=[clone],
        script=[{"tool": "Write", "input": {"file_path": str(file), "content": "{}"}}],
        extra_args=["--dangerously-skip-permissions"],
        extra_env={"IS_SANDBOX": "1"},
        out=str(tmp_path / "out"),
    )
    assert result.rc == 0, result.stderr
    assert not file.exists()
    [aside] = file.parent.glob("new.json.invalid.*")
    assert f"`.claude/memory/runbooks/{aside.name}`" in result.body_text(1)
    assert "INVALID_MEMORY" in result.body_text(1)


def assert_injected(client: ModuleType, launcher: Launcher, plugins: list[Path], tmp_path: Path) -> None:
    """Assert that the request to the model contains the block of our hook, and that no hook has failed."""
    result = client.run(PROMPT, launcher.project, plugins=plugins, home=str(launcher.home), out=str(tmp_path / "out"))
    assert result.rc == 0, result.stderr
    [injected] = result.injected()
    assert injected["event"] == "UserPromptSubmit"
    assert injected["text"].rstrip() == f"UserPromptSubmit hook additional context: {BLOCK}"
    assert [kind for kind, _, _ in result.hook_attachments()] == ["hook_additional_context"]
