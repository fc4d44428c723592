"""The commands that measure recall: `eval run`, `score`, `report`, `make`, `wholeness`, `calibrate`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ....basics.light_dataclass import dataclass
from ....errors import InputError, UsageError
from ... import terminal
from ...arguments import argument, command, option
from ...parameters import AS_JSON, ROOT, SETTING, STRATEGY
from ...show import show_calibration, show_scores
from ..recall_commands import report_idle_setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....basics.options import GateSetting, Strategy

PROMPTS = option(
    "--prompts", metavar="FILE", is_required=True, is_repeatable=True, help="Judged prompts, JSON lines; repeatable."
)
LIMIT = option("--limit", metavar="N", kind=int, default=5, help="At most N memories for each prompt.")
RESAMPLES = option(
    "--resamples", metavar="N", kind=int, default=1000, low=20, help="How many samples each interval is computed from."
)


@dataclass
class _RunPromptsGiven:
    """The arguments and options of `cuecard eval run`."""

    prompts: str = option("--prompts", metavar="FILE", is_required=True, help="Judged prompts, JSON lines.")
    out: str = option("--out", metavar="RUN", is_required=True, help="The file to write the run to.")
    setting: "GateSetting | None" = SETTING
    strategy: "Strategy | None" = STRATEGY
    limit: int = LIMIT
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_RunPromptsGiven)
def run_prompts(given: _RunPromptsGiven) -> None:
    """Ask every prompt, and write the injected memories to a file.

    Each line needs `project`, `id` and `prompt`, and may have `history`. Judgments are only needed by `eval score`.
    """
    from .... import evaluate

    asked = evaluate.read_prompts(given.prompts, is_judged=False)
    _check_out(given.out, [given.prompts])
    with _progress("asking") as progress:
        lines = evaluate.run(
            asked, root=given.root, setting=given.setting, strategy=given.strategy, limit=given.limit, progress=progress
        )
    evaluate.write_run(given.out, lines)
    report_idle_setting(lines[0].strategy, given.setting)
    answered = sum([bool(line.results) for line in lines])
    if given.as_json:
        terminal.print_json({"out": given.out, "prompts": len(lines), "answered": answered})
        return
    terminal.print_lines([f"{len(lines)} prompts, something injected for {answered}; the run is `{given.out}`"])


@dataclass
class _ScoreRunGiven:
    """The arguments and options of `cuecard eval score`."""

    run: str = argument("RUN", "The file that `eval run` wrote.")
    more: list[str] = argument("FILE", "More files of prompts.", dest="more", is_required=False, is_repeatable=True)
    prompts: list[str] = PROMPTS
    by: str = option("--by", metavar="WHAT", default="kind", help="Group by kind, project or lang.")
    cutoff: int | None = option("--cutoff", metavar="N", kind=int, help="Only the first N memories of each answer.")
    against: str | None = option("--against", metavar="RUN", help="Another run to compare with, prompt by prompt.")
    resamples: int = RESAMPLES
    seed: int = option(
        "--seed", metavar="N", kind=int, default=20, help="The random seed of the samples for the intervals."
    )
    as_json: bool = AS_JSON


@command(request=_ScoreRunGiven)
def score_run(given: _ScoreRunGiven) -> None:
    """Measure a run by the judgments, with 95% intervals."""
    from .... import evaluate

    judged = evaluate.join_prompts([evaluate.read_prompts(file) for file in (*given.prompts, *(given.more or ()))])
    lines = evaluate.read_run(given.run)
    found = evaluate.score(lines, judged, by=given.by, cutoff=given.cutoff, resamples=given.resamples, seed=given.seed)
    differences = None
    if given.against is not None:
        other = evaluate.read_run(given.against)
        differences = evaluate.compare(
            lines, other, judged, cutoff=given.cutoff, resamples=given.resamples, seed=given.seed
        )
    if given.as_json:
        terminal.print_json(show_scores.as_document(found, differences))
        return
    show_scores.show(found, differences)


@command(
    PROMPTS,
    option(
        "--root",
        metavar="FOLDER",
        dest="roots",
        is_repeatable=True,
        help="The project for each `--prompts` file, in the same order; repeatable.",
    ),
    LIMIT,
    RESAMPLES,
    AS_JSON,
)
def report(prompts: list[str], roots: list[str], limit: int, resamples: int, as_json: bool) -> None:
    """Measure every setting and baseline, and list the prompts to look at."""
    from .... import evaluate
    from ...show import show_report

    projects = evaluate.pair_projects(roots or [], prompts)
    with _progress("measuring") as progress:
        found = evaluate.collect(projects, limit=limit, resamples=resamples, progress=progress)
    if as_json:
        terminal.print_json(found.as_dict())
        return
    show_report.show(found)


@dataclass
class _MakePromptsGiven:
    """The arguments and options of `cuecard eval make`."""

    out: str = option("--out", metavar="FILE", is_required=True, help="The file to write the prompts to.")
    more: list[str] = argument("PATH", "More transcripts.", dest="more", is_required=False, is_repeatable=True)
    transcripts: list[str] = option(
        "--transcripts",
        metavar="PATH",
        is_repeatable=True,
        help="A session of Claude Code, or a folder of them; repeatable.",
    )
    project: str | None = option(
        "--project", metavar="NAME", help="The project's name in the sessions; by default that of its folder."
    )
    limit: int = option("--limit", metavar="N", kind=int, default=300, help="At most N prompts of each source.")
    seed: int = option("--seed", metavar="N", kind=int, default=0, help="The seed for the choice of words.")
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_MakePromptsGiven)
def make_prompts(given: _MakePromptsGiven) -> None:
    """Make judged prompts from a project's own memories.

    With `--transcripts` it also takes prompts from sessions: the memories that the agent read after a prompt are judged
    as wanted. A person should review the prompts.
    """
    from .... import evaluate

    paths = [*(given.transcripts or ()), *(given.more or ())]
    _check_out(given.out, paths)
    _keep_reviewed(given.out)
    made = evaluate.make(root=given.root, transcripts=paths, project=given.project, limit=given.limit, seed=given.seed)
    evaluate.write_prompts(given.out, made.prompts)
    kinds: dict[str, int] = {}
    for prompt in made.prompts:
        kinds[prompt.kind] = kinds.get(prompt.kind, 0) + 1
    if given.as_json:
        terminal.print_json({"out": given.out, "prompts": len(made.prompts), "kinds": kinds, "notes": made.notes})
        return
    for note in made.notes:
        terminal.report("warning", note)
    listed = ", ".join([f"{count} {kind}" for kind, count in kinds.items()])
    terminal.print_lines([f"{len(made.prompts)} prompts in `{given.out}`: {listed}"])
    hint = "read them, correct `judgments`, and set `reviewed` to true"
    terminal.report("note", "no person has judged these prompts yet", hint)


@command(
    argument("FILE", "A file of decisions, JSON lines; repeatable.", dest="files", is_repeatable=True),
    SETTING,
    STRATEGY,
    AS_JSON,
)
def measure_blocks(files: list[str], setting: "GateSetting | None", strategy: "Strategy | None", as_json: bool) -> None:
    """Count the blocks that say all parts of a decision.

    Each decision comes with a bug report and with the memories that were made of it: one memory (`whole`), one with the
    words of the session (`recap`), or several (`cut`). The memories are written to a temporary store for each of these
    cuts; your own are not read.
    """
    from .... import evaluate
    from ...show import show_wholeness

    sets = evaluate.read_decision_sets(files)
    with _progress("asking") as progress:
        found = evaluate.measure_wholeness(sets, setting=setting, strategy=strategy, progress=progress)
    if as_json:
        terminal.print_json(found.as_dict())
        return
    show_wholeness.show(found)


@command(
    ROOT,
    option(
        "--prompts",
        metavar="FILE",
        is_repeatable=True,
        help="A file of judged prompts of this project; repeatable.",
    ),
    option("--apply", dest="is_applied", help="Write the proposal into the project's memory-config.json."),
    AS_JSON,
)
def calibrate_gate(root: str | None, prompts: list[str], is_applied: bool, as_json: bool) -> None:
    """Propose how far to shift the gate for this project.

    Judged prompts give the best proposal. Without them the command uses the titles of the project's memories, which
    need no judgments.
    """
    from .... import evaluate

    if prompts:
        judged = evaluate.join_prompts([evaluate.read_prompts(file) for file in prompts])
        with _progress("asking") as progress:
            shift = evaluate.calibrate_by_prompts(judged, root=root, is_applied=is_applied, progress=progress)
        if as_json:
            terminal.print_json({**shift.as_dict(), "applied": is_applied})
        else:
            show_calibration.show_judged(shift, is_applied)
        return
    with _progress("asking") as progress:
        found = evaluate.calibrate(root=root, is_applied=is_applied, progress=progress)
    if as_json:
        terminal.print_json({**found.as_dict(), "applied": is_applied and found.proposal is not None})
    else:
        show_calibration.show(found, is_applied)


def _check_out(out: str, inputs: Sequence[str]) -> None:
    """Raise `WriteError` if `out` cannot be written, and `UsageError` if it is one of the input files."""
    from ....evaluate.json_lines import check_writable

    check_writable(out)
    if any(Path(name).exists() and Path(out).exists() and Path(out).samefile(name) for name in inputs):
        raise UsageError(f"`{out}` is an input file", "name another file with `--out`")


def _keep_reviewed(out: str) -> None:
    """Raise `UsageError` if `out` is a file with prompts that a person has reviewed."""
    from .... import evaluate

    try:
        reviewed = sum([prompt.is_reviewed for prompt in evaluate.read_prompts(out)])
    except InputError:
        return
    if reviewed:
        raise UsageError(f"`{out}` has {reviewed} prompts that a person has judged", "name another file with `--out`")


@contextmanager
def _progress(words: str) -> Iterator[Callable[[int, int], None] | None]:
    """A function that updates a progress bar on the terminal; None if standard error is not a terminal."""
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
