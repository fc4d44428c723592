"""What can be the name of a team."""

import pytest

from cuecard.errors import UsageError
from cuecard.sync.teams import make_team

URL = "https://example.com/team.git"


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["a", "a-2", "0" * 40])
def test_a_plain_name_is_the_name_of_a_team(name: str) -> None:
    assert make_team(URL, name).name == name


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["-a", "a-", "A", "a b", "\u00e9", "\u0661", "a\n", "0" * 41, "\ud800"], ids=ascii)
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a team"):
        make_team(URL, name)
