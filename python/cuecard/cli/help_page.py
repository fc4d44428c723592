"""The pages that `--help` prints."""

import os
import sys

from .arguments import HELP_NAMES, PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .arguments import Command, Option

MAX_WIDTH = 78
# The explanation of a longer name is on the next line.
MAX_NAME_CHARS = 28
HELP_ROW = (", ".join(HELP_NAMES), "Show this message and exit.")
VERSION_ROW = ("--version", "Print the version.")


def page_of_command(path: str, command: "Command") -> list[str]:
    """The lines of the help page of one command."""
    usage = " ".join(["Usage:", path, "[OPTIONS]", *[argument.usage for argument in command.arguments]])
    arguments = [(argument.usage, argument.help) for argument in command.arguments]
    options = [(_names(option), f"{option.help}{_notes(option)}") for option in command.options]
    described = _describe(command.function.__doc__ or "")
    return [usage, "", *described, *_section("Arguments", arguments), *_section("Options", [*options, HELP_ROW])]


def page_of_group(path: str, about: str, commands: "Sequence[tuple[str, str]]") -> list[str]:
    """The lines of the help page of a group, with a sentence for each of its commands."""
    return [*_top(path, about), *_section("Options", [HELP_ROW]), *_section("Commands", commands)]


def page_of_program(about: str, sections: "Sequence[tuple[str, Sequence[tuple[str, str]]]]") -> list[str]:
    """The lines of the help page of the program: a section for each heading and its rows."""
    column = max([len(name) for _, rows in sections for name, _ in rows])
    lines = [*_top(PROGRAM, about), ""]
    lines.append(f"  Begin with `{PROGRAM} init`. `{PROGRAM} COMMAND --help` explains a command.")
    for title, rows in sections:
        lines += _section(title, rows, column)
    return [*lines, *_section("Options", [VERSION_ROW, HELP_ROW])]


def _top(path: str, about: str) -> list[str]:
    return [f"Usage: {path} [OPTIONS] COMMAND [ARGS]...", "", *_describe(about)]


def _names(option: "Option") -> str:
    """All names of an option, the shortest first, and the name of its value."""
    names = ", ".join(sorted(option.names, key=len))
    if option.off:
        return f"{names} / {option.off}"
    return f"{names} {option.metavar}" if option.metavar else names


def _notes(option: "Option") -> str:
    """The notes about an option in brackets: whether it is required, its default and its range; "" without notes."""
    notes = ["required"] if option.is_required else []
    if option.metavar and option.default not in (None, ""):
        notes.append(f"default: {option.default}")
    if option.range:
        notes.append(option.range)
    return f"  [{'; '.join(notes)}]" if notes else ""


def _describe(text: str) -> list[str]:
    """The lines of a docstring, with each paragraph wrapped."""
    lines = []
    for paragraph in text.split("\n\n"):
        lines += [f"  {line}" for line in _wrap(paragraph, _width() - 2)] + [""]
    return lines[:-1]


def _section(title: str, rows: "Sequence[tuple[str, str]]", least: int = 0) -> list[str]:
    """The lines of a section: a heading, and two columns of which the first has at least `least` characters."""
    if not rows:
        return []
    column = max([len(name) for name, _ in rows if len(name) <= MAX_NAME_CHARS], default=0)
    column = max(column, least) + 2
    lines = ["", f"{title}:"]
    for name, about in rows:
        wrapped = _wrap(about, _width() - 2 - column)
        if len(name) > MAX_NAME_CHARS:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name:{column}}{wrapped.pop(0)}")
        lines += [f"  {'':{column}}{line}" for line in wrapped]
    return lines


def _wrap(text: str, width: int) -> list[str]:
    """Wrap a text into lines of at most `width` characters. (`textwrap` would load the module `re`.)"""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _width() -> int:
    """The width of the page in columns, from 40 to `MAX_WIDTH`."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        width = int(columns)
    else:
        try:
            width = os.get_terminal_size(sys.stdout.fileno()).columns
        except (OSError, ValueError):
            width = MAX_WIDTH
    return max(min(width, MAX_WIDTH), 40)
