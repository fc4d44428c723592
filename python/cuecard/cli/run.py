"""Runs a command and returns its exit status; an error becomes a sentence and a hint on standard error."""

import io
import os
import sys

from ..errors import CuecardError, StoreError, UsageError, ValidationError
from . import command_table as commands
from . import help_page, terminal
from .arguments import COMPLETE, HELP_NAMES, PROGRAM, no_such

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

INTERRUPTED = 130
# The name of a module that is loaded only if the command has made a vector for a written memory.
EMBEDDING = "cuecard.models.vectors.embed_written"


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    # The search for pydantic plugins takes a tenth of the time of `cuecard add`, and cuecard has no such plugin.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # A stream that the caller has closed is replaced by one that discards its input.
    sys.stdout, sys.stderr = sys.stdout or terminal.discarding(), sys.stderr or terminal.discarding()
    for stream in (sys.stdout, sys.stderr):
        # A memory may contain characters that the encoding of the terminal lacks.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    status = 0
    terminal.forget_withheld_names()
    try:
        status = _call(arguments or ["--help"])
        if "--json" not in arguments:
            terminal.tell_of_withheld_names()
        sys.stdout.flush()
    except CuecardError as error:
        return _fail(error, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.filename is not None:
            what = f"`{error.filename}` cannot be used: {error.strerror or error}"
            return _fail(StoreError(what, "check that it is there, and its permissions"), arguments)
        if _has_working_directory():
            return _give_up_printing(error, status)
        return _fail(StoreError("the working directory no longer exists", "go into a folder that is there"), arguments)
    finally:
        if EMBEDDING in sys.modules:
            from ..models.sent_log import log_pending

            log_pending()
    return status


def _call(words: list[str], group: str = "") -> int:
    """Call the command that the first words name, with the other words as its arguments. Returns the exit status."""
    path = f"{PROGRAM} {group}".rstrip()
    if not words:
        raise UsageError("missing command", f"see `{path} --help`")
    first, *rest = words
    if first in HELP_NAMES:
        if group:
            page = help_page.page_of_group(path, commands.GROUPS[group], commands.list_commands(group))
        else:
            page = help_page.page_of_program(commands.ABOUT, commands.list_headings())
        terminal.print_lines(page)
        return 0
    if first == "--version" and not group:
        from ..basics.version import __version__

        terminal.print_lines([f"{PROGRAM} {__version__}"])
        return 0
    if first.startswith("-"):
        raise no_such("option", first, [*HELP_NAMES, *([] if group else ["--version"])], path)
    if first == COMPLETE and not group:
        from .completion import answer

        answer(rest or [""])
        return 0
    if first in commands.GROUPS and not group:
        return _call(rest, first)
    name = commands.find(first, group)
    command = commands.load(name)
    values = command.parse(rest, f"{PROGRAM} {name}")
    if values is None:
        terminal.print_lines(help_page.page_of_command(f"{PROGRAM} {name}", command))
        return 0
    return command.run(values)


def _has_working_directory() -> bool:
    """Whether the working directory still exists."""
    from pathlib import Path

    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _give_up_printing(error: OSError, status: int) -> int:
    """Report, if possible, that the output could not be written, and return 1. The command itself has done its work.

    A reader that wants no more, such as `head`, is no error: then `status` is returned and nothing is said. The caller
    recognizes this case by an OSError without a file name: only the standard streams raise it, and `os.getcwd`.
    """
    sys.stdout = terminal.discarding()
    if isinstance(error, BrokenPipeError):
        return status
    try:
        terminal.report(
            "error", f"the output cannot be written: {error.strerror or error}", "the command itself is done"
        )
    except OSError:
        sys.stderr = terminal.discarding()
    return 1


def _fail(error: CuecardError, arguments: list[str]) -> int:
    """Report an error, with `--json` also on standard output. Returns 2 for wrong arguments, else 1."""
    try:
        return _tell(error, arguments)
    except OSError as broken:
        return _give_up_printing(broken, 2 if isinstance(error, UsageError) else 1)


def _tell(error: CuecardError, arguments: list[str]) -> int:
    if "--json" in arguments:
        terminal.print_json({"error": error.as_dict()})
    problems = error.problems if isinstance(error, ValidationError) and len(error.problems) > 1 else []
    details = [f"`{found.field}`: expected {found.expected}, found {found.found}; {found.fix}" for found in problems]
    terminal.report("error", error.what, "" if details else error.hint, details)
    return 2 if isinstance(error, UsageError) else 1
