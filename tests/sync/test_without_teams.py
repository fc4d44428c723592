"""For a user without a team nothing of `cuecard.sync` is imported, and no process starts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hook_process import Hook
from team_users import User, run_cuecard

TITLE = "Mail is sent by a queue of its own"
# Runs a part of cuecard, then prints what must not be there: modules, and what started a process.
WATCH = """
import sys
started = []
NAMES = ("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system")
sys.addaudithook(lambda name, _given: started.append(name) if name in NAMES else None)
{run}
found = [name for name in sys.modules if name.startswith(("cuecard.sync", "psycopg", "sqlite3"))]
print("FOUND", found + started, file=sys.stderr)
"""
# Starts a program, adopts every process that it leaves behind, and prints how many these are.
ADOPT = """
import ctypes, os, subprocess, sys
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
left = 0
try:
    while True:
        os.wait()
        left += 1
except ChildProcessError:
    print(left)
"""
EVENTS = {
    "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "How is mail sent?"},
    "session": {"hook_event_name": "SessionStart", "source": "startup"},
}

pytestmark = pytest.mark.process


@pytest.fixture
def ada(tmp_path: Path) -> User:
    user = User(tmp_path / "ada")
    user.write(TITLE)
    return user


def event(user: User, kind: str) -> str:
    return json.dumps({"session_id": "s", "cwd": str(user.root), **EVENTS[kind]})


def watch(user: User, run: str, stdin: str = "", **environment: str) -> str:
    """What `WATCH` prints."""
    with user.at_work():
        done = subprocess.run(
            [sys.executable, "-c", WATCH.format(run=run)],
            cwd=user.root,
            env=os.environ | environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize("kind", EVENTS)
def test_a_hook_in_python_imports_and_starts_nothing(ada: User, kind: str, backend: str) -> None:
    run = f"from cuecard.hook import main; sys.argv[1:] = [{kind!r}]; main()"
    assert watch(ada, run, event(ada, kind), CUECARD_BACKEND=backend) == "FOUND []"


@pytest.mark.parametrize(
    "words", [["list"], ["search", "mail"], ["recall", "how is mail sent"], ["add", "--help"], ["stores"]]
)
def test_a_command_imports_and_starts_nothing(ada: User, words: list[str]) -> None:
    assert watch(ada, f"from cuecard.cli.run import run; run({words!r})") == "FOUND []"


def test_the_doctor_imports_nothing(ada: User) -> None:
    """It asks the programs on this machine for their versions."""
    assert "cuecard.sync" not in watch(ada, "from cuecard.cli.run import run; run(['doctor'])")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt what another one leaves behind")
@pytest.mark.parametrize("is_on", [False, True])
@pytest.mark.parametrize("kind", EVENTS)
def test_a_hook_leaves_a_process_behind_only_if_the_user_wants_it(
    hook: Hook, ada: User, kind: str, is_on: bool
) -> None:
    run_cuecard(ada, "config", "sync.at_session_start", json.dumps(is_on), "--user")
    with ada.at_work():
        done = subprocess.run(
            [sys.executable, "-c", ADOPT, *hook.command, kind],
            cwd=ada.root,
            env={**os.environ, **hook.environment},
            input=event(ada, kind),
            capture_output=True,
            text=True,
            check=True,
        )
    assert (int(done.stdout) > 0) == (is_on and kind == "session")
