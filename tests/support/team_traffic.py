"""Clients of one team that do things at random, with faults, until all of them have the same.

`python tests/support/team_traffic.py --runs 200 --operations 2000 --remote memory` prints what each run found, and how
many have converged. Other remotes are `git` and `postgres`.
"""

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from unittest import mock

from cuecard.errors import CuecardError, SyncError
from cuecard.sync import exchange, team_state
from cuecard.sync.door import admit_pulled
from cuecard.sync.exchange import Session
from cuecard.sync.sharing import Offered
from cuecard.sync.team_state import TeamState, Waiting
from cuecard.sync.teams import Team
from team_places import PLACES, FailingRemote, Place, open_places
from team_remotes import memory

CLIENTS = 5
WORDS = "anchor basil cedar delta ember fjord grove haven inlet jetty".split()
STAMP = "2026-{:02}-{:02}T{:02}:{:02}:{:02}Z"


class CrashError(Exception):
    """The process of a client has died."""


class Client:
    """One machine: its notes survive a crash, what it was doing does not."""

    def __init__(self, folder: Path, place: Place, chance: random.Random, faults: float) -> None:
        self._file = str(folder / "state.db")
        self._chance, self._faults = chance, faults
        self._team = Team("team", "/nowhere", place.scope)
        self._remote = FailingRemote(place.connect(folder), chance)
        self._state = TeamState(self._file)
        # A clock of its own, which may be hours off.
        self._skew = chance.randrange(-20, 20)
        self.pack: dict[str, bytes] = {}
        self.created: set[str] = set()

    def close(self) -> None:
        self._state.close()
        self._remote.close()

    def run(self, number: int, pool: list[str]) -> None:
        """Do one thing at random. A lost connection or a crash ends it in the middle."""
        act = self._chance.choice(["new", "edit", "edit", "edit", "delete", "retire", "pull", "pull", "push", "push"])
        try:
            if act == "pull":
                self.exchange(push=False)
            elif act == "push":
                self.exchange(push=True)
            elif act == "new":
                self._create(number, pool)
            else:
                self._change(act, number)
        except CrashError:
            self.close()
            self._state = TeamState(self._file)
        except SyncError:
            return

    def exchange(self, *, push: bool, is_calm: bool = False) -> None:
        """Pull, or push and pull."""
        self._remote.share = 0 if is_calm else self._faults
        session = Session(self._team, self._state, self._remote)
        with mock.patch.object(team_state.TeamState, "change", self._crashing(0 if is_calm else self._faults / 4)):
            if push:
                done = session.push()
                assert not done.refused, done.refused
            session.pull()
        self.pack = dict(self._state.list_shown())

    def waits(self) -> bool:
        """Whether something is not pushed yet."""
        return bool(self._state.list_waiting())

    def _crashing(self, share: float):  # type: ignore[no-untyped-def] # noqa: ANN202 - a method in the place of another
        from contextlib import contextmanager  # noqa: PLC0415

        real, chance = _CHANGE, self._chance

        @contextmanager
        def change(state: TeamState):  # type: ignore[no-untyped-def] # noqa: ANN202
            if chance.random() < share:
                raise CrashError
            with real(state):
                yield
                if chance.random() < share:
                    raise CrashError
            if chance.random() < share:
                raise CrashError

        return change

    def _create(self, number: int, pool: list[str]) -> None:
        # Two clients choose the same name now and then.
        name = self._chance.choice(pool) if self._chance.random() < 0.3 else f"m{number}"
        path = f"decisions/{name}.json"
        if self._state.data_of(path) is not None or any(one.path == path for one in self._state.list_waiting()):
            return
        self.created.add(name)
        when = self._now(number)
        with _CHANGE(self._state):
            self._state.put(Waiting(path, memory(name, created_at=when, updated_at=when), None))

    def _change(self, act: str, number: int) -> None:
        paths = [path for path, _data in self._state.list_shown()]
        if not paths:
            return
        path = self._chance.choice(paths)
        waiting = next((one for one in self._state.list_waiting() if one.path == path), None)
        current = waiting.data if waiting else self._state.data_of(path)
        base = waiting.base if waiting else self._state.data_of(path)
        if current is None:
            return
        data: bytes | None = None
        if act != "delete":
            record = json.loads(current) | {"updated_at": self._now(number)}
            if act == "retire":
                record |= {"record_status": "retired", "retired_at": record["updated_at"], "retired_reason": "over"}
            elif self._chance.random() < 0.5:
                record["title"] = f"{self._chance.choice(WORDS)} {self._chance.choice(WORDS)}"
            else:
                record["tags"] = sorted({*record["tags"][:6], self._chance.choice(WORDS)})
            data = json.dumps(record, indent=2).encode() + b"\n"
        with _CHANGE(self._state):
            self._state.put(Waiting(path, data, base))

    def _now(self, number: int) -> str:
        seconds = max(0, number + self._skew * 3600 + 100_000)
        days, rest = divmod(seconds, 86_400)
        return STAMP.format(1 + days // 28, 1 + days % 28, rest // 3600, rest // 60 % 60, rest % 60)


_CHANGE = team_state.TeamState.change
_admit = lru_cache(maxsize=100_000)(admit_pulled)


def run_traffic(place: Place, seed: int, operations: int, faults: float = 0.05) -> str:
    """One run; returns "" if all clients have the same in the end, else what is wrong."""
    chance = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="cuecard-traffic-"))
    backup, is_restored = place.back_up(), False
    clients = []
    for number in range(CLIENTS):
        (folder / str(number)).mkdir()
        clients.append(Client(folder / str(number), place, chance, faults))
    pool = [f"shared-{word}" for word in WORDS]
    # What comes in is looked at once for each version, and no snapshot is made: both have tests of their own.
    with (
        mock.patch.object(exchange, "admit_pulled", _admit),
        mock.patch.object(team_state, "admit_pulled", _admit),
        mock.patch.object(exchange, "swap_pack", return_value=True),
        mock.patch.object(exchange, "vouch", return_value=""),
        mock.patch.object(exchange, "gather", side_effect=lambda *_given: Offered()),
        mock.patch.object(exchange, "check_pushed", return_value=""),
    ):
        try:
            for number in range(operations):
                if number and number % 500 == 0 and seed % 2:
                    place.restore(backup)
                    is_restored = True
                if number % 500 == 250:
                    backup = place.back_up()
                chance.choice(clients).run(number, pool)
            for _round in range(20):
                for client in clients:
                    client.exchange(push=True, is_calm=True)
                if not any(client.waits() for client in clients) and len({str(c.pack) for c in clients}) == 1:
                    break
            return _judge(place, clients, is_restored=is_restored)
        except CuecardError as error:
            return f"error: {error.what}"
        finally:
            for client in clients:
                client.close()
            shutil.rmtree(folder, ignore_errors=True)


