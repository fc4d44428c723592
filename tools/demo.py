"""Answer a real prompt from this repository's own memory, through the real hook (`make demo`).

Shows the question, the hook's answer, and how long it took compared with an empty Python. It needs only the standard
library, so it also runs in a clone in which nothing is installed.
"""

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

REPOSITORY = Path(__file__).resolve().parent.parent
PROMPT = "why is the hook not a python script"
ROUNDS = 15


def find_hook() -> tuple[list[str], str]:
    """The command of the fastest hook that is installed, and a description of it."""
    beside = str(Path(sys.executable).parent)
    installed = shutil.which("cuecard-hook", path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
    if installed:
        version = subprocess.run([installed, "--version"], capture_output=True, text=True, check=False).stdout
        kind = "the native executable" if "native" in version else "the pure-Python hook"
        return [installed], f"{kind}, {version.strip()}"
    start = "import sys; sys.path.insert(0, sys.argv.pop(1)); from cuecard.hook import main; main()"
    return [sys.executable, "-I", "-S", "-c", start, str(REPOSITORY / "python")], "the pure-Python hook of this clone"


def ask(command: list[str], payload: bytes) -> tuple[bytes, float]:
    """The output of a command for a payload, and its wall time in seconds."""
    begin = time.perf_counter()
    done = subprocess.run(command, input=payload, stdout=subprocess.PIPE, check=True)
    return done.stdout, time.perf_counter() - begin


def use_scratch_home(home: Path) -> None:
    """Use empty folders in place of the user's own data, with settings in which every memory counts as reviewed."""
    settings = home / "cuecard" / "config.json"
    settings.parent.mkdir()
    settings.write_text('{"trust": {"review": "off"}}\n', "utf-8")
    os.environ.update(XDG_CONFIG_HOME=str(home), CUECARD_HOME=str(home / "data"))


def main() -> None:
    """Run the demo with a scratch home folder."""
    with tempfile.TemporaryDirectory(prefix="cuecard-demo-") as home:
        use_scratch_home(Path(home))
        show()


def show() -> None:
    """Print the question, the block that the hook returns, and the time that it took."""
    hook, name = find_hook()
    payload = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": PROMPT, "cwd": str(REPOSITORY)}).encode()
    prompt = [*hook, "prompt", "--host", "claude-code"]
    rows = {
        name: prompt,
        "the same, doing nothing": [*hook, "--version"],
        "python3 -I -S -c pass": [os.path.realpath(sys.executable), "-I", "-S", "-c", "pass"],
    }
    times: dict[str, list[float]] = {row: [] for row in rows}
    for _ in range(ROUNDS):
        for row in random.sample(list(rows), len(rows)):
            times[row].append(ask(rows[row], payload)[1])
    answer, _ = ask(prompt, payload)
    if not answer:
        raise SystemExit("demo: the hook printed nothing\nhint: `cuecard doctor` says what is wrong")
    memories = len(list((REPOSITORY / ".claude" / "memory").glob("*/*.json")))

    bold, dim, end = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")
    out = sys.stdout.write
    out(f"\n{bold}A user asks{end} (in this repository, which keeps {memories} memories about itself)\n\n  {PROMPT}\n")
    out(f"\n{bold}The hook prints for the agent{end}\n\n")
    for line in json.loads(answer)["hookSpecificOutput"]["additionalContext"].splitlines():
        out(f"  {line}\n")
    out(f"\n{bold}It took{end} {dim}(whole process, median of {ROUNDS}){end}\n\n")
    width = max(map(len, rows))
    for row in rows:
        out(f"  {row:{width}}  {statistics.median(times[row]) * 1e3:6.2f} ms\n")
    work = statistics.median(a - b for a, b in zip(*list(times.values())[:2], strict=True)) * 1e3
    out(f"\n  {max(work, 0):.2f} ms over an empty run: find the store, read, match, check, print\n")
    out(f'\n{dim}Next: `make test` runs fast tests; `.venv/bin/cuecard recall --explain "{PROMPT}"` says why.{end}\n\n')


if __name__ == "__main__":
    main()
