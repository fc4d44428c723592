"""Hits as a table for people, as lines for pipes, as a document for programs."""

from typing import TYPE_CHECKING

from . import terminal
from .terminal import visible

if TYPE_CHECKING:
    from rich.table import Table

    from ..recall.hit import Hit, Part
    from ..recall.search import Recaller


# As wide as the scores of the keyword strategies, which programs may read by their columns.
MIN_SCORE_CHARS = 3


def show(hits: "list[Hit]", explain: bool) -> None:
    """Print hits, best first, with the parts of their scores where asked; nothing for none."""
    if not hits:
        return
    if terminal.is_person_watching():
        terminal.show(_table(hits, explain))
    else:
        width = max(MIN_SCORE_CHARS, *[len(str(hit.score)) for hit in hits])
        terminal.print_lines([line for hit in hits for line in _lines(hit, width, explain)])


def as_document(recaller: "Recaller", hits: "list[Hit]") -> dict[str, object]:
    """What `--json` prints beside the question."""
    return {
        "root": recaller.root,
        "strategy": recaller.strategy,
        "hits": [hit.as_dict() for hit in hits],
        "notes": recaller.notes,
    }


def _lines(hit: "Hit", width: int, explain: bool) -> list[str]:
    """A hit as its index line behind its score, which takes up `width` characters, the parts indented below."""
    tags = ",".join([visible(tag) for tag in hit.tags])
    suffix = f" #tags:{tags}" if tags else ""
    lines = [f"{hit.score:>{width}}  - [{hit.category}] {visible(hit.title)} -> {visible(hit.path)}{suffix}"]
    if explain:
        lines += [f"   {part.points:>+{width + 2}}  {part.kind:<11}  {_reason(part)}" for part in hit.parts]
    return lines


def _reason(part: "Part") -> str:
    """What of the prompt met what of the memory."""
    if part.kind == "recency":
        return "updated at most 30 days ago"
    if part.kind == "description":
        return f"{visible(part.token) or 'words'} in the description of {visible(part.matched)}"
    if part.token in ("", part.matched):
        return visible(part.matched)
    return f"{visible(part.token)} ~ {visible(part.matched)}"


def _table(hits: "list[Hit]", explain: bool) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, header_style="dim", padding=(0, 1), pad_edge=False)
    table.add_column("score", justify="right", style="bold green", no_wrap=True)
    table.add_column("memory", overflow="fold")
    for hit in hits:
        marks = Text(hit.category, style="yellow")
        for tag in hit.tags:
            marks.append(f"  #{visible(tag)}", style="cyan")
        memory = [Text(visible(hit.title), style="bold"), marks, Text(visible(hit.path), style="dim")]
        breakdown = [_breakdown(hit)] if explain else []
        table.add_row(str(hit.score), Group(*memory, *breakdown), end_section=True)
    return table


def _breakdown(hit: "Hit") -> "Table":
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="green", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for part in hit.parts:
        table.add_row(f"{part.points:+}", part.kind, _reason(part))
    return table
