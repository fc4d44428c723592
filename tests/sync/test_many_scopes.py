"""Somebody who belongs to many scopes: at most three count in a prompt, and what is left out is named."""

import json
from pathlib import Path

import pytest

from cuecard.files.scopes import MOST_PACKS
from cuecard.files.user_folder import data_path
from cuecard.sync.pack import swap_pack
from cuecard.sync.teams import Team, add_team, find_to_leave, list_out_of_place, read_teams, replace_team
from hook_process import Hook
from team_remotes import make_repository, memory
from team_users import User, run_cuecard

MANY = 34
PROMPT = "Who verifies the signature of a payment webhook?"


@pytest.fixture
def ada(tmp_path: Path) -> User:
    return User(tmp_path / "ada")


@pytest.mark.process
def test_a_prompt_reads_three_packs_of_many(hook: Hook, ada: User) -> None:
    with ada.at_work():
        for number in range(MANY):
            title = f"The signature of a payment webhook is verified by gateway {number:02}"
            swap_pack(f"t{number:02}", [(f"decisions/m{number:02}.json", memory(f"m{number:02}", title=title))])
        place = Path(data_path())
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(ada.root), "prompt": PROMPT}
    done = hook.run("prompt", stdin=json.dumps(event).encode(), cwd=ada.root, CUECARD_HOME=str(place))
    assert (done.code, done.log) == (0, [])
    shown = {number for number in range(MANY) if f"gateway {number:02}".encode() in done.stdout}
    assert shown <= set(range(MOST_PACKS))
    assert shown
    (log,) = place.glob("stores/*/log/events.jsonl")
    assert {one["scope"] for one in json.loads(log.read_text())["memories"]} == {"team t00", "team t01", "team t02"}
    listed = run_cuecard(ada, "stores").stdout.splitlines()
    assert sum("left out: only the first three packs count" in line for line in listed) == MANY - MOST_PACKS


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
def test_the_status_names_the_pack_that_a_prompt_does_not_read(hook: Hook, ada: User, tmp_path: Path) -> None:
    """The pack of a team that was left takes the place of one that the user is in."""
    url = make_repository(tmp_path / "team.git").as_uri()
    with ada.at_work():
        for name in ("mail", "web", "zebra"):
            add_team(Team(name, url))
        for name in ("a-left", "mail", "web", "zebra"):
            swap_pack(name, [("decisions/a.json", memory("a", title=f"The gateway of {name} verifies the webhook"))])
        place = Path(data_path())
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(ada.root), "prompt": PROMPT}
    hook.run("prompt", stdin=json.dumps(event).encode(), cwd=ada.root, CUECARD_HOME=str(place))
    (log,) = place.glob("stores/*/log/events.jsonl")
    read = {one["scope"] for one in json.loads(log.read_text())["memories"]}
    told = run_cuecard(ada, "sync", "status", "--offline").stderr
    for name in ("a-left", "mail", "web", "zebra"):
        assert (f"`{name}`: prompts do not read its pack" in told) == (f"team {name}" not in read)
    assert "`a-left`: you are not in this team; prompts read its pack" in told
    assert "`cuecard sync leave NAME` makes room" in told
    assert "`cuecard sync leave zebra` removes it" not in told
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
    assert "`old`: you are not in this team; prompts read its pack" in told
    assert "team four" in run_cuecard(ada, "doctor").stdout
    for name in ("four", "old"):
        assert f"`cuecard sync leave {name}` removes it" in told
        assert run_cuecard(ada, "sync", "leave", name).returncode == 0
    assert run_cuecard(ada, "sync", "status", "--offline").stderr == ""
