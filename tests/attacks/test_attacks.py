"""Every attack of the set, through every door that it has: none may do harm."""

from pathlib import Path

import pytest

from attacks.attack import Attack, read_attacks
from attacks.launcher import Launcher
from attacks.running import backend_of, doors_here, run_attack

ATTACKS = read_attacks()
pytestmark = pytest.mark.attack


def _cases() -> list[object]:
    cases: list[object] = []
    for attack in ATTACKS:
        marks = [pytest.mark.slow] if attack.is_slow else []
        cases += [pytest.param(attack, door, id=f"{attack.name}-{door}", marks=marks) for door in attack.doors]
    return cases


@pytest.mark.parametrize(("attack", "door"), _cases())
def test_no_attack_does_harm(attack: Attack, door: str, launchers: dict[str, Launcher], tmp_path: Path) -> None:
    if door not in doors_here():
        pytest.skip("the native `cuecard-hook` is missing")
    assert run_attack(attack, door, launchers[backend_of(door)], tmp_path) == []


@pytest.mark.parametrize("door", ["executable", "pure", "stop", "cli", "mcp"])
def test_a_repository_without_an_attack_is_answered(door: str, launchers: dict[str, Launcher], tmp_path: Path) -> None:
    if door not in doors_here():
        pytest.skip("the native `cuecard-hook` is missing")
    harmless = Attack("none", "", "nothing", "control", is_answered=door in ("executable", "pure"))
    assert run_attack(harmless, door, launchers[backend_of(door)], tmp_path) == []
