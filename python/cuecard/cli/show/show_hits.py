"""Shows hits as a table for people, as lines for pipes, or as a document for programs."""

from ...cli import terminal
from ..terminal import visible
from .events import show_trace
from .plain_words import explain_part, percent
from .trust_marks import WITHHELD, View, is_hidden, mark, shown_title, validity_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from ...retrieval.hit import Hit
    from ...retrieval.recall import Recall
    from ...retrieval.trace import Trace


# The smallest width of a score; programs may read the output of the keyword strategies by its columns.
MIN_SCORE_CHARS = 3
# The width of the columns beside that of the memory, in which a path is on one line; and of the column `as` among them.
OTHER_COLUMNS = 18
WAY_COLUMN = 8
MIN_PATH_CHARS = 40
# The outcomes of a memory in words: how the agent sees it, or why it does not see it.
WAYS = {
    "full": "text",
    "gist": "gist",
    "title": "title",
    "line": "line",
    "sibling": "line beside",
    "named": "title, unsure",
    "duplicate": "not: repeats another",
    "budget": "not: no room",
}


def show(
    hits: "list[Hit]",
    explain: bool,
    traces: "list[Trace] | None" = None,
    shown: bool = True,
    outcomes: dict[str, str] | None = None,
) -> None:
    """Print hits, best first; with `explain` also the parts of their scores.

    `traces` contains the trace of each hit, for the lines of the gate. If `shown` is false, the hits are printed as not
    shown, with the verdict of their traces. `outcomes` says, by path, how the agent sees each memory.
    """
    if not hits:
        return
    accounts: list[Trace | None] = [*traces] if traces else [None] * len(hits)
    outcomes = {path: outcome for path, outcome in (outcomes or {}).items() if outcome in WAYS}
    if terminal.is_person_watching():
        terminal.show(_table(hits, explain, accounts, shown, outcomes))
    else:
        width = max(MIN_SCORE_CHARS, *[len(str(hit.score)) for hit in hits])
        pairs = zip(hits, accounts, strict=True)
        terminal.print_lines([line for hit, trace in pairs for line in _lines(hit, width, explain, trace, shown)])


def as_document(recall: "Recall", hits: "list[Hit]", traces: "list[Trace] | None" = None) -> dict[str, object]:
    """The hits as an object for `--json`. The caller adds the prompt or query."""
    documents = [_document(hit) for hit in hits]
    for document, trace in zip(documents, traces or [], strict=False):
        document["trace"] = show_trace.as_document(trace)
    return {
        "root": recall.root,
        "strategy": recall.strategy,
        "hits": documents,
        "notes": recall.notes,
    }


def view_of(hit: "Hit | Trace") -> View:
    """The trust level of the memory in a hit or a trace, and whether the text of this memory is withheld."""
    return View(hit.trust, is_withheld=hit.is_withheld)


def scope_mark(hit: "Hit") -> str:
    """The scope of a hit of another store, two blanks behind its title; "" for the project's own."""
    return f"  (scope: {visible(hit.scope)})" if hit.scope else ""


def _document(hit: "Hit") -> dict[str, object]:
    document = hit.as_dict()
    if is_hidden(view_of(hit)):
        document |= {"title": WITHHELD, "tags": [], "parts": []}
    return document


def _lines(hit: "Hit", width: int, explain: bool, trace: "Trace | None", shown: bool) -> list[str]:
    """The lines of a hit: its score, padded to `width`, and its index line; below them the parts of the score."""
    tags = ",".join([visible(tag) for tag in hit.tags])
    suffix = f" #tags:{tags}" if tags and not is_hidden(view_of(hit)) else ""
    before = "" if shown else "not shown  "
    title = shown_title(hit.title, view_of(hit)) + validity_mark(hit.validity) + scope_mark(hit)
    lines = [f"{before}{hit.score:>{width}}  - [{hit.category}] {title} -> {visible(hit.path)}{suffix}"]
    if trace and not shown:
        lines.append(f"     {trace.verdict}")
    if explain and not is_hidden(view_of(hit)):
        lines += [f"   {part.points:>+{width + 2}}  {part.kind:<11}  {explain_part(part)}" for part in hit.parts]
        lines.append(f"   {hit.score:>{width + 2}}  sum")
    return lines + [f"     {line}" for line in (show_trace.gate_lines(trace) if trace else [])]


def _table(
    hits: "list[Hit]", explain: bool, traces: "list[Trace | None]", shown: bool, outcomes: dict[str, str]
) -> "Table":
    import shutil

    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, header_style="dim", padding=(0, 1), pad_edge=False)
    table.add_column("score", justify="right", style="bold green" if shown else "dim", no_wrap=True)
    # The column with the gate's probability, if the strategy has a gate.
    is_judged = any(hit.probability is not None for hit in hits)
    if is_judged:
        table.add_column("sure", justify="right", no_wrap=True)
    if outcomes:
        table.add_column("as", no_wrap=True)
    table.add_column("memory" if shown else "not shown", overflow="fold")
    others = OTHER_COLUMNS + (WAY_COLUMN if outcomes else 0)
    room = max(shutil.get_terminal_size().columns - others, MIN_PATH_CHARS)
    for hit, trace in zip(hits, traces, strict=True):
        marks = Text(hit.category, style="yellow")
        for tag in hit.tags:
            marks.append(f"  #{visible(tag)}", style="cyan")
        memory: list[RenderableType] = [
            Text(visible(hit.title), style="bold").append(
                mark(view_of(hit)) + validity_mark(hit.validity) + scope_mark(hit), "red"
            ),
            marks,
            Text(terminal.shorten_path(visible(hit.path), room), style="dim"),
        ]
        if trace and not shown:
            memory.insert(0, Text(trace.verdict, style="red"))
        if explain:
            memory.append(show_trace.parts_table(hit.parts))
        if trace:
            memory += [Text(f"gate: {show_trace.describe_gate(trace)}", style="bold"), show_trace.gate_table(trace)]
        sure = "" if hit.probability is None else percent(hit.probability)
        judged = [sure] if is_judged else []
        way = [WAYS.get(outcomes.get(hit.path, ""), "")] if outcomes else []
        table.add_row(str(hit.score), *judged, *way, Group(*memory), end_section=True)
    return table
