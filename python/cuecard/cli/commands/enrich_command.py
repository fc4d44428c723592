"""`cuecard enrich`: work for an agent that makes memories easier to find and to believe."""

from .. import terminal
from ..arguments import Option, command
from ..parameters import AS_JSON, ROOT
from ..show.trust_marks import Marks, is_hidden, mark
from ..terminal import visible
from ..text_input import read_json_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...api import Store
    from ...capture.enrichment import Enriched


@command(
    Option("--limit", "-n", metavar="N", kind=int, default=10, low=1, high=100, help="At most so many memories."),
    Option("--apply", metavar="FILE", help="Add what this JSON array says; `-` is standard input."),
    ROOT,
    AS_JSON,
)
def enrich(limit: int, apply: str | None, root: str | None, as_json: bool) -> int:
    """List memories that lack questions, a telling title or a date, and take what is added to them.

    Without `--apply` it prints the next memories and how many are left; an agent reads them with `--json`. What it
    sends back is an array of objects: `memory`, and any of `questions`, `title`, `tags`, `evidence`, `valid_from`,
    `valid_until` and `applies_to`. A list of the memory, its questions and, if it is corrected, its title will do too.
    An empty list of questions says that a memory needs none. What is done is not listed again, so the work can be
    stopped and continued at any time, and `cuecard undo` takes it back.
    """
    from ...api import Store

    store = Store(root)
    if apply is not None:
        return _apply(store, apply, as_json=as_json)
    _list(store, limit, as_json=as_json)
    return 0


def _list(store: "Store", limit: int, *, as_json: bool) -> None:
    from ...capture.enrichment import find_tasks

    tasks, count = find_tasks(store)
    marks = Marks.of_store(store.root, store.memory_dir)
    # The text of a withheld memory is for the user's eyes alone.
    tasks = [task for task in tasks if not is_hidden(marks[task.memory.path])]
    shown = tasks[:limit]
    if as_json:
        work = marks.clean([task.as_dict() for task in shown])
        terminal.print_json({"memories": count, "left": len(tasks), "work": work})
        return
    for task in shown:
        near = f"; near {', '.join(map(visible, task.neighbours))}" if task.neighbours else ""
        terminal.print_lines([f"{visible(task.name)}{mark(marks[task.memory.path])}  {', '.join(task.reasons)}{near}"])
    done = f"{count - len(tasks)} of {count} memories need nothing"
    hint = "`/cuecard:enrich` in Claude Code has the agent do it, `--apply` takes an answer" if tasks else ""
    terminal.report("note", done, hint)


def _apply(store: "Store", file: str, *, as_json: bool) -> int:
    from ...capture.enrichment import HINT, MAX_INPUT_BYTES, find_tasks, read_answers
    from ...capture.enrichment import enrich as add_to_memories

    source = "standard input" if file == "-" else f"`{file}`"
    data = read_json_input(file, MAX_INPUT_BYTES, "are no answers", HINT, "--apply")
    done = add_to_memories(store, read_answers(data, source))
    left = len(find_tasks(store)[0])
    if as_json:
        terminal.print_json({"answers": [one.as_dict() for one in done], "left": left})
    else:
        for one in done:
            _show(one)
        terminal.report("note", f"{left} {'memory is' if left == 1 else 'memories are'} left")
    return 1 if any(one.problem for one in done) else 0


def _show(one: "Enriched") -> None:
    terminal.print_lines([f"{one.status}  {visible(one.memory)}"])
    for note in one.notes:
        terminal.report("note", note)
    if one.problem:
        terminal.report("error", one.problem)
