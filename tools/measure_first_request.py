"""Measures how much later a client sends its first request with cuecard's hooks than without, as a ratio.

    python tools/measure_first_request.py [CLIENT ...] [--pairs 5]

The clients must be on PATH (`tests/e2e/install_clients.sh`). Each pair of runs starts the client once without and once
with the installed hooks, in turn, each in a home folder that was used before, with a model server of this machine. The
ratio is the median over the pairs, beside the least and the greatest; the load of the machine is printed with it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "support")]

from host_clients import RUNS  # noqa: E402
from host_machine import Machine  # noqa: E402
from scripted_model import Reply, ScriptedModel  # noqa: E402


class TimedModel(ScriptedModel):
    """A model server that notes when its first request came."""

    first = 0.0

    def take(self, body: object) -> tuple[Reply, int]:
        """Note the time of the first request, and reply."""
        self.first = self.first or time.perf_counter()
        return super().take(body)


def seconds_of(machine: Machine, model: TimedModel, host: str) -> float:
    """The seconds from the start of a client to its first request."""
    model.first, begun = 0.0, time.perf_counter()
    RUNS[host](machine, model)
    return model.first - begun


def measure(host: str, pairs: int) -> list[float]:
    """The ratio of each pair of runs."""
    model = TimedModel()
    with tempfile.TemporaryDirectory() as folder:
        machines = []
        for name in ("without", "with"):
            Path(folder, name).mkdir()
            machines.append(Machine(Path(folder, name)))
            settings = machines[-1].home / ".gemini" / "settings.json"
            settings.parent.mkdir()
            settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        machines[1].document("install", host)
        ratios = []
        for number in range(-1, pairs):
            # Which one runs first changes from pair to pair.
            order = machines if number % 2 else machines[::-1]
            took = {id(machine): seconds_of(machine, model, host) for machine in order}
            # The first pair makes what clients make in an empty home folder.
            if number >= 0:
                ratios.append(took[id(machines[1])] / took[id(machines[0])])
    model.close()
    return ratios


def main() -> None:
    """Print the ratio of each client."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", nargs="*", choices=[[], *RUNS], default=[], metavar="CLIENT")
    parser.add_argument("--pairs", type=int, default=5)
    given = parser.parse_args()
    for host in given.clients or [host for host in RUNS if host != "kilo"]:
        ratios = measure(host, given.pairs)
        load = os.getloadavg()[0]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        sys.stdout.write(f"{host:12} {median(ratios):.2f} ({spread}, {len(ratios)} pairs, load {load:.1f})\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
