"""Somebody who belongs to many scopes: at most three count in a prompt, and what is left out is named."""

import json
from pathlib import Path

import pytest

from cuecard.files.scopes import MOST_TEAMS
from cuecard.files.user_folder import data_path
from cuecard.sync.pack import swap_pack
from cuecard.sync.teams import Team, add_team, find_to_leave, list_out_of_place, read_teams, replace_team
from hook_process import Hook, Outcome
from team_remotes import make_repository, memory
from team_users import User, run_cuecard

MANY = 34
PROMPT = "Who verifies the signature of a payment webhook?"


def ask(hook: Hook, user: User, event: dict[str, str], data: Path) -> Outcome:
    """Answer a prompt with the user's own configuration."""
    config = user.home / ".config"
    file = config / "cuecard" / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "trust": {"review": "off"}}))
    sent = json.dumps(event).encode()
    return hook.run("prompt", stdin=sent, cwd=user.root, CUECARD_HOME=str(data), XDG_CONFIG_HOME=str(config))


@pytest.fixture
def ada(tmp_path: Path) -> User:
    return User(tmp_path / "ada")


@pytest.mark.process
def test_a_prompt_reads_three_packs_of_many(hook: Hook, ada: User) -> None:
    with ada.at_work():
        for number in range(MANY):
            add_team(Team(f"t{number:02}", "https://git.example.org/team.git"))
            title = f"The signature of a payment webhook is verified by gateway {number:02}"
            swap_pack(f"t{number:02}", [(f"decisions/m{number:02}.json", memory(f"m{number:02}", title=title))])
        place = Path(data_path())
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(ada.root), "prompt": PROMPT}
    done = ask(hook, ada, event, place)
    assert (done.code, done.log) == (0, [])
    shown = {number for number in range(MANY) if f"gateway {number:02}".encode() in done.stdout}
    assert shown <= set(range(MOST_TEAMS))
    assert shown
    (log,) = place.glob("stores/*/log/events.jsonl")
    assert {one["scope"] for one in json.loads(log.read_text())["memories"]} == {"team t00", "team t01", "team t02"}
    listed = run_cuecard(ada, "stores").stdout.splitlines()
    late = "left out: only the first three teams of your configuration count"
    assert sum(late in line for line in listed) == MANY - MOST_TEAMS


def test_teams_that_do_not_count_are_named_and_kept(ada: User, tmp_path: Path) -> None:
    url = make_repository(tmp_path / "team.git").as_uri()
    with ada.at_work():
        for name in ("one", "two", "three", "four", "five"):
            add_team(Team(name, url))
        swap_pack("old", [("decisions/a.json", memory("a"))])
        assert [team.name for team in read_teams()] == ["one", "two", "three"]
        assert [one.name for one in list_out_of_place()] == ["four", "five", "old"]
        replace_team(Team("one", url, is_trusted=True))
        assert [one.name for one in list_out_of_place()] == ["four", "five", "old"]
        assert find_to_leave("five") == Team("five", url)


@pytest.mark.process
def test_the_pack_of_a_team_that_was_left_takes_no_place(hook: Hook, ada: User, tmp_path: Path) -> None:
    url = make_repository(tmp_path / "team.git").as_uri()
    with ada.at_work():
        for name in ("mail", "web", "zebra"):
            add_team(Team(name, url))
        for name in ("a-left", "mail", "web", "zebra"):
            swap_pack(name, [("decisions/a.json", memory("a", title=f"The gateway of {name} verifies the webhook"))])
        place = Path(data_path())
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(ada.root), "prompt": PROMPT}
    ask(hook, ada, event, place)
    (log,) = place.glob("stores/*/log/events.jsonl")
    assert {one["scope"] for one in json.loads(log.read_text())["memories"]} == {"team mail", "team web", "team zebra"}
    told = run_cuecard(ada, "sync", "status", "--offline").stderr
    assert "`a-left`: prompts do not read its pack, because you are not in this team" in told
    assert "`cuecard sync leave a-left` removes it" in told
    assert "zebra" not in told
    assert run_cuecard(ada, "sync", "leave", "a-left").returncode == 0
    assert run_cuecard(ada, "sync", "status", "--offline").stderr == ""


@pytest.mark.process
def test_the_status_names_what_is_out_of_place_and_it_can_be_left(ada: User, tmp_path: Path) -> None:
    url = make_repository(tmp_path / "team.git").as_uri()
    with ada.at_work():
        for name in ("one", "two", "three", "four"):
            add_team(Team(name, url))
        swap_pack("old", [("decisions/a.json", memory("a"))])
    told = run_cuecard(ada, "sync", "status", "--offline").stderr
    assert "`four`: it is neither pulled nor pushed, because only the first 3 teams of your configuration are" in told
    assert "`old`: prompts do not read its pack, because you are not in this team" in told
    assert "sync four" in run_cuecard(ada, "doctor").stdout
    for name in ("four", "old"):
        assert f"`cuecard sync leave {name}` removes it" in told
        assert run_cuecard(ada, "sync", "leave", name).returncode == 0
    assert run_cuecard(ada, "sync", "status", "--offline").stderr == ""
