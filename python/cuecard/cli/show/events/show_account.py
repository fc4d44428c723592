"""Shows why a memory was shown or not: the logged event, then the result of each stage if the prompt is asked now."""

from ....retrieval.trace import shows_from
from ... import terminal
from ...terminal import visible
from . import show_trace
from .show_events import facts, sureness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.table import Table

    from ....observe.account import Account

NOW = "the same prompt now, with the memories and settings as they are:"


def show(account: "Account") -> None:
    """Print whether the memory is shown, the event, and the stages."""
    if account.event:
        known = _facts(account)
        if terminal.is_person_watching():
            terminal.show(_page(account, known))
        else:
            terminal.print_lines([visible(account.verdict), *[f"{name:<8}  {text}" for name, text in known]])
    if account.trace:
        if account.event:
            terminal.print_lines(["", NOW, ""])
        show_trace.show(account.trace)
    elif not (account.event and account.event.is_of_file_or_act):
        hint = "`--prompt TEXT` shows every stage; `cuecard config log.prompts true --user` keeps the texts of prompts"
        terminal.report("note", "the event has no text to trace", hint)


def _facts(account: "Account") -> list[tuple[str, str]]:
    """The facts about the memory and the event as pairs of name and text."""
    known = [("memory", visible(account.path))]
    memory = account.considered
    if memory and memory.logit is not None:
        setting = account.event.setting if account.event else None
        shows = f"`{setting}` shows everything"
        if account.least is not None:
            shows = shows_from(memory.logit, account.least, account.usual, setting)
        known.append(("gate", f"{sureness(memory)}; {shows}"))
    return [*known, *(facts(account.event) if account.event else [])]


def _page(account: "Account", known: list[tuple[str, str]]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    page = Table.grid(padding=(0, 2))
    page.add_column(style="dim", no_wrap=True)
    page.add_column(overflow="fold")
    is_shown = account.verdict.startswith("shown")
    page.add_row("", Text(visible(account.verdict), style="bold green" if is_shown else "bold red"))
    page.add_row("", "")
    for name, text in known:
        page.add_row(name, Text(text))
    return page
