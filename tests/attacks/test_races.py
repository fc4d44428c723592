"""A race, in which a link replaces a file between the check and the use of the file, does no harm."""

from pathlib import Path

import pytest

from attacks.racing import Race, read_races, run_race
from attacks.running import backend_of, entry_points_here
from fork_launcher import Launcher

RACES = read_races()
pytestmark = [pytest.mark.attack, pytest.mark.slow]


@pytest.mark.parametrize(
    ("race", "entry_point"),
    [
        pytest.param(race, entry_point, id=f"{race.name}-{entry_point}")
        for race in RACES
        for entry_point in race.entry_points
    ],
)
def test_no_race_is_won(race: Race, entry_point: str, launchers: dict[str, Launcher], tmp_path: Path) -> None:
    if entry_point not in entry_points_here():
        pytest.skip("the native `cuecard-hook` is missing")
    assert run_race(race, entry_point, launchers[backend_of(entry_point)], tmp_path) == []
