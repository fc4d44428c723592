"""The cost of the MCP server: the time until a new process has answered `initialize`, and the time of each tool's call.

    python benches/mcp.py [--rounds 15] [--calls 200] [--check]

A start is timed from spawn to the answer and compared with a whole `python3 -c pass` of the same interpreter in the
same round; ratios are medians over the rounds. `--check` fails if a start takes 150 ms or more.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from made_projects import make_prompt, write_project
from reviewed_home import prepare_home

SIZE = 600
LIMIT_SECONDS = 0.15
OPENING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
RECORD = {
    "category": "decision",
    "tags": ["bench"],
    "content": {"status": "accepted", "context": "a benchmark", "decision": "so", "rationale": ["speed"]},
}


class Server:
    """A server process, to which requests can be sent."""

    def __init__(self, command: list[str], project: Path) -> None:
        """Start the server; PATH has no program of cuecard."""
        folders = [folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "cuecard").exists()]
        home = prepare_home(project.parent / "home")
        environment = {"PATH": os.pathsep.join(folders), "HOME": str(project), **home}
        self.process = subprocess.Popen(
            command, cwd=project, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, method: str, **params: object) -> tuple[float, bytes]:
        """Send a request; returns the seconds until its answer, and the answer. Exits if the answer is an error."""
        assert self.process.stdin
        assert self.process.stdout
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        begin = time.perf_counter()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        taken = time.perf_counter() - begin
        if b'"result"' not in answer or b'"isError"' in answer:
            raise SystemExit(f"the server answered `{method}` with {answer.decode()[:500]}")
        return taken, answer

    def close(self) -> None:
        """Close the server's input, and wait until the process ends."""
        self.process.communicate()


def time_start(command: list[str], project: Path) -> float:
    """Wall seconds from spawn to the answer to `initialize`."""
    begin = time.perf_counter()
    server = Server(command, project)
    server.ask("initialize", **OPENING)
    taken = time.perf_counter() - begin
    server.close()
    return taken


def time_base(python: str, project: Path) -> float:
    """Wall seconds of a whole `python3 -c pass`."""
    begin = time.perf_counter()
    subprocess.run([python, "-c", "pass"], cwd=project, check=True)
    return time.perf_counter() - begin


def print_starts(project: Path, rounds: int) -> float:
    """Print the time of each way to start the server; returns the largest of their median times in seconds."""
    python = sys.executable
    commands = {"python -m cuecard.mcp": [python, "-m", "cuecard.mcp"]}
    installed = shutil.which("cuecard", path=f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}")
    if installed:
        commands["cuecard mcp"] = [installed, "mcp"]
    launcher = Path(__file__).resolve().parent.parent / "hooks" / "cuecard-mcp.sh"
    commands["the plugin's launcher, nothing installed"] = ["sh", str(launcher)]
    taken: dict[str, list[float]] = {name: [] for name in commands}
    base = []
    for number in range(rounds + 1):
        each = {name: time_start(command, project) for name, command in commands.items()}
        bare = time_base(python, project)
        # The first round fills the caches.
        if number:
            base.append(bare)
            for name, seconds in each.items():
                taken[name].append(seconds)
    print(f"| to an answered `initialize` | ms | over `python3 -c pass` ({median(base) * 1000:.1f} ms) |")
    print("| --- | --: | --: |")
    for name, times in taken.items():
        ratio = median([seconds / bare for seconds, bare in zip(times, base, strict=True)])
        print(f"| {name} | {median(times) * 1000:.1f} | {ratio:.2f} |")
    return max(median(times) for times in taken.values())


def print_calls(project: Path, calls: int) -> None:
    """Print how long calls of the tools take in one server; the first call of each tool is listed separately."""
    server = Server([sys.executable, "-m", "cuecard.mcp"], project)
    server.ask("initialize", **OPENING)
    # The calls need a snapshot, which a store has after its first write.
    server.ask("tools/call", name="memory_save", arguments={**RECORD, "title": "Bench memory"})
    found = json.loads(server.ask("tools/call", name="memory_search", arguments={"query": make_prompt(0)})[1])
    known = found["result"]["structuredContent"]["hits"][0]["id"]
    print(f"\n| a call, {SIZE} memories | first, ms | p50 | p99 |")
    print("| --- | --: | --: | --: |")
    arguments: dict[str, Callable[[int], dict[str, object]]] = {
        "memory_search": lambda number: {"query": make_prompt(number)},
        "memory_get": lambda _number: {"id": known},
        "memory_save": lambda number: {**RECORD, "title": f"Bench memory {number}"},
        "memory_status": lambda _number: {},
    }
    for name, make in arguments.items():
        # The first call is listed separately, and percentiles need two more.
        count = max(calls if name in ("memory_search", "memory_get") else calls // 10, 3)
        times = [server.ask("tools/call", name=name, arguments=make(number))[0] for number in range(count)]
        first, rest = times[0] * 1000, [seconds * 1000 for seconds in times[1:]]
        print(f"| {name} | {first:.1f} | {median(rest):.2f} | {quantiles(rest, n=100)[-1]:.2f} |")
    server.close()


def main() -> None:
    """Make a project, measure the server, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--check", action="store_true", help="fail if a start takes 150 ms or more")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # The home folder is beside the project.
        project = write_project(Path(folder, "project"), SIZE)
        slowest = print_starts(project, options.rounds)
        print_calls(project, options.calls)
    if options.check and slowest >= LIMIT_SECONDS:
        raise SystemExit(f"a start takes {slowest * 1000:.0f} ms; the limit is 150 ms")


if __name__ == "__main__":
    main()
