"""The command `consolidate`: finds memories that say the same, and memories that contradict each other."""

from ....basics.counted import counted
from ....errors import UsageError
from ... import terminal
from ...arguments import command, option
from ...parameters import AS_JSON, ONLY_CATEGORY, ROOT
from ...show.trust_marks import WITHHELD, Marks, is_hidden, mark
from ...terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....basics.options import Category
    from ....capture.comparing.consolidation import Consolidation, Pair


@command(
    option(
        "--apply",
        off="--dry-run",
        default=False,
        help="Link the near-duplicates; without `--apply` nothing is written.",
    ),
    option("--contradictions", help="With --apply: also retire the older of two contradicting memories."),
    option("--undo", metavar="MEMORY", help="Restore a memory that another one has superseded."),
    ONLY_CATEGORY,
    ROOT,
    AS_JSON,
)
def consolidate(
    apply: bool, contradictions: bool, undo: str | None, category: "Category | None", root: str | None, as_json: bool
) -> None:
    """Find memories that say the same, and let the newer take the place of the older.

    The older memory is retired, never deleted, and the newer memory gets a link to it. Memories that contradict each
    other are only reported.
    """
    from ....api import Store
    from ....capture.comparing.consolidation import unlink
    from ....store.scopes.scope_choice import not_users_own

    store = Store(not_users_own(root))
    if undo is not None:
        if apply or contradictions or category is not None:
            raise UsageError("`--undo` cannot be combined with other options", "see `cuecard consolidate --help`")
        written = unlink(store, undo)
        if as_json:
            terminal.print_json({"status": "undone" if written else "unchanged", "written": written})
        else:
            terminal.print_lines([f"undone  {visible(path)}" for path in written] or ["unchanged"])
        return
    if contradictions and not apply:
        raise UsageError(
            "`--contradictions` needs `--apply`",
            "add `--apply`, or leave out the option: contradictions are reported anyway",
        )
    found = store.consolidate(category, apply=apply, contradictions=contradictions)
    marks = Marks(store.memory_dir, [memory for pair in found.pairs for memory in (pair.newer, pair.older)])
    for pair in found.pairs:
        if is_hidden(marks[pair.newer.path]) or is_hidden(marks[pair.older.path]):
            pair.newer_only, pair.older_only = [], []
    if as_json:
        terminal.print_json(
            {
                "applied": apply,
                "compared": found.compared,
                "kept_apart": found.kept_apart,
                "pairs": marks.clean([pair.as_dict() for pair in found.pairs]),
                "warnings": found.warnings,
            }
        )
    else:
        _show(found, apply, marks)


def _show(found: "Consolidation", is_applied: bool, marks: Marks) -> None:
    lines = [line for pair in found.pairs for line in _describe(pair, marks)]
    terminal.print_lines(lines)
    for warning in found.warnings + [warning for pair in found.pairs for warning in pair.warnings]:
        terminal.report("warning", warning)
    duplicates = [pair for pair in found.pairs if pair.kind == "duplicate"]
    what = f"{counted(found.compared, 'memory', 'memories')} compared"
    contradictions = counted(len(found.pairs) - len(duplicates), "contradiction")
    what += f": {counted(len(duplicates), 'near-duplicate')}, {contradictions}"
    if found.kept_apart:
        what += (
            f"; {counted(found.kept_apart, 'pair')} were left alone, because they are linked or were unlinked before"
        )
    hint = ""
    if duplicates and not is_applied:
        hint = "`cuecard consolidate --apply` links the near-duplicates"
    elif any(pair.outcome == "linked" for pair in found.pairs):
        hint = "`cuecard consolidate --undo MEMORY` undoes a link"
    terminal.report("note", what, hint)


def _describe(pair: "Pair", marks: Marks) -> list[str]:
    done = {"found": pair.kind, "linked": "linked", "failed": "failed"}[pair.outcome]
    newer, older = pair.newer.name, pair.older.name
    relation = "against" if pair.kind == "contradiction" else "in place of"
    newer, older = visible(newer) + mark(marks[pair.newer.path]), visible(older) + mark(marks[pair.older.path])
    hidden = is_hidden(marks[pair.newer.path]) or is_hidden(marks[pair.older.path])
    lines = [f"{done}  {newer}  {relation}  {older}", f"  {WITHHELD if hidden else visible(pair.why)}"]
    for label, words in (("only the newer says", pair.newer_only), ("only the older says", pair.older_only)):
        if words:
            lines.append(f"  {label}: {visible(', '.join(words))}")
    if pair.problem:
        lines.append(f"  not linked: {visible(pair.problem)}")
    return lines