def _judge(place: Place, clients: list[Client], *, is_restored: bool) -> str:
    there = place.data()
    for number, client in enumerate(clients):
        if client.waits():
            return f"client {number} still has something to push"
        if client.pack != there:
            return f"client {number} differs from the server in {len(set(client.pack.items()) ^ set(there.items()))}"
    names = {path.removeprefix("decisions/").removesuffix(".json") for path in there}
    created = set().union(*[client.created for client in clients])
    # A memory whose name another one has gets a number behind it, perhaps more than once.
    strange = {name for name in names if name not in created and re.sub(r"(-\d+)+$", "", name) not in created}
    if strange:
        return f"doubled or invented: {sorted(strange)[:3]}"
    # Each memory that was ever created has had a version.
    lost = {f"decisions/{name}.json" for name in created} - place.paths()
    return f"lost: {sorted(lost)[:3]}" if lost and not is_restored else ""


def main() -> int:
    """Run many, and print what each has found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--operations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--remote", choices=PLACES, default="memory")
    given = parser.parse_args()
    failed = 0
    with open_places(given.remote) as make_place:
        for seed in range(given.seed, given.seed + given.runs):
            begin = time.monotonic()
            problem = run_traffic(make_place(), seed, given.operations)
            failed += bool(problem)
            print(f"seed {seed}: {problem or 'converged'} ({time.monotonic() - begin:.1f} s)", flush=True)
    print(f"{given.runs - failed} of {given.runs} runs converged")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
