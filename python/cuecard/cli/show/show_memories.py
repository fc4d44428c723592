"""Shows memories as pages and lists for people, or as lines for pipes."""

import time

from ..._backend import describe_validity
from ...cli import terminal
from ...store.records.conflicts import conflicts_of, value_of
from ...store.records.unsaid import without_unsaid
from ..terminal import visible, visible_lines
from .trust_marks import FREE, WITHHELD, Marks, View, is_hidden, mark, shown_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ...store.records.memory import Memory

# The fields of the record's member `cuecard` that are shown after the content.
EXTENSION = ("questions", "evidence", "valid_from", "valid_until", "applies_to", "forbids", "pointer")
DECIDE = "these values gave way in a merge; `cuecard update` of the field decides, also for the value that it has"
# The id of a memory in a list is on one line also where the terminal has 80 columns.
SHORT = 46
COLOURS = {"active": "green", "retired": "red", "archived": "dim"}


def show_one(memory: "Memory", view: View = FREE) -> None:
    """Print a memory: title, facts and content field by field. The text of a withheld memory is not shown to agents."""
    if terminal.is_person_watching():
        terminal.show(_page(memory, view))
        return
    if is_hidden(view):
        terminal.print_lines([f"path: {visible(memory.path)}", f"trust: {view.trust}", WITHHELD])
        return
    head = [f"title: {visible(memory.title)}", f"path: {visible(memory.path)}"]
    terminal.print_lines([*head, *[f"{name}: {text}" for name, text in _facts(memory, view)]])
    for name, texts in _content(memory):
        if len(texts) == 1:
            terminal.print_lines([f"{name}: {texts[0]}"])
        else:
            terminal.print_lines([f"{name}:", *[f"  - {text}" for text in texts]])
    for heading, lines in _sections(memory):
        terminal.print_lines(["", *([f"{heading}:"] if heading else []), *lines])


def show_conflicts_of_team(team: str, theirs: "Memory", view: View = FREE) -> None:
    """Print the values that a team has for fields that two people have changed; nothing if there are none."""
    fields: dict[str, list[str]] = {}
    for name, value, _date in conflicts_of(theirs.record):
        fields.setdefault(name, ["; ".join(_texts(value_of(theirs.record, name)))]).append("; ".join(_texts(value)))
    if not fields:
        return
    what = f"`{team}` has two values or more of a field of this memory{mark(view)}"
    values = [f"{visible(name)}: {' | '.join(texts)}" for name, texts in fields.items()]
    hint = "`cuecard update` with another value decides, or `cuecard share` for yours; then `cuecard sync push`"
    terminal.report("note", what, hint, details=[WITHHELD] if is_hidden(view) else values)


def show_list(memories: "list[Memory]", marks: Marks) -> None:
    """Print a line for each memory: category, id, title, its status if not active, and why it is not valid now."""
    if not memories:
        return
    if terminal.is_person_watching():
        terminal.show_pages(_table(memories, marks))
        return
    lines = []
    for memory in memories:
        states = [] if memory.status == "active" else [memory.status]
        states += filter(None, [_validity(memory)])
        suffix = f"  ({', '.join(states)})" if states else ""
        lines.append(f"{memory.category}/{visible(memory.id)}  {shown_title(memory.title, marks[memory.path])}{suffix}")
    terminal.print_lines(lines)


def _facts(memory: "Memory", view: View) -> list[tuple[str, str]]:
    record = memory.record
    tags = record.get("tags")
    facts = [
        ("category", memory.category),
        ("status", memory.status),
        ("validity", _validity(memory)),
        ("trust", view.trust),
        ("tags", ", ".join(map(str, tags)) if isinstance(tags, list) else ""),
        ("created", record.get("created_at")),
        ("updated", record.get("updated_at")),
        ("retired", record.get("retired_reason") if memory.status == "retired" else None),
        ("archived", record.get("archived_reason") if memory.status == "archived" else None),
        ("hash", memory.hash),
    ]
    return [(name, visible(str(value))) for name, value in facts if value]


def _content(memory: "Memory") -> list[tuple[str, list[str]]]:
    content = memory.record.get("content")
    # Former versions stored placeholders where nothing was said.
    members = list(without_unsaid(content).items()) if isinstance(content, dict) else [("content", content)]
    if _sections(memory):
        # The sections have the steps with their lines.
        members = [(name, value) for name, value in members if name != "steps"]
    members += [(name.replace("_", " "), memory.extension.get(name)) for name in EXTENSION]
    said = [(visible(str(name)), _texts(value)) for name, value in members if value not in (None, [], {})]
    conflicts = [
        f"{visible(name)} ({visible(date)}): {', '.join(_texts(value))}"
        for name, value, date in conflicts_of(memory.record)
    ]
    return said + ([("conflicts", [*conflicts, DECIDE])] if conflicts else [])


def _sections(memory: "Memory") -> list[tuple[str, list[str]]]:
    """The headings of a memory's sections, each with its lines as they were written."""
    sections = memory.extension.get("sections")
    found = [each for each in sections if isinstance(each, dict)] if isinstance(sections, list) else []
    return [(visible(str(each.get("heading") or "")), visible_lines(str(each.get("text") or ""))) for each in found]


def _texts(value: object) -> list[str]:
    """A value as lines: the items of a list, the members of an object, or the value itself."""
    if isinstance(value, list):
        return [", ".join(_texts(item)) for item in value]
    if isinstance(value, dict):
        return [f"{visible(str(name))}: {', '.join(_texts(item))}" for name, item in value.items()]
    return [visible(str(value))]


def _page(memory: "Memory", view: View) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("", Text(visible(memory.title), style="bold"))
    table.add_row("path", Text(visible(memory.path), style="cyan"))
    if view.is_withheld:
        table.add_row("", Text("its text addresses the model, its tools or secrets", style="red"))
    for name, text in _facts(memory, view):
        table.add_row(name, _status(text) if name == "status" else Text(text))
    for name, texts in _content(memory):
        table.add_row("", "")
        bullets = texts if len(texts) == 1 else [f"- {text}" for text in texts]
        table.add_row(name, Text("\n".join(bullets)))
    for heading, lines in _sections(memory):
        table.add_row("", "")
        table.add_row("", Text(heading, style="bold"))
        table.add_row("", Text("\n".join(lines)))
    return table


def _table(memories: "list[Memory]", marks: Marks) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, header_style="dim", padding=(0, 1), pad_edge=False)
    table.add_column("category", style="yellow", no_wrap=True)
    table.add_column("memory", overflow="fold")
    table.add_column("status", no_wrap=True)
    for memory in memories:
        words = Text(visible(memory.title), style="bold")
        words.append(mark(marks[memory.path]), "red")
        words.append(f"\n{terminal.shorten(visible(memory.id), SHORT)}", "dim")
        status = _status(memory.status)
        if _validity(memory):
            status.append(f"\n{_validity(memory)}", "red")
        table.add_row(memory.category, words, status)
    return table


def _validity(memory: "Memory") -> str:
    """Why a memory is not valid now; "" if it is valid."""
    return describe_validity(memory.record, time.time_ns() // 1000)


def _status(status: str) -> "Text":
    from rich.text import Text

    return Text(status, COLOURS.get(status, ""))
