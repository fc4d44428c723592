"""The commands that read memories: `show` and `list`."""

from ...errors import CuecardError
from ...files.trust_levels import past_levels_of
from .. import terminal
from ..arguments import command, option
from ..parameters import AS_JSON, NAME, ONLY_CATEGORY, ROOT, SCOPE
from ..show import show_memories
from ..show.trust_marks import Marks, View
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import Category, Status
    from ...files.scopes import ScopedStore
    from ...store.records.memory import Memory


@command(NAME, ROOT, SCOPE, AS_JSON)
def show(memory: str, root: str | None, scope: str | None, as_json: bool) -> None:
    """Show a memory, whatever its status, and the hash of its file.

    The memory is looked for in the nearest store, then in the others that count.
    """
    from ...store.records.memory import read_memory
    from ...store.scopes.scope_choice import root_of_scope
    from ...store.scopes.scoped_stores import find_counting_stores, find_in_stores

    stores = find_counting_stores(root_of_scope(root, scope))
    store, category, path = find_in_stores(stores, memory)
    found = read_memory(store.root, store.memory_dir, category, path)
    marks = Marks(store.memory_dir, [found])
    if as_json:
        terminal.print_json(marks.clean({**found.as_dict(), **_scope_of(store)}))
    else:
        show_memories.show_one(found, marks[found.path])
        terminal.print_lines([f"scope: {store.label}"] if store.label else [])
        _show_conflicts_of_teams(stores, store, found)
        _tell_of_earlier_version(store, found, marks[found.path])


@command(
    ONLY_CATEGORY,
    option("--status", metavar="STATUS", default="active", help="`active`, `retired`, `archived` or `all`."),
    ROOT,
    SCOPE,
    AS_JSON,
)
def list_memories(
    category: "Category | None", status: "Status", root: str | None, scope: str | None, as_json: bool
) -> None:
    """List memories, read from their files.

    Those of the nearest store come first. What a worktree has at the same path as its main checkout is read from the
    worktree.
    """
    from ...store.records.store_reader import STATUSES, StoreReader, check_choice
    from ...store.scopes.scope_choice import root_of_scope
    from ...store.scopes.scoped_stores import find_counting_stores

    check_choice("status", status, STATUSES)
    documents: list[object] = []
    count = 0
    stores = find_counting_stores(root_of_scope(root, scope))
    hidden: set[str] = set()
    for store in stores[:1] if scope else stores:
        every = StoreReader(store.root).memories(category, "all")
        memories = [one for one in every if status in ("all", one.status)]
        if store.is_counterpart:
            memories = [one for one in memories if one.path not in hidden]
        hidden = {one.path for one in every}
        marks = Marks(store.memory_dir, memories)
        count += len(memories)
        for memory in memories if as_json else ():
            listed = marks.clean(marks.listed(memory.path, memory.as_dict()))
            documents.append({**listed, **_scope_of(store)} if isinstance(listed, dict) else listed)
        if not as_json:
            terminal.print_lines(["", f"scope: {store.label}"] if store.label and memories else [])
            show_memories.show_list(memories, marks)
    if as_json:
        terminal.print_json({"root": stores[0].root, "memories": documents})
    elif not count:
        hint = "`--status all` shows the others too" if status != "all" else ""
        terminal.report("note", "no memory matches", hint)


def _tell_of_earlier_version(store: "ScopedStore", memory: "Memory", view: View) -> None:
    if not view.is_unreviewed:
        return
    from ..._backend import engine
    from ..show.show_trust import PAST

    trust_hash = engine.trust_hash(memory.data)
    if trust_hash and past_levels_of(store.memory_dir, [trust_hash]):
        name = visible(memory.id)
        terminal.report("note", f"`{name}` is {PAST}", f"`cuecard trust {name}` accepts it, on this branch too")


def _show_conflicts_of_teams(stores: "list[ScopedStore]", store: "ScopedStore", memory: "Memory") -> None:
    """Show that a team has two values for a field of a memory that was shared with it from here."""
    from ...files.scopes import TEAM

    packs = [one for one in stores if one.scope == TEAM]
    if not packs or store.scope == TEAM:
        return
    from ...store.records.memory import read_memory
    from ...sync.team_status import find_shared_path

    for pack in packs:
        try:
            path = find_shared_path(pack.name, store.root, memory.path)
            theirs = (
                read_memory(pack.root, pack.memory_dir, memory.category, f".claude/memory/{path}") if path else None
            )
        except CuecardError:
            continue
        if theirs is not None:
            show_memories.show_conflicts_of_team(pack.name, theirs, Marks(pack.memory_dir, [theirs])[theirs.path])


def _scope_of(store: "ScopedStore") -> dict[str, str]:
    return {"scope": store.label} if store.label else {}
