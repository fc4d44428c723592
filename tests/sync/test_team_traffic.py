"""Five clients that do things at random, with lost connections, crashes, wrong clocks and a restored server."""

import pytest

from team_places import open_places
from team_traffic import run_traffic


@pytest.mark.parametrize("seed", range(4))
def test_all_clients_have_the_same_in_the_end(seed: int) -> None:
    with open_places("memory") as make_place:
        assert run_traffic(make_place(), seed, operations=120) == ""


# Each starts thousands of processes of git, or needs a server of a package that only the slow tier installs.
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["git", "postgres"])
def test_all_clients_of_a_real_remote_have_the_same_in_the_end(kind: str) -> None:
    with open_places(kind) as make_place:
        assert run_traffic(make_place(), 0, operations=300) == ""


# Each takes seconds. `python tests/support/team_traffic.py --runs 200 --operations 2000` has all.
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(100, 102))
def test_all_clients_have_the_same_after_two_thousand_operations(seed: int) -> None:
    with open_places("memory") as make_place:
        assert run_traffic(make_place(), seed, operations=2000) == ""
