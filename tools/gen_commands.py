"""Writes `docs/reference/commands.md` from the help pages of the commands, and `tools/command_examples.tsv`.

Usage: `python tools/gen_commands.py`, in an environment in which cuecard is installed. A test fails if the page and the
commands disagree.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from cuecard.cli.command_table import ABOUT, COMMANDS, GROUPS, HEADINGS, load
from cuecard.cli.help_page import page_of_command

TOOLS = Path(__file__).resolve().parent
PAGE = TOOLS.parent / "docs" / "reference" / "commands.md"
EXAMPLES = TOOLS / "command_examples.tsv"

HEAD = f"""# Commands

{ABOUT}

This page is generated from the code by `tools/gen_commands.py`. Each section has an example and what
`cuecard COMMAND --help` prints. A memory is named by its id, by `CATEGORY/ID` or by its file. Most commands take
`--json` for programs, and `--root FOLDER` for another project.

| for | commands |
| --- | --- |
"""


@dataclass(frozen=True)
class Example:
    """What the page shows beside the help of a command."""

    line: str
    settings: tuple[str, ...]


def read_examples() -> dict[str, Example]:
    """The example of each command, by the command's full name."""
    rows = [line.split("\t") for line in EXAMPLES.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {name: Example(line, tuple(settings.split())) for name, line, settings in rows}


def commands_of(heading: str) -> list[str]:
    """The full names of the commands under a heading, in the order of `cuecard --help`."""
    names = [name for row in HEADINGS[heading] for name in row]
    return [
        full
        for name in names
        for full in ([each for each in COMMANDS if each.startswith(f"{name} ")] if name in GROUPS else [name])
    ]


def render() -> str:
    """The Markdown text of `docs/reference/commands.md`."""
    examples = read_examples()
    index, sections = [], []
    for heading in HEADINGS:
        names = commands_of(heading)
        links = ", ".join([f"[`{name}`](#cuecard-{name.replace(' ', '-')})" for name in names])
        index.append(f"| [{heading}](#{heading.lower()}) | {links} |")
        sections += [f"## {heading}\n", *[_section(name, examples[name]) for name in names]]
    return HEAD + "\n".join([*index, "", *sections])


def _section(name: str, example: Example) -> str:
    # A help page is as wide as the terminal, so the width is fixed to get the same page on every machine.
    with patch.dict(os.environ, {"COLUMNS": "80"}):
        lines = page_of_command(f"cuecard {name}", load(name))
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    links = ", ".join([f"[`{each}`](../settings.md#{each.partition('.')[0]})" for each in example.settings])
    more = f"\nSettings: {links}\n" if links else ""
    return f"### cuecard {name}\n\n```sh\n{example.line}\n```\n\n```text\n{text}\n```\n{more}"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8", newline="\n")
