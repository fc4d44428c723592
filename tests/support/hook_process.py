"""Runs the hook as a separate process, in a clean environment."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from fork_launcher import Launcher
from scratch_home import kept_variables

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (?:prompt|guard|session|validate|need|stop|permit|status-line): ")


@dataclass(frozen=True)
class Outcome:
    """The result of a run of the hook. The lines of `log` are without their times."""

    code: int
    stdout: bytes
    stderr: bytes
    log: list[str]


@dataclass(frozen=True)
class Hook:
    """One of the ways to run the hook. Its home folder is in `scratch`, its log in the data folder."""

    command: tuple[str, ...]
    environment: dict[str, str]
    scratch: Path
    # The backend of a hook in Python. Its runs are forked from one process; with "", each run is a new process.
    forked: str = ""

    def start(self, *arguments: str, cwd: Path, **environment: str) -> "subprocess.Popen[bytes]":
        """Start the hook with pipes, in its own environment, to which the variables of `environment` are added."""
        return subprocess.Popen(
            [*self.command, *arguments],
            cwd=cwd,
            env=self._variables(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, stdin: bytes, cwd: Path, **environment: str) -> Outcome:
        """Run the hook with `stdin` until it ends; the result has only the log lines that this run has written."""
        variables = self._variables(environment)
        log = self._log_in(variables)
        if log.is_file():
            log.unlink()
        if self.forked and hasattr(os, "fork"):
            ran = launcher(self.forked).run("hook", arguments, stdin, cwd=cwd, environment=variables, seconds=60)
            return Outcome(ran.code, ran.printed, ran.complained, read_log(log))
        process = self.start(*arguments, cwd=cwd, **environment)
        stdout, stderr = process.communicate(stdin, timeout=60)
        return Outcome(process.returncode, stdout, stderr, read_log(log))

    def wait_for_background(self) -> None:
        """Wait until the processes that a run of this hook has left in the background have ended."""
        mark = f"CUECARD_LOG={self.log_file()}".encode()
        until = time.monotonic() + 60
        while time.monotonic() < until and any(mark in read_environment(each) for each in Path("/proc").glob("[0-9]*")):
            time.sleep(0.01)

    def log_file(self) -> Path:
        """The log of the runs that name no other."""
        return self._log_in(self._variables({}))

    def _log_in(self, variables: Mapping[str, str]) -> Path:
        # The log counts only below the data folder, which all tests share.
        name = sha256(os.fsencode(self.scratch)).hexdigest()[:32]
        return Path(variables["CUECARD_HOME"] or os.devnull, f"{name}.log")

    def _variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        home = self.scratch / "home"
        home.mkdir(exist_ok=True)
        kept = kept_variables()
        kept.pop("CUECARD_BACKEND", None)
        variables = {**kept, "HOME": str(home), **self.environment, **environment}
        return {"CUECARD_LOG": str(self._log_in(variables)), **variables}


def read_environment(process: Path) -> bytes:
    """The environment of a process in `/proc`; empty for this process, and if it cannot be read."""
    try:
        return b"" if process.name == str(os.getpid()) else process.joinpath("environ").read_bytes()
    except OSError:
        return b""


@cache
def launcher(backend: str) -> Launcher:
    """The launcher that runs programs with a backend. All tests of this process share it."""
    return Launcher(backend)


def memories_in(block: str, titles: Mapping[str, str]) -> list[str]:
    """The keys of the `titles` that have a line in a block, in the order of the block."""
    said = [line.partition("] ")[2] for line in block.splitlines() if line.startswith("- [")]
    return [key for line in said for key, title in titles.items() if is_line_of(line, title)]


def is_line_of(line: str, title: str) -> bool:
    """Whether a line is for this title: it has only the title, or a gist, an id or notes in brackets after it."""
    return line == title or line.startswith((f"{title} -> ", f"{title}: ", f"{title} ("))


def read_log(log: Path) -> list[str]:
    """The lines of a log without their times; asserts that each line begins with a time."""
    lines = log.read_text("utf-8").split("\n") if log.is_file() else [""]
    assert lines.pop() == "", "the log ends in the middle of a line"
    assert all(_STAMP.match(line) for line in lines), lines
    return [_STAMP.sub("", line, count=1) for line in lines]


def find_executable() -> str | None:
    """The native `cuecard-hook` beside this Python or on PATH.

    None if there is no such program, or only a console script.
    """
    for folder in (str(Path(sys.executable).parent), None):
        found = shutil.which("cuecard-hook", path=folder)
        if found and not Path(found).read_bytes().startswith(b"#!"):
            version = subprocess.run([found, "--version"], capture_output=True, timeout=60, check=False)
            if version.stdout.rstrip().endswith(b"(native)"):
                return found
    return None
