"""Writes to standard output and standard error, for people and for programs.

`rich` draws tables, but only on a terminal: importing it takes 4.5 times the CPU time of an empty Python.
"""

import os
import sys

from ..basics.visible_text import visible as visible
from ..basics.visible_text import visible_lines as visible_lines
from ..errors import BackendError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO, Literal

    from rich.console import Console, RenderableType
    from rich.text import Text

# Agent programs set one of these for the commands that they run.
AGENT_VARIABLES = (
    "CLAUDECODE",
    "CLINE_ACTIVE",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "QWEN_CODE",
)
# Screens are never taken to have fewer rows.
MIN_ROWS = 8
PAGE_ANSWERS = {"": "", "q": "q", "quit": "q"}
# A full block, and the blocks of 0 to 7 eighths.
FULL = "\u2588"
EIGHTHS: tuple[str, ...] = ("", *"\u258f\u258e\u258d\u258c\u258b\u258a\u2589")
STORE = ".claude/memory/"
COLOURS = {"error": "bold red", "warning": "yellow", "note": "dim", "hint": "cyan"}


def shorten(name: str, most: int) -> str:
    """A name of at most `most` characters: of a longer one the middle is left out.

    Commands take an id in this form too (`find_memory`).
    """
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}\u2026{name[len(name) - end :]}"


def shorten_path(path: str, most: int) -> str:
    """The path of a memory if it has at most `most` characters; else `FOLDER/ID`, which names the memory as well."""
    return path if len(path) <= most else shorten(path.removeprefix(STORE).removesuffix(".json"), most)


def is_person_watching() -> bool:
    """Whether standard output is a terminal; otherwise a program reads it and gets plain lines."""
    return sys.stdout.isatty()


def is_person_typing() -> bool:
    """Whether standard input is a terminal, so that a person can answer questions."""
    return sys.stdin is None or sys.stdin.isatty()


def is_person_present() -> bool:
    """Whether a person watches and types, and so has confirmed what the command was told to do."""
    return is_person_watching() and is_person_typing()


def report_unconfirmed(what: str, back: str) -> None:
    """Say that a person should confirm what a command has done without a terminal; `back` takes it back."""
    if not is_person_watching():
        report("note", f"{what}; a person should confirm this", f"{back} takes it back")


def is_typed_by_user() -> bool:
    """Whether a person types at a terminal, and no agent program has started this process.

    Some agent programs give the commands that they run a terminal too. Their variables can only take trust away, so it
    does no harm that a repository might set them.
    """
    return sys.stdin is not None and is_person_typing() and not any(os.environ.get(name) for name in AGENT_VARIABLES)


