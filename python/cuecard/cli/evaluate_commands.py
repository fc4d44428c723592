"""The commands that measure recall: `eval run`, `score`, `report`, `make`, `calibrate`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError, UsageError
from . import show_calibration, show_scores, terminal
from .app import AsJson, Root, app
from .recall_commands import Strategy, report_idle_setting

eval_app = typer.Typer(help="Measure recall on judged prompts.")
app.add_typer(eval_app, name="eval")

Prompts = Annotated[
    list[str],
    typer.Option("--prompts", metavar="FILE", help="Judged prompts, JSON lines; repeatable.", show_default=False),
]
Setting = Annotated[
    str | None,
    typer.Option("--setting", metavar="NAME", help="The gate: precise, balanced, eager or off; else as configured."),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="At most N memories a prompt.")]
Resamples = Annotated[int, typer.Option("--resamples", metavar="N", help="Samples behind each interval.", min=20)]


@eval_app.command("run")
def run_prompts(
    prompts: Annotated[
        str, typer.Option("--prompts", metavar="FILE", help="Judged prompts, JSON lines.", show_default=False)
    ],
    out: Annotated[str, typer.Option("--out", metavar="RUN", help="Where the run goes.", show_default=False)],
    setting: Setting = None,
    strategy: Strategy = None,
    limit: Limit = 5,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Ask every prompt, and write down what is injected.

    Needs `project`, `id` and `prompt` of each line, and takes `history`: judgments are for `eval score`.
    """
    from .. import evaluate

    asked = evaluate.read_prompts(prompts, is_judged=False)
    _check_out(out, [prompts])
    with _progress("asking") as progress:
        lines = evaluate.run(asked, root=root, setting=setting, strategy=strategy, limit=limit, progress=progress)
    evaluate.write_run(out, lines)
    report_idle_setting(lines[0].strategy, setting)
    answered = sum([bool(line.results) for line in lines])
    if as_json:
        terminal.print_json({"out": out, "prompts": len(lines), "answered": answered})
        return
    terminal.print_lines([f"{len(lines)} prompts, something injected for {answered}; the run is `{out}`"])


@eval_app.command("score")
def score_run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="What `eval run` wrote.", show_default=False)],
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="More files of prompts.", show_default=False)
    ] = None,
    *,
    prompts: Prompts,
    by: Annotated[str, typer.Option("--by", metavar="WHAT", help="Group by kind, project or lang.")] = "kind",
    cutoff: Annotated[
        int | None, typer.Option("--cutoff", metavar="N", help="Only the first N memories of each answer.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="RUN", help="Another run to compare with, prompt by prompt.")
    ] = None,
    resamples: Resamples = 1000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the samples behind the intervals.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Measure a run by the judgments, with 95% intervals."""
    from .. import evaluate

    judged = evaluate.join_prompts([evaluate.read_prompts(file) for file in (*prompts, *(more or ()))])
    lines = evaluate.read_run(run)
    found = evaluate.score(lines, judged, by=by, cutoff=cutoff, resamples=resamples, seed=seed)
    differences = None
    if against is not None:
        other = evaluate.read_run(against)
        differences = evaluate.compare(lines, other, judged, cutoff=cutoff, resamples=resamples, seed=seed)
    if as_json:
        terminal.print_json(show_scores.as_document(found, differences))
        return
    show_scores.show(found, differences)


@eval_app.command("report")
def write_report(
    prompts: Prompts,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Where the page goes.", show_default=False)],
    roots: Annotated[
        list[str] | None,
        typer.Option(
            "--root", metavar="FOLDER", help="The project of each file of prompts, in their order; repeatable."
        ),
    ] = None,
    limit: Limit = 5,
    resamples: Resamples = 1000,
    as_json: AsJson = False,
) -> None:
    """Measure every setting and baseline, as one HTML page."""
    from .. import evaluate
    from ..evaluate.json_lines import write_file

    projects = evaluate.pair_projects(roots or [], prompts)
    _check_out(out, prompts)
    with _progress("measuring") as progress:
        found = evaluate.collect(projects, limit=limit, resamples=resamples, progress=progress)
    write_file(out, evaluate.render_page(found).encode("utf-8", "replace"))
    if as_json:
        terminal.print_json({"out": out, **found.as_dict()})
        return
    for note in found.notes:
        terminal.report("warning", note)
    terminal.print_lines([f"{len(found.prompts)} prompts, {len(found.variants)} variants; the report is `{out}`"])


@eval_app.command("make")
def make_prompts(
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Where the prompts go.", show_default=False)],
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="More transcripts.", show_default=False)
    ] = None,
    *,
    transcripts: Annotated[
        list[str] | None,
        typer.Option(
            "--transcripts", metavar="PATH", help="A session of Claude Code, or a folder of them; repeatable."
        ),
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", metavar="NAME", help="The project's name in them; else its folder's.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="At most N prompts of each source.")] = 300,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another number, another choice of words.")] = 0,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make judged prompts from a project's own memories.

    And from transcripts of sessions: memories that the agent then read are wanted. A person should review them.
    """
    from .. import evaluate

    paths = [*(transcripts or ()), *(more or ())]
    _check_out(out, paths)
    _keep_reviewed(out)
    made = evaluate.make(root=root, transcripts=paths, project=project, limit=limit, seed=seed)
    evaluate.write_prompts(out, made.prompts)
    kinds: dict[str, int] = {}
    for prompt in made.prompts:
        kinds[prompt.kind] = kinds.get(prompt.kind, 0) + 1
    if as_json:
        terminal.print_json({"out": out, "prompts": len(made.prompts), "kinds": kinds, "notes": made.notes})
        return
    for note in made.notes:
        terminal.report("warning", note)
    listed = ", ".join([f"{count} {kind}" for kind, count in kinds.items()])
    terminal.print_lines([f"{len(made.prompts)} prompts in `{out}`: {listed}"])
    hint = "read them, mend `judgments`, and set `reviewed` to true"
    terminal.report("note", "no person has judged these prompts yet", hint)


@eval_app.command("calibrate")
def calibrate_gate(
    root: Root = None,
    is_applied: Annotated[
        bool, typer.Option("--apply", help="Write the proposal into the project's memory-config.json.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Propose how far to shift the gate for this project.

    By the titles of its own memories, without any judgment.
    """
    from .. import evaluate

    with _progress("asking") as progress:
        found = evaluate.calibrate(root=root, is_applied=is_applied, progress=progress)
    if as_json:
        terminal.print_json({**found.as_dict(), "applied": is_applied and found.proposal is not None})
        return
    show_calibration.show(found, is_applied)


def _check_out(out: str, inputs: Sequence[str]) -> None:
    """Raises `WriteError` for what cannot be written, `UsageError` where it would take the place of what is read."""
    from ..evaluate.json_lines import check_writable

    check_writable(out)
    if any(Path(name).exists() and Path(out).exists() and Path(out).samefile(name) for name in inputs):
        raise UsageError(f"`{out}` is what is read", "name another file with `--out`")


def _keep_reviewed(out: str) -> None:
    """Raises `UsageError` for a file of prompts at which a person has been at work."""
    from .. import evaluate

    try:
        reviewed = sum([prompt.is_reviewed for prompt in evaluate.read_prompts(out)])
    except InputError:
        return
    if reviewed:
        raise UsageError(f"`{out}` has {reviewed} prompts that a person has judged", "name another file with `--out`")


@contextmanager
def _progress(words: str) -> Iterator[Callable[[int, int], None] | None]:
    """What tells a watching person how far the work has come; None where nobody watches."""
    import sys

    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(words, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
