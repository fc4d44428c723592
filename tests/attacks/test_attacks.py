"""Every attack of the set, through each of its entry points, does no harm."""

from pathlib import Path

import pytest

from attacks.attack import Attack, read_attacks
from attacks.running import backend_of, entry_points_here, run_attack
from fork_launcher import Launcher

ATTACKS = read_attacks()
pytestmark = pytest.mark.attack


def _cases() -> list[object]:
    cases: list[object] = []
    for attack in ATTACKS:
        marks = [pytest.mark.slow] if attack.is_slow else []
        cases += [
            pytest.param(attack, entry_point, id=f"{attack.name}-{entry_point}", marks=marks)
            for entry_point in attack.entry_points
        ]
    return cases


@pytest.mark.parametrize(("attack", "entry_point"), _cases())
def test_no_attack_does_harm(attack: Attack, entry_point: str, launchers: dict[str, Launcher], tmp_path: Path) -> None:
    if entry_point not in entry_points_here():
        pytest.skip("the native `cuecard-hook` is missing")
    assert run_attack(attack, entry_point, launchers[backend_of(entry_point)], tmp_path) == []


@pytest.mark.parametrize("entry_point", ["executable", "pure", "stop", "cli", "mcp"])
def test_a_repository_without_an_attack_is_answered(
    entry_point: str, launchers: dict[str, Launcher], tmp_path: Path
) -> None:
    if entry_point not in entry_points_here():
        pytest.skip("the native `cuecard-hook` is missing")
    harmless = Attack("none", "", "nothing", "control", is_answered=entry_point in ("executable", "pure"))
    assert run_attack(harmless, entry_point, launchers[backend_of(entry_point)], tmp_path) == []
