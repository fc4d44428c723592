"""The command that shows which stores count: `stores`."""

from ....basics.light_dataclass import dataclass
from ....errors import UsageError
from ...arguments import argument, command, option
from ...parameters import AS_JSON, ROOT
from ...terminal import print_json, print_lines, report, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....files.scopes import ScopedStore


@dataclass
class _StoresGiven:
    """The arguments and options of `cuecard stores`."""

    action: str | None = argument(
        "ACTION", "`alias` moves what is kept for a project to its new path.", is_required=False
    )
    old: str | None = argument("OLD", "For `alias`: the folder of the project as it was.", is_required=False)
    new: str | None = argument("NEW", "For `alias`: the folder of the project as it is now.", is_required=False)
    yes: bool = option("--yes", "-y", help="Move it; without this, `alias` only shows what it would move.")
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_StoresGiven)
def stores(given: _StoresGiven) -> int:
    """Show the stores whose memories count in this folder, in their order, and what is left out.

    On a conflict the store that stands first wins. New memories are written to the first one. The exit status is 1 if
    no store counts. `alias OLD NEW` moves the sessions, the ledger and the inbox of a project that was moved or cloned
    again; `alias NEW OLD` is the way back.
    """
    from ....store.scopes.moved_project import describe_move, find_former
    from ....store.scopes.scoped_stores import find_scoped_stores

    if given.action is not None:
        return _alias(given)
    found = find_scoped_stores(given.root)
    counting = [store for store in found if not store.left_out]
    if given.as_json:
        print_json({"stores": [_as_json(store) for store in found]})
    else:
        hint = [] if counting else ["No store counts here; `cuecard init` begins one."]
        print_lines([_line_of(store) for store in found] + hint)
        former = find_former((counting[0].root, counting[0].memory_dir)) if counting else ""
        if former:
            report("note", visible(describe_move(former, counting[0].root)))
    return 0 if counting else 1


def _alias(given: _StoresGiven) -> int:
    from ....store.scopes.moved_data import move_data

    if given.action != "alias" or given.old is None or given.new is None:
        raise UsageError("`cuecard stores` takes nothing, or `alias OLD NEW`", "see `cuecard stores --help`")
    moved = move_data(given.old, given.new, is_dry=not given.yes)
    if given.as_json:
        print_json({"moved": moved.names if given.yes else [], "would_move": moved.names, "stays": moved.kept})
        return 0
    names, kept = [", ".join(map(visible, some)) or "nothing" for some in (moved.names, moved.kept)]
    print_lines([f"{'moved' if given.yes else 'would move'}  {names}"])
    if moved.kept:
        print_lines([f"stays, because the new path has it too: {kept}"])
    if not given.yes:
        report("note", "nothing was moved", "`--yes` moves it")
    return 0


def _line_of(store: "ScopedStore") -> str:
    name = f"{store.scope} {store.name}".rstrip()
    notes = ["new memories are written here"] if store.is_written else []
    notes += ["the checkout that all worktrees share"] if store.is_counterpart else []
    notes += [f"left out: {store.left_out}"] if store.left_out else []
    end = f"  ({'; '.join(notes)})" if notes else ""
    return f"{name:<10}  {visible(store.root)}{end}"


def _as_json(store: "ScopedStore") -> dict[str, object]:
    return {
        "scope": store.scope,
        "name": store.name,
        "root": store.root,
        "is_counterpart": store.is_counterpart,
        "is_written": store.is_written,
        "left_out": store.left_out,
    }
