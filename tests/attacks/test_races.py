"""Links that are swapped in between a check and the use of what was checked."""

from pathlib import Path

import pytest

from attacks.launcher import Launcher
from attacks.racing import Race, read_races, run_race
from attacks.running import backend_of, doors_here

RACES = read_races()
pytestmark = [pytest.mark.attack, pytest.mark.slow]


@pytest.mark.parametrize(
    ("race", "door"), [pytest.param(race, door, id=f"{race.name}-{door}") for race in RACES for door in race.doors]
)
def test_no_race_is_won(race: Race, door: str, launchers: dict[str, Launcher], tmp_path: Path) -> None:
    if door not in doors_here():
        pytest.skip("the native `cuecard-hook` is missing")
    assert run_race(race, door, launchers[backend_of(door)], tmp_path) == []
