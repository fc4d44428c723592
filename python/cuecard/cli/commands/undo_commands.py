"""The commands that list writes and undo them: `history` and `undo`."""

from ...errors import MissingError
from ...files.locate import locate
from .. import terminal
from ..arguments import argument, command, option
from ..parameters import AS_JSON, ROOT, SCOPE
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...actions.person_actions import Done
    from ...store.writes.journal import Operation
    from ...store.writes.undo import Undone

# An undo that removes so many memories says so first.
MANY = 3
OPERATION = argument(
    "ID", "The id of a write or of another action, or its beginning.", dest="operation_id", is_required=False
)


@command(OPERATION, option("--dry-run", help="Say what would be undone, and change nothing."), ROOT, SCOPE, AS_JSON)
def undo(operation_id: str | None, dry_run: bool, root: str | None, scope: str | None, as_json: bool) -> None:
    """Undo the last action, or another one.

    Actions are writes, verdicts, decisions about drafts, memories that were accepted, and changes of settings. If the
    last one cannot be undone, the command says so, and names the id of the one before it.

    A write is everything that one command (add, update, retire, import, consolidate, gc and so on) did to the memories.
    Every file gets exactly the bytes that it had before. To redo the write, undo the undo by its id. A write can be
    undone for `delete.grace_period_days` days. Other actions have an id too, which the command that did it prints.
    """
    from ...actions.person_actions import Done
    from ...actions.person_actions import undo as take_back
    from ...store.scopes.moved_project import offer_of_move
    from ...store.scopes.scope_choice import root_of_scope
    from ...store.writes.store_writer import StoreWriter

    store = StoreWriter(locate(root_of_scope(root, scope))[0])
    try:
        if not dry_run and not as_json:
            _warn(take_back(store, operation_id or "", is_dry_run=True))
        undone = take_back(store, operation_id or "", is_dry_run=dry_run)
    except MissingError as error:
        error.hint = visible(offer_of_move(store.project)) or error.hint
        raise
    if as_json:
        terminal.print_json({"dry_run": dry_run} | undone.as_dict())
    elif isinstance(undone, Done):
        terminal.print_lines([f"{undone.what}  {visible(undone.name)}"])
    else:
        _show(undone, is_dry_run=dry_run)


@command(OPERATION, ROOT, AS_JSON)
def history(operation_id: str | None, root: str | None, as_json: bool) -> None:
    """List the writes that can be undone, the latest first.

    With ID, list the files that this write changed.
    """
    from ...store.scopes.moved_project import offer_of_move
    from ...store.writes.journal import read_journal
    from ...store.writes.undo import find_operation, undone_ids

    project = locate(root)
    journal = read_journal(project[1])
    undone = undone_ids(journal)
    shown = [find_operation(journal, operation_id)] if operation_id else journal
    if as_json:
        terminal.print_json({"operations": [_document(each, is_undone=each.id in undone) for each in shown]})
    elif operation_id:
        terminal.print_lines([f"{done}  {visible(path)}" for path, done in _changes(shown[0]).items()])
    else:
        terminal.print_lines([_line(each, is_undone=each.id in undone) for each in shown])
        if not shown:
            terminal.report("note", "no write can be undone here", visible(offer_of_move(project)))


def _warn(planned: "Undone | Done") -> None:
    """Say how many memories an undo removes, before it does it."""
    from ...actions.person_actions import Done

    if not isinstance(planned, Done) and len(planned.removed) >= MANY:
        what = f"`{planned.operation.what}` of {planned.operation.at[:16].replace('T', ' ')} is undone"
        terminal.report("note", f"{what}, which removes {len(planned.removed)} memories")


def _show(undone: "Undone", *, is_dry_run: bool) -> None:
    if not undone.restored and not undone.removed:
        terminal.print_lines(["unchanged  every file is as it was before"])
        return
    restored, removed = ("would put back", "would remove") if is_dry_run else ("put back", "removed")
    terminal.print_lines(
        [f"{restored}  {visible(path)}" for path in undone.restored]
        + [f"{removed}  {visible(path)}" for path in undone.removed]
    )
    for problem in undone.problems:
        terminal.report("warning", problem)
    if undone.id:
        terminal.report("note", f"`{undone.operation.what}` was undone", f"`cuecard undo {undone.id}` redoes it")


def _line(operation: "Operation", *, is_undone: bool) -> str:
    count = len(operation.changes)
    suffix = "  (undone)" if is_undone else ""
    day, time = operation.at[:10], operation.at[11:16]
    # For a write that changed one file, show the name of the file instead of the count.
    files = visible(next(iter(operation.changes)).rpartition("memory/")[2]) if count == 1 else f"{count} files"
    return f"{operation.id}  {day} {time}  {visible(operation.what)}, {files}{suffix}"


def _document(operation: "Operation", *, is_undone: bool) -> dict[str, object]:
    return {
        "id": operation.id,
        "at": operation.at,
        "what": operation.what,
        "undoes": operation.undoes or None,
        "undone": is_undone,
        "files": _changes(operation),
    }


def _changes(operation: "Operation") -> dict[str, str]:
    """For each path whether the file was created, changed or removed."""
    return {
        path: "created" if before is None else "removed" if after is None else "changed"
        for path, (before, after) in operation.changes.items()
    }
