"""The commands that read memories: `show` and `list`."""

from .. import terminal
from ..arguments import Option, command
from ..parameters import AS_JSON, NAME, ONLY_CATEGORY, ROOT
from ..show import show_memories
from ..show.trust_marks import Marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...settings.options import Category, Status


@command(NAME, ROOT, AS_JSON)
def show(memory: str, root: str | None, as_json: bool) -> None:
    """Show a memory, whatever its status, and the hash of its file."""
    from ...store.records.store_reader import StoreReader

    store = StoreReader(root)
    found = store.show(memory)
    marks = Marks(store.memory_dir, [found])
    if as_json:
        terminal.print_json(marks.clean(found.as_dict()))
    else:
        show_memories.show_one(found, marks[found.path])


@command(
    ONLY_CATEGORY,
    Option("--status", metavar="STATUS", default="active", help="`active`, `retired`, `archived` or `all`."),
    ROOT,
    AS_JSON,
)
def list_memories(category: "Category | None", status: "Status", root: str | None, as_json: bool) -> None:
    """List memories, read from their files."""
    from ...store.records.store_reader import StoreReader

    store = StoreReader(root)
    memories = store.memories(category, status)
    marks = Marks(store.memory_dir, memories)
    if as_json:
        documents = [marks.clean(marks.listed(memory.path, memory.as_dict())) for memory in memories]
        terminal.print_json({"root": store.root, "memories": documents})
        return
    show_memories.show_list(memories, marks)
    if not memories:
        hint = "`--status all` shows the others too" if status != "all" else ""
        terminal.report("note", "no memory matches", hint)
