"""The commands: from `join` to a memory of the one in the pack of the other, and what is said on the way."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from cuecard.sync.pack import current_root
from cuecard.sync.teams import find_team, folder_of, open_state
from hook_process import Hook
from team_remotes import make_repository
from team_users import User, run_cuecard

TITLE = "Mail is sent by a queue of its own"
ID = "mail-is-sent-by-a-queue-of-its-own"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return make_repository(tmp_path / "team.git").as_uri()


@pytest.fixture
def ada(tmp_path: Path) -> User:
    return User(tmp_path / "ada")


@pytest.fixture
def ben(tmp_path: Path) -> User:
    return User(tmp_path / "ben")


def document(user: User, *words: str, status: int = 0) -> dict[str, object]:
    done = run_cuecard(user, *words, "--json")
    assert done.returncode == status, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.process
def test_from_join_to_the_pack_of_another(ada: User, ben: User, url: str) -> None:
    assert document(ada, "sync", "join", url)["team"] == "team"
    document(ben, "sync", "join", url, "--as", "mail")
    name = ada.write(TITLE)
    shared = run_cuecard(ada, "share", name)
    assert shared.returncode == 0
    assert "nothing has left this machine yet" in shared.stderr
    assert document(ada, "sync", "status", "--offline")["teams"][0]["to_push"] == [f"decisions/{ID}.json"]  # type: ignore[index]
    assert document(ada, "sync", "push")["teams"][0]["pushed"] == [f"decisions/{ID}.json"]  # type: ignore[index]
    status = document(ben, "sync", "status")["teams"][0]  # type: ignore[index]
    assert (status["to_pull"], status["memories"]) == (1, 0)
    document(ben, "sync", "pull")
    with ben.at_work():
        assert (
            json.loads(Path(current_root("mail"), f".claude/memory/decisions/{ID}.json").read_text())["title"] == TITLE
        )
    doctor = run_cuecard(ben, "doctor").stdout
    assert "sync mail" in doctor
    assert "prompts find 1 memory that the team shares\n" in doctor
    assert document(ben, "sync", "leave", "mail") == {"team": "mail", "waiting": [], "damaged": False}
    with ben.at_work():
        assert current_root("mail") == ""


@pytest.mark.process
def test_a_conflict_is_seen_by_both_until_an_update_decides(ada: User, ben: User, url: str) -> None:
    for user in (ada, ben):
        run_cuecard(user, "sync", "join", url)
    name = ada.write(TITLE)
    run_cuecard(ada, "share", name)
    run_cuecard(ada, "sync", "push")
    file = Path(".claude/memory/decisions", f"{ID}.json")
    (ben.root / file.parent).mkdir()
    (ben.root / file).write_bytes((ada.root / file).read_bytes())
    for user, value in ((ada, "By the queue of Ada."), (ben, "By the queue of Ben.")):
        user.update(name, content={"decision": value})
        run_cuecard(user, "share", name)
        run_cuecard(user, "sync", "push")
    run_cuecard(ada, "sync", "pull")
    for user in (ada, ben):
        shown = run_cuecard(user, "show", name)
        assert "By the queue of Ben. | By the queue of Ada." in shown.stderr
        assert document(user, "sync", "status")["teams"][0]["conflicts"] == {  # type: ignore[index]
            f"decisions/{ID}.json": ["content.decision"]
        }
        assert "a conflict" in run_cuecard(user, "sync", "status").stderr
        assert f"two people changed content.decision: decisions/{ID}.json" in run_cuecard(user, "doctor").stdout
    ada.update(name, content={"decision": "By a queue that both run."})
    run_cuecard(ada, "sync", "push")
    run_cuecard(ben, "sync", "pull")
    for user in (ada, ben):
        assert "two values" not in run_cuecard(user, "show", name).stderr
        assert document(user, "sync", "status")["teams"][0]["conflicts"] == {}  # type: ignore[index]


@pytest.mark.process
def test_the_status_shows_what_a_rule_would_share_and_changes_nothing(ada: User, url: str) -> None:
    run_cuecard(ada, "sync", "join", url)
    ada.write("Every response has a deadline", category="constraint")
    done = run_cuecard(ada, "share", "--category", "constraint")
    assert "every active memory of the category `constraint` in this project" in done.stdout
    path = "constraints/every-response-has-a-deadline.json"
    for _time in range(2):
        assert document(ada, "sync", "status", "--offline")["teams"][0]["to_push"] == [path]  # type: ignore[index]
    with ada.at_work():
        state = open_state(find_team())
        assert state.list_waiting() == []
        state.close()
    assert f"pushed    {path}" in run_cuecard(ada, "sync", "push").stdout


@pytest.mark.process
def test_every_command_says_what_it_did_and_what_comes_next(ada: User, url: str) -> None:
    joined = run_cuecard(ada, "sync", "join", url)
    assert (joined.stdout, "share MEMORY" in joined.stderr) == (
        "pulled    team: no changes; prompts find 0 memories of it\n",
        True,
    )
    run_cuecard(ada, "share", ada.write(TITLE))
    assert "to push   1, with `cuecard sync push`" in run_cuecard(ada, "sync", "status").stdout
    pushed = run_cuecard(ada, "sync", "push").stdout
    assert pushed == f"pushed    decisions/{ID}.json\npulled    team: 1 change; prompts find 1 memory of it\n"
    assert run_cuecard(ada, "sync", "push").stdout.startswith("unchanged  nothing waits for team\n")
    assert "joins it again" in run_cuecard(ada, "sync", "leave", "team").stderr


@pytest.mark.process
def test_a_changed_pack_is_reported_and_written_again(ada: User, url: str) -> None:
    run_cuecard(ada, "sync", "join", url)
    run_cuecard(ada, "share", ada.write(TITLE))
    run_cuecard(ada, "sync", "push")
    with ada.at_work():
        file = Path(current_root("team"), f".claude/memory/decisions/{ID}.json")
    file.chmod(0o600)
    file.write_text(file.read_text().replace("queue", "cloud"))
    found = run_cuecard(ada, "sync", "status", "--offline")
    assert found.returncode == 1
    assert f"changed: decisions/{ID}.json" in found.stderr
    run_cuecard(ada, "sync", "pull")
    assert run_cuecard(ada, "sync", "status", "--offline").returncode == 0
    assert "queue" in next(iter(ada.pack().values())).decode()


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("sync", "join", "ext::sh -c id"), "is not the URL"),
        (("sync", "join", "--", "--upload-pack=id"), "is not the URL"),
        (("sync", "join", "file:///nowhere/team.git"), "git could not do it"),
        (("sync", "pull"), "you have joined no team"),
        (("share", "a"), "you have joined no team"),
        (("sync", "leave", "x"), "you have joined no team"),
        (("sync", "proposals", "--accept", "1", "--reject", "2"), "accepted or rejected"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(ada: User, words: tuple[str, ...], what: str) -> None:
    done = run_cuecard(ada, *words)
    assert done.returncode in (1, 2)
    assert what in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.process
@pytest.mark.parametrize("command", ["status", "push", "pull"])
def test_the_trouble_of_one_team_hides_no_other(ada: User, url: str, command: str) -> None:
    for name in ("broken", "sound"):
        run_cuecard(ada, "sync", "join", url, "--as", name)
    with ada.at_work():
        Path(folder_of(find_team("broken")), "state.db").write_bytes(b"no database" * 1000)
    done = run_cuecard(ada, "sync", command)
    assert (done.returncode, "sound" in done.stdout) == (1, True)
    assert "error: `broken`: " in done.stderr
    broken, sound = document(ada, "sync", command, status=1)["teams"]  # type: ignore[misc]
    assert (broken["team"], "what" in broken["error"], sound["team"]) == ("broken", True, "sound")  # type: ignore[has-type]
    assert "error" not in sound  # type: ignore[has-type]


@pytest.mark.process
def test_a_repository_cannot_name_a_team(ada: User, url: str) -> None:
    settings = ada.root / ".claude" / "memory" / "memory-config.json"
    settings.write_text(json.dumps({"sync": {"teams": [{"name": "theirs", "url": url}], "at_session_start": True}}))
    assert "you have joined no team" in run_cuecard(ada, "sync", "pull").stderr


@pytest.mark.process
def test_a_fourth_team_is_refused(ada: User, url: str) -> None:
    for name in ("one", "two", "three"):
        assert run_cuecard(ada, "sync", "join", url, "--as", name).returncode == 0
    assert "3 teams at most" in run_cuecard(ada, "sync", "join", url, "--as", "four").stderr


@pytest.mark.process
@pytest.mark.parametrize(
    ("source", "is_on", "is_pulled"),
    [("startup", True, True), ("startup", False, False), ("compact", True, False)],
)
def test_a_session_that_starts_pulls_if_the_user_wants_it(
    hook: Hook, ada: User, ben: User, url: str, source: str, is_on: bool, is_pulled: bool
) -> None:
    run_cuecard(ada, "sync", "join", url)
    run_cuecard(ben, "sync", "join", url)
    run_cuecard(ada, "share", ada.write(TITLE))
    run_cuecard(ada, "sync", "push")
    run_cuecard(ben, "config", "sync.at_session_start", json.dumps(is_on), "--user")
    event = {"hook_event_name": "SessionStart", "source": source, "session_id": "s", "cwd": str(ben.root)}
    with ben.at_work():
        subprocess.run(
            [*hook.command, "session"],
            input=json.dumps(event),
            text=True,
            cwd=ben.root,
            env={**os.environ, **hook.environment},
            check=True,
        )
    deadline = time.monotonic() + (20 if is_pulled else 2)
    while not ben.pack() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert bool(ben.pack()) == is_pulled
