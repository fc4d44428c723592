"""`cuecard enrich`: lists memories for an agent to add questions, titles and dates, and saves the answers."""

from ...._backend import read_effective_settings
from ....basics.counted import counted
from ....errors import ModelError, UsageError
from ... import terminal
from ...arguments import command, option
from ...parameters import AS_JSON, ROOT
from ...show.trust_marks import Marks, mark
from ...terminal import visible
from ...text_input import read_json_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....api import Store
    from ....capture.enriching.enrichment import Enriched
    from ....models.judge_settings import JudgeSettings

# The number of memories that are listed without `--limit`.
LISTED = 10


@command(
    option(
        "--limit",
        "-n",
        metavar="N",
        kind=int,
        low=1,
        high=10_000,
        help="How many memories at most; by default 10 are listed, and a model gets all.",
    ),
    option("--apply", metavar="FILE", help="Save the answers in this JSON array, at most 100; `-` is standard input."),
    option("--model", help="Let the model of `retrieval.judge` write the additions."),
    ROOT,
    AS_JSON,
)
def enrich(limit: int | None, apply: str | None, model: bool, root: str | None, as_json: bool) -> int:
    """List memories that lack questions, a clear title or a date, and save what an agent adds to them.

    Memories that nearly answered a prompt, by the log of the hook, come first: a question helps them most. Then come
    decisions, constraints, preferences, runbooks and, last, pointers to documents. Withheld memories are only counted.

    Without `--apply` it prints the next memories and how many are left; an agent reads them with `--json`. The agent
    answers with an array of objects. Each has `memory`, and any of `questions`, `title`, `tags`, `evidence`,
    `valid_from`, `valid_until`, `applies_to` and `forbids`. Instead of an object, an array is accepted: the memory, its
    questions and a corrected title. An empty list of questions means that the memory needs no questions. Questions are
    added to those that the memory has; beyond five, earlier ones give way, and it says how many. Finished
    memories are not listed again, so you can stop and continue at any time. `cuecard undo` undoes the additions.

    With `--model` no agent is needed: the model in the settings of the judge gets title, tags and content of each
    memory, if you have allowed its host. Withheld memories are never sent.
    """
    from ....api import Store

    if model and apply is not None:
        raise UsageError("`--apply` and `--model` are given together", "give one of the two")
    from ....store.scopes.scope_choice import not_users_own

    store = Store(not_users_own(root))
    if apply is not None:
        return _apply(store, apply, as_json=as_json)
    if model:
        return _ask_model(store, limit, as_json=as_json)
    _list(store, limit or LISTED, as_json=as_json)
    return 0


def _list(store: "Store", limit: int, *, as_json: bool) -> None:
    from ....capture.enriching.enrichment import find_work
    from ....observe.near_answers import near_answers

    found = find_work(store, near_answers(store.memory_dir))
    tasks, count = found.tasks, found.count
    marks = Marks.of_store(store.root, store.memory_dir)
    shown = tasks[:limit]
    if as_json:
        work = marks.clean([task.as_dict() for task in shown])
        counts = {"memories": count, "left": len(tasks), "withheld": found.withheld}
        terminal.print_json({**counts, "work": work})
        return
    for task in shown:
        near = f"; near {', '.join(map(visible, task.neighbours))}" if task.neighbours else ""
        terminal.print_lines([f"{visible(task.name)}{mark(marks[task.memory.path])}  {', '.join(task.reasons)}{near}"])
    done = f"{count - len(tasks) - found.withheld} of {count} memories need no changes"
    hint = "`/cuecard:enrich` has Claude Code write what is missing, `--apply` saves answers" if tasks else ""
    terminal.report("note", done, hint)
    _report_withheld(found.withheld)


def _apply(store: "Store", file: str, *, as_json: bool) -> int:
    from ....capture.enriching.enrichment import HINT, MAX_INPUT_BYTES, find_work, read_answers
    from ....capture.enriching.enrichment import enrich as add_to_memories

    source = "standard input" if file == "-" else f"`{file}`"
    data = read_json_input(file, MAX_INPUT_BYTES, "are no answers", HINT, "--apply")
    done = add_to_memories(store, read_answers(data, source))
    work = find_work(store)
    if as_json:
        counts = {"left": len(work.tasks), "withheld": work.withheld}
        terminal.print_json({"answers": [one.as_dict() for one in done], **counts})
    else:
        for one in done:
            _show(one)
        terminal.report("note", _left(len(work.tasks)))
        _report_withheld(work.withheld)
    return 1 if any(one.problem for one in done) else 0


def _ask_model(store: "Store", limit: int | None, *, as_json: bool) -> int:
    """Let a model write the missing fields, as one operation of the journal. The user can stop it at any time."""
    import sys

    from ....capture.enriching.enrichment import find_work
    from ....capture.enriching.model_enrichment import enrich_by_model
    from ....models.endpoints.place import place_of
    from ....models.sent_log import log_sent
    from ....observe.near_answers import near_answers
    from ....store.writes.journal import operation

    settings = _model_settings(store)
    chosen = find_work(store, near_answers(store.memory_dir)).tasks[:limit]
    memories = counted(len(chosen), "memory", "memories")
    terminal.report("note", f"asking `{settings.model}` at `{place_of(settings.url)}` about {memories}")
    done: list[Enriched] = []
    failure, is_stopped = None, False
    try:
        with operation("enrich"):
            for one in enrich_by_model(store, settings, chosen):
                done.append(one)
                if not as_json:
                    _show(one, f"  ({len(done)} of {len(chosen)})")
                    sys.stdout.flush()
    except ModelError as error:
        failure = error
    except KeyboardInterrupt:
        is_stopped = True
    finally:
        log_sent(store.memory_dir)
    work = find_work(store)
    left = len(work.tasks)
    if as_json:
        failed = failure.as_dict() if failure else None
        counts = {"left": left, "withheld": work.withheld}
        terminal.print_json({"answers": [one.as_dict() for one in done], **counts, "error": failed})
    else:
        terminal.report(
            "note", _left(left), "run the command again to continue" if left and (failure or is_stopped) else ""
        )
    if failure:
        terminal.report("error", failure.what, failure.hint)
    if is_stopped:
        raise KeyboardInterrupt
    return 1 if failure or any(one.problem for one in done) else 0


def _model_settings(store: "Store") -> "JudgeSettings":
    """The model that the settings name. Raises UsageError if the settings name no model or cannot be used."""
    from ....models.judge_settings import read_judge_settings

    problems: list[str] = []
    settings = read_judge_settings(read_effective_settings(store.memory_dir).settings, problems, is_asked_by_user=True)
    if settings is None:
        hint = "`cuecard config retrieval.judge.provider ollama --user`, and `retrieval.judge.model`"
        raise UsageError(problems[0] if problems else "the settings name no model", hint)
    return settings


def _left(count: int) -> str:
    return counted(count, "memory is left", "memories are left")


def _report_withheld(count: int) -> None:
    if count:
        what = f"{counted(count, 'memory is', 'memories are')} withheld until a person has read them"
        terminal.report("note", what, "`cuecard trust` in a terminal shows them: accept them first")


def _show(one: "Enriched", progress: str = "") -> None:
    terminal.print_lines([f"{one.status}  {visible(one.memory)}{progress}"])
    for note in one.notes:
        terminal.report("note", note)
    if one.problem:
        terminal.report("error", one.problem)
