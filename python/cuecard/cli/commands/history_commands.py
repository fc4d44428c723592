"""The commands that show a memory's history: `timeline` and `lineage`."""

import sys

from .. import terminal
from ..arguments import command, option
from ..parameters import AS_JSON, NAME, ROOT
from ..show.trust_marks import Marks, is_hidden, shown_name, shown_title
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.records.lineage import Node
    from ...store.records.memory import Memory
    from ...store.records.timeline import Timeline, TimelineEntry

# The strokes of a drawn tree: before a branch, before the last branch, below a branch, and below the last branch.
_DRAWN = ("├─ ", "└─ ", "│  ", "   ")
_PLAIN = ("|- ", "`- ", "|  ", "   ")
MAX_WHAT_CHARS = 60


@command(
    NAME,
    option(
        "--around",
        "-n",
        metavar="N",
        kind=int,
        default=5,
        low=0,
        high=1000,
        help="How many changes to show before the memory's own, and after it.",
    ),
    option("--last", help="Show what was written around the memory's last change instead of its creation."),
    ROOT,
    AS_JSON,
)
def timeline(memory: str, around: int, last: bool, root: str | None, as_json: bool) -> None:
    """Show what was written shortly before and after a memory: created and changed memories of any status."""
    from ...store.records.store_reader import StoreReader
    from ...store.records.timeline import find_timeline

    store = StoreReader(root)
    found = find_timeline(store, memory, around, last)
    moments = [*found.before, found.moment, *found.after]
    marks = Marks(store.memory_dir, [moment.memory for moment in moments])
    if as_json:
        terminal.print_json(marks.clean(found.as_dict()))
    else:
        terminal.print_lines(_lines(found, marks))


@command(
    NAME,
    option("--depth", metavar="N", kind=int, default=10, low=1, high=100, help="How many steps to follow."),
    ROOT,
    AS_JSON,
)
def lineage(memory: str, depth: int, root: str | None, as_json: bool) -> None:
    """Show which memories a memory was derived from, caused or superseded, and the reverse."""
    from ...store.records.lineage import trace_lineage
    from ...store.records.store_reader import StoreReader

    store = StoreReader(root)
    found = trace_lineage(store, memory, depth)
    marks = Marks(store.memory_dir, _memories(found.root))
    if as_json:
        terminal.print_json(marks.clean(found.as_dict()))
        return
    strokes = _DRAWN if (sys.stdout.encoding or "").lower().startswith("utf") else _PLAIN
    terminal.print_lines([_describe(found.root, marks), *_branches(found.root, "", strokes, marks)])
    if not found.root.children:
        terminal.report("note", "the memory names no other memory, and no memory names it")
    if found.is_cut:
        terminal.report("note", f"there is more beyond {depth} steps", "`--depth` follows more steps")


def _memories(node: "Node") -> "list[Memory]":
    """The memories of a node and of all nodes below it."""
    below = [memory for child in node.children for memory in _memories(child)]
    return [node.memory, *below] if node.memory else below


def _lines(found: "Timeline", marks: Marks) -> list[str]:
    moments = [*found.before, found.moment, *found.after]
    width = max([len(moment.time) for moment in moments])
    lines = []
    for moment in moments:
        mark = ">" if moment is found.moment else " "
        if mark == " " and moment.session and moment.session == found.moment.session:
            mark = "+"
        lines.append(f"{mark} {visible(moment.time):{width}}  {_what(moment, marks)}")
    if any(line.startswith("+") for line in lines):
        lines.append("(+ of the same session)")
    return lines


def _what(moment: "TimelineEntry", marks: Marks) -> str:
    memory = moment.memory
    view = marks[memory.path]
    status = "" if memory.status == "active" else f"  ({memory.status})"
    words = "changed" if is_hidden(view) else visible(moment.what)
    words = words if len(words) <= MAX_WHAT_CHARS else words[: MAX_WHAT_CHARS - 3] + "..."
    return f"{words}  {memory.category}/{visible(memory.id)}  {shown_title(memory.title, view)}{status}"


def _describe(node: "Node", marks: Marks) -> str:
    relation = f"{node.relation}: " if node.relation else ""
    if node.memory is None:
        return f"{relation}{shown_name(node.name)}  (no such memory)"
    status = "" if node.memory.status == "active" else f"  ({node.memory.status})"
    again = "  (see above)" if node.is_repeated else ""
    return f"{relation}{visible(node.name)}  {shown_title(node.memory.title, marks[node.memory.path])}{status}{again}"


def _branches(node: "Node", indent: str, strokes: tuple[str, str, str, str], marks: Marks) -> list[str]:
    lines = []
    for place, child in enumerate(node.children):
        is_last = place == len(node.children) - 1
        lines.append(f"{indent}{strokes[1 if is_last else 0]}{_describe(child, marks)}")
        lines += _branches(child, indent + strokes[3 if is_last else 2], strokes, marks)
    return lines
