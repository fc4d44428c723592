"""Every attack of the set does no harm, through the entry points at which it can fail in a way of its own."""

from collections import Counter
from pathlib import Path

import pytest

from attacks.attack import Attack, read_attacks
from attacks.running import backend_of, entry_points_here, run_attack
from fork_launcher import Launcher

ATTACKS = read_attacks()
pytestmark = pytest.mark.attack


# A family of attacks tries one thing at many places, as `link-to-victim-file` does. Python opens them by the functions
# that the commands use, which are tried at each place; the other entry points in Python take turns after the first
# place. `tools/attack_table.py` tries all of them.
TURNS = ("pure", "stop", "mcp")


def _cases() -> list[object]:
    cases: list[object] = []
    places: Counter[str] = Counter()
    for attack in ATTACKS:
        marks = [pytest.mark.slow] if attack.is_slow else []
        turns = [entry_point for entry_point in TURNS if entry_point in attack.entry_points]
        place = places[attack.family]
        places[attack.family] += 1
        left_out = {each for number, each in enumerate(turns) if place and number != place % len(turns)}
        cases += [
            pytest.param(attack, entry_point, id=f"{attack.name}-{entry_point}", marks=marks)
            for entry_point in attack.entry_points
            if entry_point not in left_out
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
