"""The cost of a prompt: compares the times of whole hook processes, from payload to answer.

    python benches/hook.py [--sizes 600,10000,100000] [--rounds 40] [--projects FOLDER] [--incumbent SCRIPT]
                           [--before EXECUTABLE] [--check]

Every round starts each command once, in random order. A row of the table is one command. In each round, its time is
divided by the time of an empty `python3 -I -S`; the row's ratio is the median over the rounds. Milliseconds depend on
the machine, ratios hardly do. On a busy machine, compare CPU times. p95 is the ratio of two 95th percentiles of CPU
time: the row's and the empty Python's. The answers are checked: the benchmark stops if a hook prints nothing.

Projects are generated on all cores, a million memories in some minutes; with `--projects` they are kept for the next
run. In rows called evicted, the snapshot, the index and the shown files are not in the page cache at the start. Below
the table are the targets of section D of the performance reference, rows 1 to 8, judged by CPU time; `--check` fails if
a target is missed.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from hook_projects import QUESTIONS, Project, ScopedProject, TeamProject
from hook_rows import (
    BASE,
    BEFORE,
    HOOK,
    PROMPT_SIZES,
    PURE_PROJECTS,
    SCAN_SIZES,
    Row,
    Target,
    make_before_rows,
    make_evicted_rows,
    make_pack_rows,
    make_prompt_rows,
    make_rows,
    make_scope_rows,
    make_targets,
    make_trust_rows,
    sized,
)
from reviewed_home import prepare_home
from time_process import time_process

# A harmless command that agents run all day and that the guard allows.
COMMAND = "cd src && cargo test --workspace 2>&1 | tail -20 && git diff --stat > /tmp/changes.txt"
EVICTED_ROUNDS = 7
# How often the rows of a project are asked again if their answers differ.
TRIES = 3
# For each row, the wall and CPU seconds of each round.
Measured = dict[str, list[tuple[float, float]]]


def measure(rows: dict[str, Row], rounds: int, environment: dict[str, str]) -> Measured:
    """Start every command once a round, after a round that warms the caches, and compare the answers."""
    measured: Measured = {name: [] for name in rows}
    answers: dict[str, bytes] = dict.fromkeys(rows, b"")
    for number in range(rounds + 1):
        for name in random.sample(list(rows), len(rows)):
            row = rows[name]
            if row.prepare:
                row.prepare(answers[name])
            wall, cpu, answers[name] = time_process(row.command, str(row.payload), environment | dict(row.variables))
            if number:
                measured[name].append((wall, cpu))
    check_answers(rows, answers, lambda name: run_again(rows[name], answers[name], environment))
    return measured


def run_again(row: Row, answer: bytes, environment: dict[str, str]) -> bytes:
    """The answer of another run of a row, which is not timed; `answer` is the row's last one."""
    if row.prepare:
        row.prepare(answer)
    return time_process(row.command, str(row.payload), environment | dict(row.variables))[2]


def check_answers(rows: dict[str, Row], answers: dict[str, bytes], again: Callable[[str], bytes]) -> None:
    """End the program if a row does not answer as it should, or the rows of one project answer differently.

    A prompt reads no more files after three seconds. Where the machine stood still for so long, an answer lacks
    memories, so the rows of a project are asked again before they count as different.
    """
    for name, row in rows.items():
        if row.is_answered and b"memory-context" not in answers[name]:
            raise SystemExit(f"hook.py: {name}: the hook prints nothing")
        if "guard" in row.command and answers[name]:
            raise SystemExit("hook.py: a guard refuses a harmless command")
    for project in {row.answers for row in rows.values() if row.answers}:
        given = {name: answers[name] for name, row in rows.items() if row.answers is project}
        tries = 0
        while len(set(given.values())) != 1 or any(b"memory-context" not in answer for answer in given.values()):
            if tries == TRIES:
                told = "\n".join(f"{name}: {answer.decode()}" for name, answer in given.items())
                raise SystemExit(f"hook.py: at {project.size} memories the hooks' answers differ, or are empty\n{told}")
            given = {name: again(name) for name in given}
            tries += 1


def find_ratios(measured: Measured, over: str, under: str) -> "tuple[float, float] | None":
    """The wall and CPU time of row `over`, divided by those of row `under`: medians over the rounds.

    None if one of the rows was not measured.
    """
    pairs = list(zip(measured.get(over, []), measured.get(under, []), strict=False))
    if not pairs:
        return None
    return median(above[0] / below[0] for above, below in pairs), median(above[1] / below[1] for above, below in pairs)