def confirm(question: str) -> bool:
    """Ask a question on standard error and read yes or no; an empty line means no. End of input ends the command."""
    while True:
        sys.stderr.write(f"{question} [y/N]: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise KeyboardInterrupt
        answer = line.strip().lower()
        if answer in ("y", "yes"):
            return True
        if answer in ("", "n", "no"):
            return False


def ask(question: str, default: str = "") -> str:
    """Ask on standard error and read a line; an empty line means `default`. The end of the input ends the command."""
    sys.stderr.write(f"{question} [{default}]: " if default else f"{question}: ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise KeyboardInterrupt
    return line.strip() or default


def choose(question: str, answers: "dict[str, str]") -> str:
    """Ask on standard error until the line is a key of `answers`; return its value. End of input ends the command.

    Another line is told which letters are answers.
    """
    while True:
        sys.stderr.write(f"{question}: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise KeyboardInterrupt
        answer = answers.get(line.strip().lower())
        if answer is not None:
            return answer
        letters = ", ".join(["Enter" if not key else f"`{key}`" for key in answers if len(key) < 2])
        sys.stderr.write(f"Answer with one of {letters}.\n")


def wrap(lines: "Sequence[Text]", width: int) -> "list[Text]":
    """The lines as rows of at most `width` cells; long words are broken, and nothing is left out."""
    console = _console(sys.stdout)
    return [row for line in lines for row in line.wrap(console, width, overflow="fold")]


def empty_row() -> "Text":
    """A row without text."""
    from rich.text import Text

    return Text("")


def show_rows(rows: "Sequence[Text]") -> None:
    """Print rows on the terminal, each on a line of its own."""
    console = _console(sys.stdout)
    for row in rows:
        console.print(row, soft_wrap=True)
    sys.stdout.flush()


def show(renderable: "RenderableType") -> None:
    """Draw a `rich` object on the terminal."""
    _console(sys.stdout).print(renderable)


def show_pages(renderable: "RenderableType") -> None:
    """Draw a `rich` object, and wait for a key after each screen, if a person is there to press it."""
    console = _console(sys.stdout)
    with console.capture() as drawn:
        console.print(renderable)
    _write_pages(drawn.get().splitlines(keepends=True))


def print_pages(lines: list[str]) -> None:
    """Print lines as they are, and on a terminal screen by screen."""
    if is_person_watching():
        _write_pages([f"{line}\n" for line in lines])
    else:
        print_lines(lines)


def _write_pages(rows: list[str]) -> None:
    import shutil

    height = max(shutil.get_terminal_size().lines - 1, MIN_ROWS) if is_person_present() else max(len(rows), 1)
    for begin in range(0, len(rows), height):
        sys.stdout.write("".join(rows[begin : begin + height]))
        sys.stdout.flush()
        left = len(rows) - begin - height
        if left > 0 and choose(f"{left} more lines: [Enter] shows them, [q] quits", PAGE_ANSWERS) == "q":
            return


def bar(share: float, width: int) -> str:
    """A share from 0 to 1 as a bar of at most `width` characters, in steps of 1/8 character if the encoding is UTF."""
    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        return "#" * round(share * width)
    eighths = round(share * width * 8)
    return FULL * (eighths // 8) + EIGHTHS[eighths % 8]


def print_lines(lines: list[str]) -> None:
    """Print lines as they are; names of memories that address the model are only shown to a person."""
    text = "".join([f"{line}\n" for line in lines])
    _write(text if is_person_watching() else _for_agent(text))


def print_json(document: object) -> None:
    """Print one JSON document: for an agent in UTF-8, otherwise in ASCII.

    Escapes cost an agent three times the tokens. On a terminal stored text could control it, and other encodings lack
    characters. Characters that are not seen are always escaped.
    """
    import json

    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    if is_person_watching():
        text = json.dumps(document, indent=2)
    else:
        text = _for_agent(as_readable_json(document) if is_utf8 else json.dumps(document, indent=2))
    _write(f"{text}\n")


def as_readable_json(document: object) -> str:
    """A JSON document with all characters that can be seen as they are, and the others as escapes."""
    import json

    text = json.dumps(document, indent=2, ensure_ascii=False)
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join([char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text])


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        # A reader such as `head` wants no more. The command goes on to its end, so that its status is its own.
        sys.stdout = discarding()


def discarding() -> "IO[str]":
    """A stream that discards what is written."""
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - it stays open to the end


def report(
    kind: "Literal['error', 'warning', 'note']", what: str, hint: str = "", details: "Sequence[str]" = ()
) -> None:
    """Print a message on standard error, with details below it and a hint if there is one."""
    lines = ((kind, what), *[("", detail) for detail in details], ("hint", hint))
    if not sys.stderr.isatty():
        # Without a terminal no colours are drawn, so `rich` is not loaded.
        shown = [f"{label}: {visible(words)}" if label else f"  {visible(words)}" for label, words in lines if words]
        sys.stderr.write(_for_agent("".join([f"{line}\n" for line in shown])))
        return
    from rich.text import Text

    console = _console(sys.stderr)
    for label, words in lines:
        if words:
            line = Text.assemble((f"{label}:", COLOURS[label]) if label else " ", f" {visible(words)}")
            console.print(line, soft_wrap=True)


def forget_withheld_names() -> None:
    """Begin the lines of another command."""
    _withheld.clear()


def tell_of_withheld_names() -> None:
    """Say what stands in the place of names, if the lines that were printed have such places."""
    if _withheld:
        from ..basics.memory_name import HOW_TO_SEE, NAMELESS

        report("note", f"`{NAMELESS}` stands for a name that addresses the model", HOW_TO_SEE)


# Has an item if a name was withheld from the lines that were printed.
_withheld: list[bool] = []


def _for_agent(text: str) -> str:
    if text.count("-") < 3:
        return text
    try:
        from ..store.trust.agent_text import hide_names
    except BackendError:
        # Without a backend no memory was read, and the doctor still says what is wrong.
        return text
    hidden = hide_names(text)
    if hidden != text:
        _withheld.append(True)
    return hidden


def _console(file: "IO[str]") -> "Console":
    from rich.console import Console

    # Stored text must never be interpreted as markup, as the name of an emoji or for highlighting.
    return Console(file=file, markup=False, emoji=False, highlight=False)
