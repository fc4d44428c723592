"""The cost of commands that only read: CPU time of the whole process, compared with a bare Python in the same round.

    python benches/cli.py [--sizes 600] [--rounds 15] [--events 50] [--smoke] [--check]

Each round times a `python -c pass` of the same interpreter and then every command, one after the other, in a project
whose hook has answered some prompts. A figure is the user and system time of the process; a ratio is the median over
the rounds. `--smoke` takes a small project and one round. `--check` fails if a command takes over six times as long as
a bare Python, or `import cuecard` over 1.15 times as long. The first import compiles the package, so the folder of the
byte code has to be writable.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from hook_projects import Project
from made_projects import ANSWER, PROMPT, make_memory, make_prompt
from reviewed_home import prepare_home
from time_process import time_process

MOST = 6.0
IMPORT = "import cuecard"
MOST_OF_IMPORT = 1.15
PATH, _, RECORD = make_memory(ANSWER)
MEMORY = str(RECORD["id"])
TITLE = str(RECORD["title"])
# A command, and a text that its output must contain.
COMMANDS = {
    "--help": (["--help"], "Start:"),
    "show --help": (["show", "--help"], "MEMORY"),
    "recall": (["recall", PROMPT], MEMORY),
    "search": (["search", PROMPT], MEMORY),
    "show": (["show", MEMORY], TITLE),
    "list": (["list"], TITLE),
    "log": (["log"], MEMORY),
    "why": (["why", MEMORY, "--prompt", PROMPT], MEMORY),
    "stats": (["stats"], MEMORY),
    "doctor": (["doctor"], "memories"),
    "doctor with the hook": (["doctor"], "/cuecard-hook"),
    "timeline": (["timeline", MEMORY], TITLE),
    "lineage": (["lineage", MEMORY], TITLE),
}


def find_command() -> list[str]:
    """The command that users start: the program beside this Python, else `python -m` with the module."""
    program = Path(sys.executable).parent / "cuecard"
    return [str(program)] if program.exists() else [sys.executable, "-m", "cuecard.cli"]


def answer_prompts(project: Project, count: int, environment: dict[str, str]) -> None:
    """Send prompts to the hook, so that there are events to show; the last prompt is about `MEMORY`."""
    for number in range(count):
        prompt = make_prompt(number) if number < count - 1 else PROMPT
        payload = {"prompt": prompt, "cwd": str(project.root), "session_id": f"bench-{number}"}
        project.payload.write_text(json.dumps(payload), encoding="utf-8")
        time_process([sys.executable, "-m", "cuecard.hook", "prompt"], str(project.payload), environment)


def measure(project: Project, rounds: int, environment: dict[str, str]) -> dict[str, tuple[float, float]]:
    """CPU milliseconds of each command, and their ratio to a bare Python, which is the first row."""
    bare = [sys.executable, "-c", "pass"]
    program = find_command()
    os.chdir(project.root)
    taken: dict[str, list[float]] = {"a bare Python": [], IMPORT: [], **{name: [] for name in COMMANDS}}
    for number in range(rounds + 1):
        times = {"a bare Python": time_process(bare, os.devnull, environment)[1]}
        times[IMPORT] = time_process([sys.executable, "-c", IMPORT], os.devnull, environment)[1]
        for name, (arguments, wanted) in COMMANDS.items():
            variables = environment
            if name.endswith("with the hook"):
                variables = environment | {"PATH": f"{Path(program[0]).parent}{os.pathsep}{os.defpath}"}
            _, times[name], output = time_process([*program, *arguments], os.devnull, variables)
            if wanted.encode() not in output:
                raise SystemExit(f"`cuecard {' '.join(arguments)}` printed {output[:500].decode()}")
        # The first round fills the caches.
        if number:
            for name, seconds in times.items():
                taken[name].append(seconds)
    base = taken["a bare Python"]
    return {
        name: (median(times) * 1000, median([one / other for one, other in zip(times, base, strict=True)]))
        for name, times in taken.items()
    }


def main() -> None:
    """Make the projects, measure the commands, and print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="600", help="numbers of memories, separated by commas")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--events", type=int, default=50, help="how many prompts the hook has answered")
    parser.add_argument("--smoke", action="store_true", help="a small project, one round")
    parser.add_argument("--check", action="store_true", help="fail if a command or the import takes too long")
    options = parser.parse_args()
    if options.smoke:
        options.sizes, options.rounds, options.events = "20", 1, 3
    slow: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        # Only one command runs with the hook on PATH. The user's files are in a temporary folder.
        environment = {"PATH": os.defpath, "HOME": folder, **prepare_home(Path(folder) / "home")}
        os.environ |= environment
        for size in [int(size) for size in options.sizes.split(",")]:
            project = Project(Path(folder), size)
            project.rebuild()
            answer_prompts(project, options.events, environment)
            found = measure(project, options.rounds, environment)
            print(f"| {size} memories | CPU, ms | over a bare Python |")
            print("| --- | --: | --: |")
            for name, (milliseconds, ratio) in found.items():
                print(f"| {name} | {milliseconds:.1f} | {ratio:.2f} |")
                most = MOST_OF_IMPORT if name == IMPORT else MOST
                if ratio > most:
                    slow.append(
                        f"`{name}` with {size} memories takes {ratio:.2f} times a bare Python, and {most} are allowed"
                    )
            print()
    if options.check and slow:
        raise SystemExit("\n".join(slow))


if __name__ == "__main__":
    main()
