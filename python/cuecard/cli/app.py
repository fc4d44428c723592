"""The command's frame: what every group of commands shares."""

from typing import Annotated

import typer

from . import terminal

app = typer.Typer(
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Hands a coding agent the right project memories at every prompt.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Root = Annotated[
    str | None,
    typer.Option("--root", metavar="FOLDER", help="The project, or its .claude/memory; else found from here upwards."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from .. import __version__

        terminal.print_lines([f"cuecard {__version__}"])
        raise typer.Exit


@app.callback()
def cuecard(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hands a coding agent the right project memories at every prompt."""
