"""Two users of one team on a git remote."""

from pathlib import Path

import pytest

from team_remotes import make_repository
from team_users import PATH, TITLE, User


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "team.git")


@pytest.fixture
def ada(tmp_path: Path, repository: Path) -> User:
    user = User(tmp_path / "ada")
    user.join(repository.as_uri())
    return user


@pytest.fixture
def ben(tmp_path: Path, repository: Path) -> User:
    user = User(tmp_path / "ben")
    user.join(repository.as_uri())
    return user


@pytest.fixture
def shared(ada: User, ben: User) -> bytes:
    """A memory that Ada has shared, and Ben has pulled."""
    ada.share(ada.write(TITLE))
    ada.push()
    ben.pull()
    return ben.pack()[PATH]
