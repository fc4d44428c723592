"""Asks the installed cuecard for a memory, through the executable and through Python.

Usage: `python tools/try_wheel.py [native|pure]`, with the Python into which a wheel was installed. Writes one memory
into an empty project, sends a prompt to the `cuecard-hook` of this Python, and exits 1 unless the memory is in the
answer. With an argument, the hook must be of that backend.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

TITLE = "Sessions are stored in Redis"
MEMORY = {
    "category": "decision",
    "title": TITLE,
    "tags": ["redis", "sessions"],
    "content": {
        "status": "accepted",
        "context": "Two servers need the same sessions.",
        "decision": "Redis keeps the sessions.",
        "rationale": ["It expires them by itself."],
        "consequences": ["Deployments need a Redis."],
    },
}
PROMPT = "why are sessions stored in redis?"
SUFFIX = ".exe" if os.name == "nt" else ""


def main(arguments: list[str]) -> int:
    """Write a memory, ask for it, and check the answers; returns the exit status."""
    scripts = Path(sysconfig.get_path("scripts"))
    with tempfile.TemporaryDirectory() as folder:
        project, home = Path(folder, "project"), Path(folder, "home")
        project.mkdir()
        (project / ".git").mkdir()
        home.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CUECARD_")}
        environment = kept | {"CUECARD_HOME": str(home), "XDG_CONFIG_HOME": str(home)}

        def run(program: str, *words: str, document: object = None) -> str:
            done = subprocess.run(
                [str(scripts / f"{program}{SUFFIX}"), *words],
                cwd=project,
                env=environment,
                input=json.dumps(document).encode() if document is not None else b"",
                stdout=subprocess.PIPE,
                check=True,
            )
            return done.stdout.decode()

        run("cuecard", "add", "-c", "decision", document=MEMORY)
        answers = {
            "cuecard-hook": run("cuecard-hook", "prompt", document={"prompt": PROMPT, "cwd": str(project)}),
            "cuecard": run("cuecard", "recall", PROMPT, "--block"),
        }
        version = run("cuecard-hook", "--version").strip()
    for program, answer in answers.items():
        if TITLE not in answer:
            print(f"error: `{program}` does not find the memory: {answer!r}", file=sys.stderr)
            return 1
    if arguments and f"({arguments[0]})" not in version:
        print(f"error: the hook is `{version}`, not the {arguments[0]} hook", file=sys.stderr)
        return 1
    print(f"{version} and the command find the memory")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