def find_tails(measured: Measured, over: str, under: str) -> "tuple[float, float] | None":
    """The 95th percentiles of the wall and CPU time of row `over`, divided by those of row `under`.

    None if one of the rows was not measured.
    """
    if not measured.get(over) or not measured.get(under):
        return None
    tails = [
        [sorted(times)[len(times) * 95 // 100] for times in zip(*measured[row], strict=True)] for row in (over, under)
    ]
    return tails[0][0] / tails[1][0], tails[0][1] / tails[1][1]


def show_rows(measured: Measured) -> None:
    """Print the table of rows, fastest first."""
    print(f"\n{'':48} {'ms':>8} {'CPU ms':>8} {'x base':>7} {'by CPU':>7} {'p95':>6}")
    for name in sorted(measured, key=lambda name: median(wall for wall, _ in measured[name])):
        walls, cpus = zip(*measured[name], strict=True)
        ratios = find_ratios(measured, name, BASE) or (0.0, 0.0)
        _wall, tail = find_tails(measured, name, BASE) or (0.0, 0.0)
        figures = f"{median(walls) * 1e3:8.2f} {median(cpus) * 1e3:8.2f} {ratios[0]:7.2f} {ratios[1]:7.2f} {tail:6.2f}"
        print(f"{name:48} {figures}")


def show_change(measured: Measured, size: int) -> None:
    """Print the ratio of the executable's time to the time of another version's executable."""
    print()
    for what in ("", ", a session"):
        over, under = sized(HOOK, size, what), sized(BEFORE, size, what)
        wall, cpu = find_ratios(measured, over, under) or (0.0, 0.0)
        print(f"{over} / {under}: wall {wall:.3f}, CPU {cpu:.3f}")


def show_targets(measured: Measured, targets: list[Target]) -> list[str]:
    """Print the targets and the measured ratios; return the targets that were missed by CPU time."""
    print(f"\n{'row':5} {'over / under':84} {'target':>8} {'wall':>7} {'CPU':>7}")
    missed = []
    for target in targets:
        what = f"{target.over} / {target.under}"
        sign = ">=" if target.at_least else "<="
        asked = f"{target.number:5} {what:84} {sign} {target.limit:<5g}"
        ratios = (find_tails if target.is_tail else find_ratios)(measured, target.over, target.under)
        if ratios is None:
            print(f"{asked} not measured")
            continue
        reached = ratios[1] >= target.limit if target.at_least else ratios[1] <= target.limit
        print(f"{asked} {ratios[0]:7.2f} {ratios[1]:7.2f}  {'reached' if reached else 'NOT REACHED'}")
        if not reached:
            missed.append(f"row {target.number} ({what})")
    return missed


def main() -> None:
    """Make the projects, measure the hooks, check their answers, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="600,10000,100000", help="numbers of memories, separated by commas")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--pack-size", type=int, default=10_000, help="memories of each of the three packs of teams")
    parser.add_argument("--projects", type=Path, help="folder that keeps the projects, by default a temporary one")
    parser.add_argument("--python", help="the interpreter of the Python rows, by default this environment's base")
    parser.add_argument("--incumbent", default="", help="the script that claude-memory runs at a prompt")
    parser.add_argument("--before", default="", help="an executable of another version to compare with")
    parser.add_argument("--check", action="store_true", help="fail if a target is missed")
    options = parser.parse_args()
    sizes = sorted(int(size) for size in options.sizes.split(","))
    python = options.python or os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    with tempfile.TemporaryDirectory() as scratch:
        folder: Path = options.projects or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        own = prepare_home(folder)
        os.environ.update(own)
        projects = [Project(folder, size) for size in sizes]
        bare = [Project(folder, size, "-bare") for size in sizes if size in SCAN_SIZES]
        for project in projects:
            print(f"{project.size:,} memories: `cuecard index rebuild` took {project.rebuild():.2f} s", flush=True)
        # The pure hook alone would read a thousand files of a new store at each prompt, and answer from these.
        for project in projects[:PURE_PROJECTS]:
            project.rebuild("pure")
        for project in bare:
            project.rebuild()
        full = Project(folder, sizes[0], "-full")
        full.switch_everything_on()
        full.rebuild()
        tool = folder / "tool.json"
        used = {"tool_name": "Bash", "tool_input": {"command": COMMAND}, "cwd": str(projects[0].root)}
        tool.write_text(json.dumps({**used, "session_id": "bench"}), encoding="utf-8")
        environment = {**own, "HOME": scratch, "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin"}
        rows = make_rows(python, projects, bare, full, tool, options.incumbent)
        by_trust = {
            level: Project(folder, sizes[0], f"-{level.replace(' ', '-')}")
            for level in ("each accepted", "half of them accepted", "each unreviewed")
        }
        for each in by_trust.values():
            each.rebuild()
        rows |= make_trust_rows(python, by_trust)
        scoped = ScopedProject(folder, sizes[0])
        scoped.rebuild()
        rows |= make_scope_rows(scoped)
        team = TeamProject(folder, sizes[0], options.pack_size)
        team.rebuild()
        rows |= make_pack_rows(team)
        for project in projects:
            if project.size in PROMPT_SIZES:
                asked = Project(folder, project.size, QUESTIONS)
                asked.rebuild()
                rows |= make_prompt_rows(python, project, asked)
        if options.before:
            rows |= make_before_rows(options.before, Project(folder, sizes[0], "-before"))
        print(f"{options.rounds} rounds, Python {sys.version.split()[0]}")
        measured = measure(rows, options.rounds, environment)
        evicted = measure(
            {BASE: rows[BASE], **make_evicted_rows(projects)}, min(EVICTED_ROUNDS, options.rounds), environment
        )

    show_rows(measured)
    show_rows(evicted)
    if options.before:
        show_change(measured, sizes[0])
    missed = show_targets(measured, make_targets(sizes))
    if options.check and missed:
        raise SystemExit(f"hook.py: missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
