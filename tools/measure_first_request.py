"""Measures how much later a client sends its first request with cuecard's hooks than without, as a ratio.

    python tools/measure_first_request.py [CLIENT ...] [--pairs 5]

The clients must be on PATH (`tests/e2e/install_clients.sh`). Each pair of runs starts the client once without and once
with the installed hooks, in turn, each in a home folder that was used before, with a model server of this machine. The
ratio is the median over the pairs, beside the least and the greatest. Work of others on the machine only adds time, so
the fastest run of each kind is printed too, in seconds.
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


def measure(host: str, pairs: int) -> list[tuple[float, float]]:
    """The seconds of each pair of runs, without and with the hooks."""
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
        seconds = []
        for number in range(-1, pairs):
            # Which one runs first changes from pair to pair.
            order = machines if number % 2 else machines[::-1]
            took = {id(machine): seconds_of(machine, model, host) for machine in order}
            # The first pair makes what clients make in an empty home folder.
            if number >= 0:
                seconds.append((took[id(machines[0])], took[id(machines[1])]))
    model.close()
    return seconds


def main() -> None:
    """Print the ratio of each client."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", nargs="*", choices=[[], *RUNS], default=[], metavar="CLIENT")
    parser.add_argument("--pairs", type=int, default=5)
    given = parser.parse_args()
    for host in given.clients or RUNS:
        seconds = measure(host, given.pairs)
        ratios = [with_hooks / without for without, with_hooks in seconds]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}, {len(ratios)} pairs, load {os.getloadavg()[0]:.1f}"
        without, with_hooks = (min(kind) for kind in zip(*seconds, strict=True))
        fastest = f"fastest {without:.2f} s without, {with_hooks:.2f} s with"
        sys.stdout.write(f"{host:12} {median(ratios):.2f} ({spread}); {fastest}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
