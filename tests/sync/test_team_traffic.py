"""Five clients that do things at random, with lost connections, crashes, wrong clocks and a restored server."""

import pytest

from team_traffic import run_traffic


@pytest.mark.parametrize("seed", range(4))
def test_all_clients_have_the_same_in_the_end(seed: int) -> None:
    assert run_traffic(seed, operations=120) == ""


# Each takes seconds. `python tests/support/team_traffic.py --runs 200 --operations 2000` has all.
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(100, 104))
def test_all_clients_have_the_same_after_two_thousand_operations(seed: int) -> None:
    assert run_traffic(seed, operations=2000) == ""
