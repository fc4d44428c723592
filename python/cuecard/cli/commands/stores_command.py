"""The command that shows which stores count: `stores`."""

from ..arguments import command
from ..parameters import AS_JSON, ROOT
from ..terminal import print_json, print_lines, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.scopes import ScopedStore


@command(ROOT, AS_JSON)
def stores(root: str | None, as_json: bool) -> int:
    """Show the stores whose memories count in this folder, in their order, and what is left out.

    On a conflict the store that stands first wins. New memories are written to the first one. The exit status is 1 if
    no store counts.
    """
    from ...library.scoped_stores import find_scoped_stores

    found = find_scoped_stores(root)
    counting = [store for store in found if not store.left_out]
    if as_json:
        print_json({"stores": [_as_json(store) for store in found]})
    else:
        hint = [] if counting else ["No store counts here; `cuecard init` begins one."]
        print_lines([_line_of(store) for store in found] + hint)
    return 0 if counting else 1


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
