"""What a commit has left for the user is told at the session's next prompt, once, and never to the model."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hook_process import Hook
from scratch_home import kept_of
from small_project import write_project

SESSION = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
ASKED = "why is the hook a native executable and no python script?"
LINES = "cuecard: created decision `One`\ncuecard: updated runbook `Two`\n"
TOLD = "cuecard: created decision `One`; cuecard: updated runbook `Two`"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "a project")


def staging(project: Path, session: str = SESSION) -> Path:
    folder = kept_of(project / ".claude" / "memory") / "staging" / session
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def leave(project: Path, text: str | bytes = LINES, session: str = SESSION) -> Path:
    file = staging(project, session) / "notice"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def ask(hook: Hook, project: Path, prompt: str = ASKED, *arguments: str, **environment: str) -> Any:  # noqa: ANN401 - JSON
    payload = json.dumps({"prompt": prompt, "cwd": str(project), "session_id": SESSION}).encode()
    ran = hook.run("prompt", *arguments, stdin=payload, cwd=project, **environment)
    assert (ran.code, ran.stderr, ran.log) == (0, b"", [])
    return json.loads(ran.stdout) if ran.stdout.startswith(b"{") else ran.stdout.decode()


def test_it_stands_beside_the_block_once(hook: Hook, project: Path) -> None:
    file = leave(project)
    first = ask(hook, project)
    assert list(first) == ["systemMessage", "hookSpecificOutput"]
    assert first["systemMessage"] == TOLD
    assert TOLD not in json.dumps(first["hookSpecificOutput"])
    assert list(file.parent.iterdir()) == []
    assert ask(hook, project, "and why is the hook no python script, once more?") != first
    leave(project, "cuecard: created decision `Three`\n")
    assert ask(hook, project)["systemMessage"] == "cuecard: created decision `Three`"


@pytest.mark.parametrize("prompt", ["/help", "ok", "thanks, bye", "what is the capital of France?"])
def test_it_stands_alone_where_nothing_else_is_said(hook: Hook, project: Path, prompt: str) -> None:
    leave(project)
    assert ask(hook, project, prompt) == {"systemMessage": TOLD}
    assert ask(hook, project, prompt) == ""


def test_another_session_and_another_host_leave_it(hook: Hook, project: Path) -> None:
    other, own = leave(project, session="another"), leave(project)
    for host in ("cursor", "copilot", "plain"):
        assert "systemMessage" not in ask(hook, project, ASKED, "--host", host)
    assert "systemMessage" not in ask(hook, project, CUECARD_OUTPUT="classic")
    assert own.exists()
    assert ask(hook, project)["systemMessage"] == TOLD
    assert other.exists()


def test_of_many_prompts_at_once_one_tells_it(hook: Hook, project: Path) -> None:
    leave(project)
    processes = [hook.start("prompt", cwd=project) for _ in range(8)]
    payload = json.dumps({"prompt": "thanks, bye", "cwd": str(project), "session_id": SESSION}).encode()
    with ThreadPoolExecutor(len(processes)) as threads:
        printed = list(threads.map(lambda process: process.communicate(payload, timeout=60)[0], processes))
    assert sorted(filter(None, printed)) == [
        json.dumps({"systemMessage": TOLD}, separators=(",", ":")).encode() + b"\n"
    ]
    assert list(staging(project).iterdir()) == []


@pytest.mark.parametrize("text", ["", "\n \n", b"x" * 4097])
def test_what_is_no_notice_is_put_away_and_not_told(hook: Hook, project: Path, text: str | bytes) -> None:
    file = leave(project, text)
    assert ask(hook, project, "thanks, bye") == ""
    assert list(file.parent.iterdir()) == []


def test_a_link_or_a_folder_in_its_place_tells_nothing(hook: Hook, project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    (staging(project) / "notice").symlink_to(secret)
    assert ask(hook, project, "thanks, bye") == ""
    assert secret.read_text() == "a secret"
    (staging(project) / "notice").mkdir()
    assert ask(hook, project, "thanks, bye") == ""


def test_an_id_that_names_no_file_reaches_no_other_folder(hook: Hook, project: Path) -> None:
    file = leave(project, session="x")
    payload = json.dumps({"prompt": ASKED, "cwd": str(project), "session_id": "../staging/x"}).encode()
    ran = hook.run("prompt", stdin=payload, cwd=project)
    assert b"systemMessage" not in ran.stdout
    assert file.exists()
