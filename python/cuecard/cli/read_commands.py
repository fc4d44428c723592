"""The commands that read memories: `show` and `list`."""

from typing import Annotated

import typer

from . import show_memories, terminal
from .app import AsJson, Root, app
from .trust_marks import Marks
from .write_commands import Name


@app.command()
def show(memory: Name, root: Root = None, as_json: AsJson = False) -> None:
    """Show a memory, whatever its status, and the hash of its file."""
    from ..store.store import Store

    store = Store(root)
    found = store.show(memory)
    marks = Marks(store.memory_dir, [found])
    if as_json:
        terminal.print_json(marks.clean(found.as_dict()))
    else:
        show_memories.show_one(found, marks[found.path])


@app.command(name="list")
def list_memories(
    category: Annotated[
        str | None, typer.Option("--category", "-c", metavar="NAME", help="Only this category.")
    ] = None,
    status: Annotated[
        str, typer.Option("--status", metavar="NAME", help="`active`, `retired`, `archived` or `all`.")
    ] = "active",
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """List memories, read from their files."""
    from ..store.store import Store

    store = Store(root)
    memories = store.memories(category, status)
    marks = Marks(store.memory_dir, memories)
    if as_json:
        documents = [marks.clean(memory.as_dict()) for memory in memories]
        terminal.print_json({"root": store.root, "memories": documents})
        return
    show_memories.show_list(memories, marks)
    if not memories:
        hint = "`--status all` shows the others too" if status != "all" else ""
        terminal.report("note", "no memory fits", hint)
