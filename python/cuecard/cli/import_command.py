"""The command `import`: memories out of what is written elsewhere."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from . import terminal
from .app import AsJson, Root, app
from .terminal import visible

if TYPE_CHECKING:
    from ..capture.importing.run import Outcome

# With fewer files, or memories, nobody waits.
MIN_STEPS_OF_A_BAR = 20


@app.command(name="import")
def import_memories(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file or a folder; of a folder, all below it.", show_default=False)
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would come of it, and write nothing.")] = False,
    kind: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="KIND",
            help="adr, runbook, instructions, cursor, auto-memory, basic-memory, memsearch, claude-mem or transcript; "
            "else found by looking.",
        ),
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make memories of ADRs, runbooks, CLAUDE.md and other rules, of other tools' memories, and of old sessions.

    Sessions are transcripts of Claude Code (~/.claude/projects/...) and Codex (~/.codex/sessions).

    A second time, only what has changed in the source is written.
    """
    from ..capture.importing.run import Import
    from ..capture.importing.source import Source
    from ..store.store import Store

    store = Store(root, create=True)
    found = Source(source, kind, store.root)
    with _progress("reading", len(found.files)) as advance:
        readings = list(found.read(advance))
    with _progress("importing", sum([len(reading.drafts) for reading in readings])) as advance:
        outcomes = Import(store, dry_run).run(readings, advance)
    counts = Counter([outcome.status for outcome in outcomes])
    if as_json:
        report = [outcome.as_dict() for outcome in outcomes]
        terminal.print_json({"dry_run": dry_run, "counts": dict(sorted(counts.items())), "outcomes": report})
    else:
        _show(outcomes, counts, dry_run)
    if counts["failed"]:
        raise typer.Exit(1)


@contextmanager
def _progress(what: str, steps: int) -> "Iterator[Callable[[], None]]":
    """A bar on standard error where somebody watches and waits."""
    if steps < MIN_STEPS_OF_A_BAR or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=steps)
        yield lambda: progress.advance(task)


def _show(outcomes: "list[Outcome]", counts: Counter[str], is_dry: bool) -> None:
    lines = []
    for outcome in outcomes:
        if outcome.status == "unchanged":
            continue
        target = f"  {visible(outcome.target)}" if outcome.target else ""
        why = f"  ({visible(outcome.why)})" if outcome.why else ""
        lines.append(f"{outcome.status}  {visible(outcome.where)}{target}{why}")
    terminal.print_lines(lines)
    for outcome in outcomes:
        for kind in outcome.secrets:
            terminal.report("warning", f"a secret ({kind}) in `{outcome.where}` was replaced")
        for opposed in outcome.contradicts:
            terminal.report("warning", f"`{outcome.where}` contradicts `{opposed}`")
        for warning in outcome.warnings:
            terminal.report("warning", f"`{outcome.where}`: {warning}")
    told = ", ".join([f"{count} {status}" for status, count in sorted(counts.items())]) or "nothing found"
    hint = "without `--dry-run` it is written" if is_dry and counts["created"] + counts["updated"] else ""
    terminal.report("note", f"{told}{'; nothing was written' if is_dry else ''}", hint)
