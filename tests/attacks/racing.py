"""Runs one race at one entry point and returns the harms that it did."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from attacks.attack import FOLDER, Attack, read_toml
from attacks.entry_points import NEW, Call, calls_of
from attacks.harms import find_harms
from attacks.running import executable
from attacks.scene import Scene
from fork_launcher import Launcher

# How many times each entry point is run in a race. The three in Python open files by the same functions.
ROUNDS = {"executable": 60, "pure": 10, "stop": 10, "cli": 8}


@dataclass(frozen=True)
class Race:
    """A race: while a program runs, `place` is exchanged with a link to `to`."""

    name: str
    says: str
    place: str
    to: str
    entry_points: tuple[str, ...] = ("executable", "pure", "stop", "cli")
    finding: str = "1, 2, 6"


def read_races() -> list[Race]:
    """Every race of `races.toml`."""
    entries = read_toml(FOLDER / "races.toml")["race"]
    return [Race(**{**entry, "entry_points": tuple(entry.get("entry_points", Race.entry_points))}) for entry in entries]


def run_race(race: Race, entry_point: str, launcher: Launcher, scratch: Path, rounds: int = 0) -> list[str]:
    """The harms of a race after `rounds` runs of each program; 0 stands for the number in `ROUNDS`."""
    attack = Attack(race.name, race.finding, race.says, "races")
    scene = Scene(scratch, attack)
    place = scene.clone / race.place
    beside = place.with_name(f"{place.name}.beside")
    _make_place(place)
    beside.symlink_to(scene.fill(race.to))
    calls = _calls(entry_point, attack, scene)
    scene.settle()
    harms: list[str] = []
    with _swapper(place, beside):
        for number in range(rounds or ROUNDS[entry_point]):
            for call in calls:
                # Every round has a new session id, so that each round writes a session file.
                stdin = call.stdin.replace(b'"s-1"', f'"s-{number}"'.encode())
                program = (
                    executable()
                    if entry_point == "executable"
                    else "hook"
                    if entry_point in ("pure", "stop")
                    else "cli"
                )
                ran = launcher.run(program, call.arguments, stdin, cwd=scene.clone, environment=scene.environment())
                harms += [harm for harm in find_harms(attack, call.what, ran) if not harm.startswith("ended with")]
    if place.is_symlink() and beside.exists():
        place.unlink()
        beside.rename(place)
    beside.unlink(missing_ok=True) if beside.is_symlink() else None
    return [*dict.fromkeys([*harms, *scene.differences(ignored=str(place))])]


def _make_place(place: Path) -> None:
    """Create the folder or file `place`, which is exchanged with a link, if it does not exist."""
    if place.exists():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.suffix or place.name == ".gitignore":
        place.write_text("*\n")
    else:
        place.mkdir()


def _calls(entry_point: str, attack: Attack, scene: Scene) -> list[Call]:
    if entry_point == "cli":
        new = json.dumps(NEW).encode()
        return [Call("add", ("add",), new), Call("retire", ("retire", "ledger-locks")), Call("gc", ("gc",))]
    calls = calls_of(entry_point, attack, scene)
    return calls[:1] if entry_point == "stop" else calls[:3]


@contextmanager
def _swapper(place: Path, beside: Path) -> Iterator[None]:
    command = [sys.executable, str(FOLDER / "swapper.py"), str(place), str(beside)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


def as_attack(race: Race) -> Attack:
    """The race in the form of an attack, for the table of attacks."""
    name = f"race-{race.name}"
    return Attack(name, race.finding, race.says, "races", name, race.says, entry_points=race.entry_points, is_slow=True)
