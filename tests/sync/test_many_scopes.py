"""Somebody who belongs to many scopes: at most three count in a prompt, and what is left out is named."""

import json
from pathlib import Path

import pytest

from cuecard.files.scopes import MOST_PACKS
from cuecard.files.user_folder import data_path
from cuecard.sync.pack import swap_pack
from cuecard.sync.teams import Team, add_team, find_to_leave, list_not_counting, read_teams, replace_team
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
        assert [name for name, _reason in list_not_counting()] == ["four", "five", "old"]
        replace_team(Team("one", url, is_trusted=True))
        assert [name for name, _reason in list_not_counting()] == ["four", "five", "old"]
        assert find_to_leave("five") == Team("five", url)


@pytest.mark.process
def test_the_status_names_what_is_left_out_and_it_can_be_left(ada: User, tmp_path: Path) -> None:
    url = make_repository(tmp_path / "team.git").as_uri()
    with ada.at_work():
        for name in ("one", "two", "three", "four"):
            add_team(Team(name, url))
        swap_pack("old", [("decisions/a.json", memory("a"))])
    told = run_cuecard(ada, "sync", "status", "--offline").stderr
    assert "`four` is left out: only the first 3 teams of your configuration count" in told
    assert "`old` is left out: a pack of a team that you are not in" in told
    assert "team four" in run_cuecard(ada, "doctor").stdout
    for name in ("four", "old"):
        assert run_cuecard(ada, "sync", "leave", name).returncode == 0
    assert "left out" not in run_cuecard(ada, "sync", "status", "--offline").stderr
