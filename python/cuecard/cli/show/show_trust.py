"""Shows the memories of `cuecard trust` as a table for people or as lines for pipes."""

from ...cli import terminal
from ...store.trust.agent_text import View, write_title
from ..terminal import visible
from .show_memories import SHORT
from .trust_marks import GAP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.table import Table

    from ...store.trust.review import Reviewed

PAST = "an earlier version: it was yours until you changed, retired or deleted it here"


def show(found: "list[Reviewed]") -> None:
    """Print a line for each memory. The text of a withheld memory is only shown to a person."""
    if terminal.is_person_watching():
        terminal.show(_table(found))
        return
    lines = []
    for one in found:
        memory = one.memory
        words = write_title(visible(memory.title), View(one.level, is_withheld=one.is_withheld), GAP)
        commit = f"  ({visible(one.commit.author)}, {one.commit.day})" if one.commit else ""
        past = f"  ({PAST})" if one.is_past else ""
        lines.append(f"{memory.category}/{visible(memory.id)}  {words}{past}{commit}")
    terminal.print_lines(lines)


def _table(found: "list[Reviewed]") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from ..._backend import gist_of_file

    table = Table(box=SIMPLE_HEAD, header_style="dim", padding=(0, 1), pad_edge=False)
    table.add_column("category", style="yellow", no_wrap=True)
    table.add_column("memory", overflow="fold")
    has_commits = any(one.commit for one in found)
    if has_commits:
        table.add_column("last commit", overflow="fold")
    for one in found:
        words = Text(visible(one.memory.title), style="bold")
        gist = visible(gist_of_file(one.memory.data))
        words.append(f"\n{gist}" if gist and gist != visible(one.memory.title) else "")
        words.append(f"\n{terminal.shorten(visible(one.memory.id), SHORT)}", "dim")
        if one.memory.status != "active":
            words.append(f"  {one.memory.status}", "dim")
        if one.is_past:
            words.append(f"\n{PAST}", "dim")
        if one.signs:
            words.append(f"\naddresses the model, its tools or secrets: {', '.join(map(visible, one.signs))}", "red")
        commit = [f"{visible(one.commit.author)}\n{one.commit.day}" if one.commit else ""] if has_commits else []
        table.add_row(one.memory.category, words, *commit)
    return table
