"""Runs the commands that the documentation shows, and compares their output with the pages or writes it into them.

Usage: `python tools/console_pages.py PAGE...` writes the output of every command into the pages. The tests run the same
commands and compare.

A page has fenced blocks of the kind `console`. They contain commands, each after `$ `, and their output. A line `...`
matches any number of lines, and `...` within a line any text. The day of the run is written as 2026-11-24.

All blocks of a page run in one scratch project, in order, on a terminal of 80 columns, with a home folder of their own.
HTML comments prepare what a reader of the page has already: `<!-- project: FOLDER -->` copies a project of this
repository, and `<!-- run: COMMAND -->` runs a command whose output is not compared.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from terminal import ROOT, environment, run_in_terminal

WIDTH, HEIGHT = 80, 40
TODAY = "2026-11-24"
STEP = re.compile(r"^<!-- (project|run): (.*?) -->$|^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Colours, and a progress bar, which is redrawn until it is complete.
CODES = re.compile(r"\x1b\[\??[0-9;]*[A-Za-z]")
PROGRESS = re.compile(r"^\w+ [━╸╺].*\n", re.MULTILINE)


@dataclass
class Step:
    """One command of a page."""

    command: str
    expected: list[str] = field(default_factory=list)
    hidden: bool = False


def steps_of(page: str) -> tuple[str, list[Step]]:
    """The name of the project that a page starts from, or "" without one, and the commands of the page."""
    project, steps = "", []
    for found in STEP.finditer(page):
        kind, value, block = found.groups()
        if kind == "project":
            project = value
        elif kind == "run":
            steps.append(Step(value, hidden=True))
        else:
            steps += commands_of(block)
    return project, steps


def commands_of(block: str) -> list[Step]:
    """The commands of a block; a here-document is part of its command."""
    steps: list[Step] = []
    end = ""
    for line in block.splitlines():
        if end:
            steps[-1].command += f"\n{line}"
            end = "" if line == end else end
        elif line.startswith("$ "):
            steps.append(Step(line[2:]))
            found = re.search(r"<<'(\w+)'", line)
            end = found[1] if found else ""
        else:
            steps[-1].expected.append(line)
    return steps


class Scratch:
    """A scratch project and home folder for the commands of one page."""

    def __init__(self, folder: Path, project: str) -> None:
        self.home = folder / "home"
        self.project = self.home / "project"
        self.home.mkdir()
        if project:
            shutil.copytree(ROOT / project, self.project, ignore=shutil.ignore_patterns(".cuecard"))
        else:
            self.project.mkdir()
        subprocess.run(["git", "init", "--quiet", str(self.project)], check=True, env=environment(self.home))

    def run(self, command: str) -> tuple[list[str], int]:
        """The lines that a command prints, without colours and trailing spaces, and its exit status."""
        text, status = run_in_terminal(command, self.project, self.home, (HEIGHT, WIDTH))
        text = PROGRESS.sub("", CODES.sub("", text).replace("\r", "\n")).replace(
            datetime.now(timezone.utc).date().isoformat(), TODAY
        )
        lines = [line.rstrip() for line in text.splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        return lines, status


def fits(expected: list[str], printed: list[str]) -> bool:
    """Whether the printed lines match the lines of the page, in which a line `...` matches any number of lines."""
    pattern = "".join(
        ["(?:.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in expected]
    )
    return re.fullmatch(pattern, "".join([f"{line}\n" for line in printed])) is not None


def run_page(page: str) -> list[tuple[Step, list[str], int]]:
    """Run every command of a page; returns each command with its output lines and its exit status."""
    project, steps = steps_of(page)
    with tempfile.TemporaryDirectory(prefix="cuecard-page-") as folder:
        scratch = Scratch(Path(folder), project)
        return [(step, *scratch.run(step.command)) for step in steps]


def fill(page: str) -> str:
    """The page with new output for every command whose output does not match."""
    results = iter([result for result in run_page(page) if not result[0].hidden])

    def block(found: re.Match[str]) -> str:
        if found[3] is None:
            return found[0]
        parts = []
        for _ in commands_of(found[3]):
            step, printed, _status = next(results)
            lines = step.expected if fits(step.expected, printed) else printed
            parts.append("\n".join([f"$ {step.command}", *lines]) + "\n")
        return f"```console\n{''.join(parts)}```"

    return STEP.sub(block, page)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(fill(Path(name).read_text("utf-8")), "utf-8", newline="\n")
