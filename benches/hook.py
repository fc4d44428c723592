"""What a prompt costs: whole processes, payload in to answer out, side by side.

    python benches/hook.py [--size 600] [--rounds 40] [--check]

Every round starts each command once, in random order. A row's ratio is the median over the rounds of its time
over that of an empty `python3 -I -S` in the same round; milliseconds depend on the machine, ratios hardly. CPU
time is the fair number on a busy machine. The answers are checked: a hook that says nothing is not timed.
`--check` fails where a ratio is over its budget.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cuecard
from made_projects import PROMPT, write_project

REPOSITORY = Path(__file__).resolve().parent.parent
BASE = "an empty python3 -I -S"
# What an agent runs all day, and a guard lets pass.
COMMAND = "cd src && cargo test --workspace 2>&1 | tail -20 && git diff --stat > /tmp/changes.txt"
# Row, and the most that it may cost over the base (CPU time).
BUDGETS = {"the executable": 0.35, "the pure hook": 3.5, "import cuecard, native": 1.2}


def make_rows(python: str, site: str) -> dict[str, list[str]]:
    """The commands by name; a row is left out where this installation does not have it."""
    start = f"import sys; sys.path.insert(0, {site!r}); "
    hook = ["prompt", "--host", "claude-code"]
    run = "from cuecard.hook import main; sys.exit(main())"
    as_pure = "import os; os.environ['CUECARD_BACKEND'] = 'pure'; "
    isolated = [python, "-I", "-S", "-c"]
    rows = {
        BASE: [*isolated, "pass"],
        "an empty native process": ["/bin/true"],
        "import cuecard, native": [*isolated, f"{start}import cuecard; assert cuecard.backend == 'native'"],
        "the pure hook": [*isolated, as_pure + start + run, *hook],
        "the Python hook, native": [*isolated, start + run, *hook],
        "the pure guard": [*isolated, as_pure + start + run, "guard"],
        "the console script, pure": [sys.executable, "-c", f"{as_pure}import re, sys; {run}", *hook],
    }
    executable = shutil.which("cuecard-hook", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if executable and b"native" in subprocess.run([executable, "--version"], capture_output=True, check=True).stdout:
        rows["the executable"] = [executable, *hook]
        rows["the executable, doing nothing"] = [executable, "--version"]
        rows["the executable as guard"] = [executable, "guard"]
        launcher = ["/bin/sh", str(REPOSITORY / "hooks" / "cuecard-hook.sh"), *hook]
        rows["the plugin's launcher, executable on PATH"] = launcher
    return rows


def time_process(command: list[str], payload: Path, environment: dict[str, str]) -> tuple[float, float, bytes]:
    """Wall seconds, CPU seconds and output of one run of a command."""
    read_end, write_end = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(payload), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, write_end, 1),
        (os.POSIX_SPAWN_CLOSE, read_end),
    ]
    begin = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=actions)
    os.close(write_end)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    with os.fdopen(read_end, "rb") as pipe:
        output = pipe.read()
    if status != 0:
        raise SystemExit(f"hook.py: `{' '.join(command)}` ended with status {status}")
    return wall, usage.ru_utime + usage.ru_stime, output


def main() -> None:
    """Measure, check the answers, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=600, help="memories in the project")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--check", action="store_true", help="fail where a ratio is over its budget")
    options = parser.parse_args()

    site = str(Path(cuecard.__file__).resolve().parent.parent)
    python = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    with tempfile.TemporaryDirectory() as scratch:
        root = write_project(Path(scratch, "project"), options.size)
        prompt, tool = Path(scratch, "prompt.json"), Path(scratch, "tool.json")
        prompt.write_text(json.dumps({"prompt": PROMPT, "cwd": str(root), "session_id": "bench"}), encoding="utf-8")
        used = {"tool_name": "Bash", "tool_input": {"command": COMMAND}, "cwd": str(root), "session_id": "bench"}
        tool.write_text(json.dumps(used), encoding="utf-8")
        environment = {"HOME": scratch, "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin"}
        rows = make_rows(python, site)
        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
        answers: dict[str, bytes] = {}
        for _ in range(options.rounds + 1):
            for name in random.sample(list(rows), len(rows)):
                payload = tool if "guard" in rows[name] else prompt
                wall, cpu, answers[name] = time_process(rows[name], payload, environment)
                measured[name].append((wall, cpu))

    answered = {answers[name] for name, command in rows.items() if "prompt" in command}
    if len(answered) != 1 or b"memory-context" not in answered.pop():
        raise SystemExit("hook.py: the hooks differ or say nothing")
    if any(answers[name] for name, command in rows.items() if "guard" in command):
        raise SystemExit("hook.py: a guard does not let a harmless command pass")
    base = measured[BASE][1:]
    print(f"{options.size} memories, {options.rounds} rounds, Python {sys.version.split()[0]}\n")
    print(f"{'':42} {'ms':>7} {'CPU ms':>7} {'x base':>7} {'by CPU':>7}")
    too_slow = []
    for name in sorted(rows, key=lambda name: statistics.median(wall for wall, _ in measured[name][1:])):
        # The first round warms the caches.
        walls, cpus = zip(*measured[name][1:], strict=True)
        ratio = statistics.median(wall / other for wall, (other, _) in zip(walls, base, strict=True))
        ratio_cpu = statistics.median(cpu / other for cpu, (_, other) in zip(cpus, base, strict=True))
        budget = BUDGETS.get(name)
        mark = f"  budget {budget}" if budget else ""
        print(
            f"{name:42} {statistics.median(walls) * 1e3:7.2f} {statistics.median(cpus) * 1e3:7.2f} "
            f"{ratio:7.2f} {ratio_cpu:7.2f}{mark}"
        )
        if budget and min(ratio, ratio_cpu) > budget:
            too_slow.append(name)
    if options.check and too_slow:
        raise SystemExit(f"hook.py: over budget: {', '.join(too_slow)}")


if __name__ == "__main__":
    main()
