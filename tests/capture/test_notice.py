"""After a commit of drafts, the user is shown a notice once, at the session's next prompt; the model never sees it."""

import json
import os
import time
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


def kept(project: Path) -> Path:
    folder = kept_of(project / ".claude" / "memory")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def leave(project: Path, text: str | bytes = LINES) -> Path:
    file = kept(project) / "notice"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def notices(project: Path) -> list[str]:
    return [path.name for path in kept(project).iterdir() if path.name.startswith("notice")]


def ask(
    hook: Hook, project: Path, prompt: str = ASKED, *arguments: str, session: str = SESSION, **environment: str
) -> Any:  # noqa: ANN401 - JSON
    payload = json.dumps({"prompt": prompt, "cwd": str(project), "session_id": session}).encode()
    ran = hook.run("prompt", *arguments, stdin=payload, cwd=project, **environment)
    assert (ran.code, ran.stderr, ran.log) == (0, b"", [])
    return json.loads(ran.stdout) if ran.stdout.startswith(b"{") else ran.stdout.decode()


def test_it_stands_beside_the_block_once(hook: Hook, project: Path) -> None:
    leave(project)
    first = ask(hook, project)
    assert list(first) == ["systemMessage", "hookSpecificOutput"]
    assert first["systemMessage"] == TOLD
    assert TOLD not in json.dumps(first["hookSpecificOutput"])
    assert notices(project) == []
    assert ask(hook, project, "and why is the hook no python script, once more?") != first
    leave(project, "cuecard: created decision `Three`\n")
    assert ask(hook, project)["systemMessage"] == "cuecard: created decision `Three`"


@pytest.mark.parametrize("prompt", ["/help", "ok", "thanks, bye", "what is the capital of France?"])
def test_it_stands_alone_where_nothing_else_is_said(hook: Hook, project: Path, prompt: str) -> None:
    leave(project)
    assert ask(hook, project, prompt) == {"systemMessage": TOLD}
    assert ask(hook, project, prompt) == ""


def test_another_host_leaves_it(hook: Hook, project: Path) -> None:
    file = leave(project)
    for host in ("cursor", "copilot", "plain"):
        assert "systemMessage" not in ask(hook, project, ASKED, "--host", host)
    assert "systemMessage" not in ask(hook, project, ASKED, "--output", "classic")
    assert "systemMessage" not in ask(hook, project, CUECARD_OUTPUT="classic")
    assert file.exists()
    assert ask(hook, project)["systemMessage"] == TOLD


def test_the_next_session_tells_what_one_that_has_ended_has_saved(hook: Hook, project: Path) -> None:
    leave(project)
    assert ask(hook, project, "thanks, bye", session="another")["systemMessage"] == TOLD
    assert ask(hook, project, "thanks, bye") == ""


def test_of_many_prompts_at_once_one_tells_it(hook: Hook, project: Path) -> None:
    leave(project)
    processes = [hook.start("prompt", cwd=project) for _ in range(8)]
    payload = json.dumps({"prompt": "thanks, bye", "cwd": str(project), "session_id": SESSION}).encode()
    with ThreadPoolExecutor(len(processes)) as threads:
        printed = list(threads.map(lambda process: process.communicate(payload, timeout=60)[0], processes))
    assert sorted(filter(None, printed)) == [
        json.dumps({"systemMessage": TOLD}, separators=(",", ":")).encode() + b"\n"
    ]
    assert notices(project) == []


@pytest.mark.parametrize("text", ["", "\n \n", b"x" * 4097])
def test_what_is_no_notice_is_put_away_and_not_told(hook: Hook, project: Path, text: str | bytes) -> None:
    leave(project, text)
    assert ask(hook, project, "thanks, bye") == ""
    assert notices(project) == []


def test_a_link_or_a_folder_in_its_place_tells_nothing(hook: Hook, project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    (kept(project) / "notice").symlink_to(secret)
    assert ask(hook, project, "thanks, bye") == ""
    assert secret.read_text() == "a secret"
    (kept(project) / "notice").mkdir()
    assert ask(hook, project, "thanks, bye") == ""


@pytest.fixture
def inbox(project: Path) -> Path:
    folder = kept(project) / "inbox"
    folder.mkdir()
    (folder / "dealt-with").write_text("0123456789ab\n")
    return folder


def is_told_long_ago(inbox: Path) -> None:
    os.utime(inbox / "told", (0, time.time() - 24 * 60 * 60 - 60))


def test_the_user_is_told_once_a_day_how_many_drafts_wait(hook: Hook, project: Path, inbox: Path) -> None:
    assert ask(hook, project, "thanks, bye") == ""
    (inbox / "0123456789ab.json").write_text("{}")
    assert ask(hook, project, "thanks, bye") == {"systemMessage": "cuecard: 1 draft waits for `cuecard review`"}
    (inbox / "123456789abc.json").write_text("{}")
    assert ask(hook, project, "thanks, bye", session="another") == ""
    is_told_long_ago(inbox)
    leave(project, "cuecard: created decision `One`\n")
    told = "cuecard: created decision `One`; cuecard: 2 drafts wait for `cuecard review`"
    assert ask(hook, project, "thanks, bye") == {"systemMessage": told}
    is_told_long_ago(inbox)
    for file in inbox.glob("*.json"):
        file.unlink()
    assert ask(hook, project, "thanks, bye") == ""


def test_other_hosts_are_not_told_of_drafts_that_wait(hook: Hook, project: Path, inbox: Path) -> None:
    (inbox / "0123456789ab.json").write_text("{}")
    assert ask(hook, project, "thanks, bye", "--host", "cursor") == ""
    assert not (inbox / "told").exists()


def leave_session(project: Path, session: str, *files: str, minutes: int = 60) -> Path:
    """Write a staging folder with some files, as a session left it `minutes` ago."""
    folder = kept(project) / "staging" / session
    folder.mkdir(parents=True)
    for name in ("handled-4096", *files):
        (folder / name).write_text("")
    os.utime(folder, (0, time.time() - minutes * 60))
    return folder


FAILED = "cuecard: 2 drafts of earlier sessions could not be saved; see `cuecard doctor`"
UNANSWERED = "cuecard: 1 earlier session ended before its drafts were written; see `cuecard doctor`"


def test_the_next_session_tells_once_what_earlier_ones_have_left_undone(hook: Hook, project: Path) -> None:
    leave_session(project, "done")
    leave_session(project, "failed", "failed-0123456789ab.json", "failed-123456789abc.json", "triage.json")
    leave_session(project, "unanswered", "triage.json", "context-decision.txt")
    leave_session(project, "at-work", "triage.json", minutes=5)
    own = leave_session(project, SESSION, "triage.json")
    assert ask(hook, project)["systemMessage"] == f"{FAILED}; {UNANSWERED}"
    (own / "triage.json").unlink()
    for session in (SESSION, "another"):
        assert "systemMessage" not in ask(hook, project, f"{ASKED} once more", session=session)


def test_a_session_that_goes_on_is_not_told_of_others(hook: Hook, project: Path) -> None:
    ask(hook, project)
    leave_session(project, "failed", "failed-0123456789ab.json")
    assert "systemMessage" not in ask(hook, project, "and where is the shell hook that is slow?")
