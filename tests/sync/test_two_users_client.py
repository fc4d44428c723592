"""Two users and one server, in the real Claude Code client, offline (`make e2e`)."""

from __future__ import annotations

import importlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plugin_clone import REPOSITORY
from team_remotes import make_repository
from team_server import Server
from team_users import User, run_cuecard

if TYPE_CHECKING:
    from types import ModuleType

E2E = Path(__file__).parents[1] / "e2e"
TITLE = "Payment webhooks are verified with an HMAC before the body is parsed"
PROMPT = "How are payment webhooks verified before the body is parsed?"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: the real client is not started"
    ),
    # The first test installs the client, so it needs much time.
    pytest.mark.timeout(900),
]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    hook = shutil.which("cuecard-hook")
    if hook is None:
        pytest.skip("`cuecard-hook` is not installed")
    monkeypatch.syspath_prepend(E2E)
    monkeypatch.setenv("E2E_PATH", str(Path(hook).parent))
    return importlib.import_module("cc_session")


def ask(client: ModuleType, user: User, folder: Path) -> str:
    """What the model would have received from the hooks at a prompt of a user."""
    result = client.run(
        PROMPT, user.root, plugins=[REPOSITORY], home=str(user.home), out=str(folder / user.root.parent.name)
    )
    assert result.rc == 0, result.stderr
    return "".join([one["text"] for one in result.injected()])


def run(user: User, *words: str) -> None:
    done = run_cuecard(user, *words)
    assert done.returncode == 0, done.stderr


def share(ada: User, ben: User, *options: str, url_of_ben: str = "") -> None:
    """What the guide says, from `join` to `pull`."""
    run(ada, "sync", "join", *options)
    run(ben, "sync", "join", *([url_of_ben, *options[1:]] if url_of_ben else options))
    run(ada, "share", ada.write(TITLE, category="constraint"))
    run(ada, "sync", "push")
    run(ben, "sync", "pull")


def test_a_memory_reaches_a_prompt_of_the_other_through_a_server_and_no_stranger(
    client: ModuleType, tmp_path: Path
) -> None:
    ada, ben, eve = [User(tmp_path / name) for name in ("ada", "ben", "eve")]
    server = Server()
    try:
        server.add_scope("team", ada="write", ben="read")
        server.add_login("eve")
        share(ada, ben, server.url("ada"), "--scope", "team", url_of_ben=server.url("ben"))
        refused = run_cuecard(eve, "sync", "join", server.url("eve"), "--scope", "team")
        assert (refused.returncode, "you can read no scope `team`" in refused.stderr) == (2, True)
        # A user who writes the team into the configuration gets no further.
        eve.join(server.url("eve"), scope="team")
        assert run_cuecard(eve, "sync", "pull").returncode == 1
        assert "webhooks" not in run_cuecard(eve, "search", "--remote", "webhooks").stdout
    finally:
        server.remove()
    # The prompts are answered without the server.
    assert TITLE in ask(client, ben, tmp_path / "out")
    assert TITLE not in ask(client, eve, tmp_path / "out")


def test_a_memory_reaches_a_prompt_of_the_other_through_a_repository(client: ModuleType, tmp_path: Path) -> None:
    ada, ben = [User(tmp_path / name) for name in ("ada", "ben")]
    share(ada, ben, make_repository(tmp_path / "team.git").as_uri())
    assert TITLE in ask(client, ben, tmp_path / "out")
