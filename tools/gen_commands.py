"""Writes `docs/reference/commands.md` from the help pages of the commands.

Usage: `python tools/gen_commands.py`, in an environment in which cuecard is installed. A test fails if the page and the
commands disagree.
"""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

from cuecard.cli.command_table import ABOUT, COMMANDS, load
from cuecard.cli.help_page import page_of_command

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "commands.md"

HEAD = f"""# Commands

{ABOUT}

This page is generated from the code by `tools/gen_commands.py`. Each section shows what
`cuecard COMMAND --help` prints. A memory is named by its id, by `CATEGORY/ID` or by its file.

"""


def render() -> str:
    """The Markdown text of `docs/reference/commands.md`."""
    # A help page is as wide as the terminal, so the width is fixed to get the same page on every machine.
    with patch.dict(os.environ, {"COLUMNS": "80"}):
        pages = {name: page_of_command(f"cuecard {name}", load(name)) for name in COMMANDS}
    sections = [f"## cuecard {name}\n\n```text\n{_text(lines)}\n```\n" for name, lines in pages.items()]
    return HEAD + "\n".join(sections)


def _text(lines: list[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).strip("\n")


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8", newline="\n")
