"""The commands that bring a memory into another store: `copy` and `move`."""

from ...errors import UsageError
from .. import terminal
from ..arguments import command, option
from ..parameters import AS_JSON, NAME, ROOT
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.root import Project

TO = option(
    "--to",
    metavar="STORE",
    default="",
    help="`user` (your own store, which counts in all projects) or the folder of another project.",
)
FROM_USER = option("--from-user", help="Take the memory from your own store.")


@command(NAME, TO, FROM_USER, ROOT, AS_JSON)
def copy(memory: str, to: str, from_user: bool, root: str | None, as_json: bool) -> None:
    """Copy a memory into another store, such as your own, which counts in all projects.

    You must vouch for the memory, and vouch for its copy then too. What only has a meaning in its own store is left
    out: the files that it is about, and relations to other memories. Without `--to`, the other store is that of this
    project.
    """
    _carry(memory, to, from_user, root, as_json, is_move=False)


@command(NAME, TO, FROM_USER, ROOT, AS_JSON)
def move(memory: str, to: str, from_user: bool, root: str | None, as_json: bool) -> None:
    """Copy a memory into another store, and retire it in its own.

    `cuecard restore` makes it active again there, and `cuecard undo` takes back the whole move, in both stores.
    """
    _carry(memory, to, from_user, root, as_json, is_move=True)


def _carry(memory: str, to: str, from_user: bool, root: str | None, as_json: bool, *, is_move: bool) -> None:
    from ...actions.acts import Act, Reach, note_act, note_reach
    from ...store.records.store_reader import StoreReader
    from ...store.writes.carry import carry
    from ...store.writes.journal import operation
    from ..scope_choice import make_users_store

    if not to and not from_user:
        raise UsageError("the other store is not named", "`--to user` is your own store")
    source = StoreReader(make_users_store() if from_user else root)
    target = _find_target(to, root)
    found = source.show(memory)
    what = "move" if is_move else "copy"
    with operation(what) as opened:
        done = carry(source.project, found, target, is_move=is_move)
    if opened.id:
        note_reach(opened.id, Reach((source.project, target)), source.memory_dir)
        for _root, memory_dir in (source.project, target):
            note_act(memory_dir, Act(f"`{what} {found.id}`", opened.id))
    if as_json:
        terminal.print_json(
            {
                "status": done.status,
                "source": done.source,
                "target": done.target,
                "root": done.root,
                "left_out": done.left_out,
                "retired": done.is_retired,
                "notes": done.problems,
            }
        )
        return
    where = "your own store" if to == "user" else visible(done.root)
    terminal.print_lines([f"{done.status}  {visible(done.target)} in {where}"])
    if done.is_retired:
        terminal.print_lines([f"retired  {visible(done.source)}"])
    if done.left_out:
        terminal.report("note", f"left out, because it has a meaning only there: {', '.join(done.left_out)}")
    for problem in done.problems:
        terminal.report("warning", problem)


def _find_target(to: str, root: str | None) -> "Project":
    """The store that `--to` names; without it the store of the project."""
    from ...store.records.store_reader import StoreReader
    from ..scope_choice import make_users_store

    if to == "user":
        return StoreReader(make_users_store()).project
    return StoreReader(to or root, create=not to).project
