"""A team that was left: its memories go, and joining it again goes on where it was."""

import json
from pathlib import Path

import pytest

from cuecard.errors import WriteError
from cuecard.sync.exchange import leave_team
from cuecard.sync.team_state import TeamState
from cuecard.sync.teams import Rule, find_team, read_teams, replace_team, with_rule
from team_remotes import commit
from team_users import ID, PATH, User


def test_leaving_removes_the_pack(ben: User, ada: User, shared: bytes) -> None:
    with ben.at_work():
        leave_team(find_team())
        assert read_teams() == []
    assert ben.pack() == {}


def test_what_was_shared_is_shared_again_after_leaving_and_joining(
    ada: User, ben: User, shared: bytes, repository: Path
) -> None:
    with ada.at_work():
        rule = Rule(str(ada.root), "constraint")
        replace_team(with_rule(find_team(), rule))
        leave_team(find_team())
    ada.update(ID, tags=["index", "mail"])
    ada.write("Every response has a deadline", category="constraint")
    ada.join(repository.as_uri())
    assert len(ada.pull().taken_up) == 2
    assert ada.pull().taken_up == []
    assert sorted(ada.push().accepted) == ["constraints/every-response-has-a-deadline.json", PATH]
    ben.pull()
    assert json.loads(ben.pack()[PATH])["tags"] == ["index", "mail"]


def test_a_version_that_waited_when_the_team_was_left_follows_after_joining(
    ada: User, ben: User, shared: bytes, repository: Path
) -> None:
    ada.update(ID, tags=["index", "mail"])
    ada.share(ID)
    ada.share(ada.write("Nobody has this one yet"))
    with ada.at_work():
        assert len(leave_team(find_team()).waiting) == 2
    ada.join(repository.as_uri())
    ada.pull()
    assert ada.push().accepted == [PATH]


def test_a_memory_that_the_team_has_not_any_more_is_not_shared_again(
    ada: User, ben: User, shared: bytes, repository: Path, tmp_path: Path
) -> None:
    with ada.at_work():
        leave_team(find_team())
    commit(repository, tmp_path / "clone", {PATH: None})
    ada.update(ID, tags=["index", "mail"])
    ada.join(repository.as_uri())
    assert ada.pull().taken_up == []
    assert ada.push().accepted == []


def test_what_could_not_be_taken_up_is_taken_up_by_the_next_pull(
    ada: User, shared: bytes, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: object) -> None:
        raise WriteError("full", "make room")

    with ada.at_work():
        leave_team(find_team())
    ada.join(repository.as_uri())
    with monkeypatch.context() as full:
        full.setattr(TeamState, "set_shared", fail)
        with pytest.raises(WriteError):
            ada.pull()
    assert len(ada.pull().taken_up) == 1


def test_what_is_damaged_or_too_large_takes_nothing_from_another_team(
    ada: User, shared: bytes, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ada.at_work():
        leave_team(find_team())
    [file] = (ada.home / ".local/share/cuecard/sync").glob("left-*.json")
    other = file.with_name("left-of-another-team.json")
    other.write_text("{damaged")
    monkeypatch.setattr("cuecard.sync.left.MAX_PUSHED", 3)
    ada.join(repository.as_uri())
    assert len(ada.pull().taken_up) == 1
    with ada.at_work():
        leave_team(find_team())
    assert json.loads(file.read_text())["shared"][0]["pushed"] == ""
    assert other.read_text() == "{damaged"
