"""Runs the hook as a process of its own, in a clean environment."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fork_launcher import Launcher
from scratch_home import kept_variables

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (?:prompt|guard|session|validate|need|stop|permit): ")


@dataclass(frozen=True)
class Outcome:
    """The result of a run of the hook; the lines of `log` have no times."""

    code: int
    stdout: bytes
    stderr: bytes
    log: list[str]


@dataclass(frozen=True)
class Hook:
    """One of the ways to run the hook, with its own home and log in `scratch`."""

    command: tuple[str, ...]
    environment: dict[str, str]
    scratch: Path
    # The backend of a Python hook whose runs are forked from one process; "" for a new process each time.
    forked: str = ""

    def start(self, *arguments: str, cwd: Path, **environment: str) -> "subprocess.Popen[bytes]":
        """Start the hook with pipes, in its own environment with the variables of `environment` added."""
        return subprocess.Popen(
            [*self.command, *arguments],
            cwd=cwd,
            env=self._variables(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, stdin: bytes, cwd: Path, **environment: str) -> Outcome:
        """Run the hook with `stdin` until it ends; the result has only the log lines of this run."""
        log = self.scratch / "hook.log"
        log.unlink(missing_ok=True)
        if self.forked and hasattr(os, "fork"):
            variables = self._variables(environment)
            ran = launcher(self.forked).run("hook", arguments, stdin, cwd=cwd, environment=variables, seconds=60)
            return Outcome(ran.code, ran.printed, ran.complained, read_log(log))
        process = self.start(*arguments, cwd=cwd, **environment)
        stdout, stderr = process.communicate(stdin, timeout=60)
        return Outcome(process.returncode, stdout, stderr, read_log(log))

    def _variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        home = self.scratch / "home"
        home.mkdir(exist_ok=True)
        kept = kept_variables()
        kept.pop("CUECARD_BACKEND", None)
        own = {"HOME": str(home), "CUECARD_LOG": str(self.scratch / "hook.log")}
        return {**kept, **own, **self.environment, **environment}


@cache
def launcher(backend: str) -> Launcher:
    """The launcher of a backend, which all tests of this process share."""
    return Launcher(backend)


def memories_in(block: str, titles: Mapping[str, str]) -> list[str]:
    """The keys of those `titles` that have a line in a block of either form, in the order of the block."""
    said = [line.partition("] ")[2] for line in block.splitlines() if line.startswith("- [")]
    return [key for line in said for key, title in titles.items() if is_line_of(line, title)]


def is_line_of(line: str, title: str) -> bool:
    """Whether a line is for this title: the title alone, or followed by a gist, an id or notes in brackets."""
    return line == title or line.startswith((f"{title} -> ", f"{title}: ", f"{title} ("))


def read_log(log: Path) -> list[str]:
    """The lines of a log without their times; each line must begin with a time."""
    lines = log.read_text("utf-8").split("\n") if log.exists() else [""]
    assert lines.pop() == "", "the log ends in the middle of a line"
    assert all(_STAMP.match(line) for line in lines), lines
    return [_STAMP.sub("", line, count=1) for line in lines]


def find_executable() -> str | None:
    """The native `cuecard-hook` beside this Python or on PATH; None if there is only a console script, or nothing."""
    for folder in (str(Path(sys.executable).parent), None):
        found = shutil.which("cuecard-hook", path=folder)
        if found and not Path(found).read_bytes().startswith(b"#!"):
            version = subprocess.run([found, "--version"], capture_output=True, timeout=60, check=False)
            if version.stdout.rstrip().endswith(b"(native)"):
                return found
    return None
