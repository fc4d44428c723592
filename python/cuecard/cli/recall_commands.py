"""The commands that look things up: `recall`, `search`, `doctor`."""

from typing import Annotated

import typer

from .._pure.strategy import STRATEGIES
from . import show_findings, show_hits, terminal
from .app import AsJson, Root, app

Strategy = Annotated[
    str | None,
    typer.Option("--strategy", metavar="NAME", help=f"How to match: {' or '.join(STRATEGIES)}; else as configured."),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show what each score is made of.")]


@app.command()
def recall(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What a user would type.", show_default=False)],
    root: Root = None,
    strategy: Strategy = None,
    as_json: AsJson = False,
    explain: Explain = False,
) -> None:
    """Show what the hook injects for PROMPT, or why nothing."""
    from ..recall.search import Recaller

    _report_lost_twin()
    recaller = Recaller(root=root, strategy=strategy)
    hits = recaller.recall(prompt)
    silence = "" if hits else recaller.why_silent(prompt)
    if as_json:
        asked = {"prompt": prompt, "silence": silence or None}
        terminal.print_json({**asked, **show_hits.as_document(recaller, hits)})
        return
    show_hits.show(hits, explain)
    for note in recaller.notes:
        terminal.report("warning", note)
    if silence:
        terminal.report("note", f"nothing to say: {silence}")


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words to look for.", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Show at most N memories.")] = 10,
    categories: Annotated[
        list[str] | None, typer.Option("--category", "-c", metavar="NAME", help="Only this category; repeatable.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only what has this tag; repeated, all of them.")
    ] = None,
    statuses: Annotated[
        list[str] | None,
        typer.Option("--status", metavar="NAME", help="`active`, `retired`, `archived` or `all`; repeatable."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Only what was updated on that day or later.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="DATE", help="Only what was updated on that day or before.")
    ] = None,
    path: Annotated[
        str, typer.Option("--path", metavar="BEGINNING", help="Only files that begin so, such as `decisions/db-`.")
    ] = "",
    root: Root = None,
    strategy: Strategy = None,
    as_json: AsJson = False,
    explain: Explain = False,
) -> None:
    """Find the memories that fit QUERY best."""
    from ..recall.search import Recaller
    from ..recall.search_filters import ACTIVE, read_filters

    _report_lost_twin()
    recaller = Recaller(root=root, strategy=strategy)
    filters = read_filters(categories or (), tags or (), statuses or ACTIVE, since, until, path)
    hits = recaller.search(query, limit=limit, filters=filters, is_explained=as_json or explain)
    if as_json:
        terminal.print_json({"query": query, **show_hits.as_document(recaller, hits)})
        return
    show_hits.show(hits, explain)
    for note in recaller.notes:
        terminal.report("warning", note)
    if not hits:
        reason = "no memory matches" if filters or recaller.memory_count else "the project has no memories"
        terminal.report("note", f"nothing found: {reason}")


@app.command()
def doctor(root: Root = None, as_json: AsJson = False) -> None:
    """Check the installation and the project's memories."""
    from ..recall.doctor.examine import examine
    from ..recall.doctor.finding import worst

    findings = examine(root)
    if as_json:
        terminal.print_json(show_findings.as_document(findings))
    else:
        show_findings.show(findings)
    if worst(findings) == "fail":
        raise typer.Exit(1)


def _report_lost_twin() -> None:
    """Say that a native twin is installed and does not serve."""
    from .._backend import native_problem

    if native_problem:
        from ..recall.doctor.installation import native_files

        if native_files():
            what = f"the native twin does not load: {native_problem}"
            terminal.report("warning", what, "`cuecard doctor` says more")
