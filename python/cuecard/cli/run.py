"""Arguments in, exit status out; every error becomes a sentence and a hint on standard error."""

import io
import os
import sys
from typing import IO, TYPE_CHECKING

import typer

from ..errors import CuecardError, StoreError, UsageError, ValidationError
from . import terminal
from .commands import app

if TYPE_CHECKING:
    ArgumentError = typer.BadParameter
else:
    # `UsageError` of click, which lies elsewhere in each generation of typer.
    ArgumentError = typer.BadParameter.__base__

INTERRUPTED = 130
# Loaded only where a written memory was given its vector.
EMBEDDING = "cuecard.models.embed_written"


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    # Looking for plugins of pydantic costs a tenth of a whole `cuecard add`, and we bring none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # A stream that the caller has closed swallows what it is given.
    sys.stdout, sys.stderr = sys.stdout or _sink(), sys.stderr or _sink()
    for stream in (sys.stdout, sys.stderr):
        # A memory may hold what the terminal's encoding has no character for.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = app(arguments or ["--help"], prog_name="cuecard", standalone_mode=False)
        sys.stdout.flush()
    except ArgumentError as error:
        what = _sentence(error.format_message())
        command = error.ctx.command_path if error.ctx else "cuecard"
        hint = "put several words into quotes" if "extra argument" in what else f"see `{command} --help`"
        return _fail(UsageError(what, hint), arguments)
    except CuecardError as error:
        return _fail(error, arguments)
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        if error.filename is None:
            return _give_up_printing(error)
        what = f"`{error.filename}` cannot be used: {error.strerror or error}"
        return _fail(StoreError(what, "check that it is there, and its permissions"), arguments)
    finally:
        if EMBEDDING in sys.modules:
            from ..recall.sent_log import log_pending

            log_pending()
    return status if isinstance(status, int) else 0


def _sink() -> IO[str]:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - it stays open to the end


def _give_up_printing(error: OSError) -> int:
    """The command has done its work, and nobody can be told what: only streams fail without a file's name."""
    sys.stdout = _sink()
    try:
        terminal.report(
            "error", f"the output cannot be written: {error.strerror or error}", "the command itself is done"
        )
    except OSError:
        sys.stderr = _sink()
    return 1


def _fail(error: CuecardError, arguments: list[str]) -> int:
    """Say what went wrong, to programs too, and return the exit status: 2 for the arguments, else 1."""
    try:
        return _tell(error, arguments)
    except OSError as broken:
        return _give_up_printing(broken)


def _tell(error: CuecardError, arguments: list[str]) -> int:
    if "--json" in arguments:
        terminal.print_json({"error": error.as_dict()})
    problems = error.problems if isinstance(error, ValidationError) and len(error.problems) > 1 else []
    details = [f"`{found.field}`: expected {found.expected}, found {found.found}; {found.fix}" for found in problems]
    terminal.report("error", error.what, "" if details else error.hint, details)
    return 2 if isinstance(error, UsageError) else 1


def _sentence(message: str) -> str:
    """What the parser of arguments says, in the form of our messages."""
    words = " ".join(message.split()).rstrip(".").replace("'", "`")
    return words[:1].lower() + words[1:]
