"""Two people with machines of their own and one repository: a memory of the one is in a prompt of the other."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from hook_process import Hook
from team_remotes import make_repository
from team_users import User, run_cuecard

TITLE = "Payment webhooks are verified with an HMAC before the body is parsed"
PROMPT = "How are payment webhooks verified before the body is parsed?"


@pytest.mark.process
def test_a_memory_of_the_one_is_in_a_prompt_of_the_other(hook: Hook, tmp_path: Path) -> None:
    url = make_repository(tmp_path / "team.git").as_uri()
    ada, ben, eve = [User(tmp_path / name) for name in ("ada", "ben", "eve")]
    for user in (ada, ben):
        assert run_cuecard(user, "sync", "join", url).returncode == 0
    name = ada.write(TITLE, category="constraint")
    for words in (("share", name), ("sync", "push")):
        assert run_cuecard(ada, *words).returncode == 0
    assert run_cuecard(ben, "sync", "pull").returncode == 0
    assert TITLE in _ask(hook, ben)
    assert _ask(hook, eve) == ""


def _ask(hook: Hook, user: User) -> str:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(user.root), "prompt": PROMPT}
    with user.at_work():
        done = subprocess.run(
            [*hook.command, "prompt"],
            cwd=user.root,
            env={**os.environ, **hook.environment},
            input=json.dumps(event),
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout
