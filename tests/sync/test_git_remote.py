"""What only a repository has: branches, and processes of git."""

from pathlib import Path

import pytest

from cuecard.sync.git_remote import GitRemote
from cuecard.sync.remote import Pulled
from cuecard.sync.team_git import TeamGit
from team_remotes import change, memory, pull_all, run_git


def test_a_branch_whose_name_ends_alike_is_another_branch(repository: Path, tmp_path: Path) -> None:
    remote = GitRemote(repository.as_uri(), str(tmp_path / "client"))
    remote.push("team", [change("a", memory("a"))])
    first = run_git(repository, "rev-parse", "main")
    remote.push("team", [change("b", memory("b"))])
    run_git(repository, "update-ref", "refs/heads/a/refs/heads/main", first)
    other = GitRemote(repository.as_uri(), str(tmp_path / "other"), "main")
    assert set(pull_all(other, "team")[0]) == {"decisions/a.json", "decisions/b.json"}


def test_a_pull_that_finds_nothing_only_asks_for_the_last_commit(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = GitRemote(repository.as_uri(), str(tmp_path / "client"))
    remote.push("team", [change("a", memory("a"))])
    _found, cursor = pull_all(remote, "team")
    asked: list[str] = []
    run = TeamGit.run

    def note(git: TeamGit, arguments: list[str], **more: object) -> object:
        asked.append(arguments[0])
        return run(git, arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(TeamGit, "run", note)
    page = remote.pull("team", cursor)
    assert isinstance(page, Pulled)
    assert (page.changes, page.cursor, asked) == ([], cursor, ["ls-remote"])
