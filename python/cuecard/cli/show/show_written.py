"""Shows the result of a write: one line with notes on standard error, or a document for programs."""

from pathlib import Path

from ...cli import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.writes.written import Written


def path_from_here(root: str, path: str) -> str:
    """The path of a memory's file as the working directory reaches it: absolute if it lies in another project."""
    here, store = Path.cwd().resolve(), Path(root).resolve()
    if not here.is_relative_to(store):
        return str(Path(root, path))
    return "/".join([*[".."] * len(here.relative_to(store).parts), path])


def show(written: "Written", root: str, as_json: bool) -> None:
    """Print the result of a write into the store of the project at `root`."""
    if as_json:
        terminal.print_json(written.as_dict())
        return
    terminal.print_lines([f"{written.status.replace('_', ' ')}  {visible(path_from_here(root, written.target))}"])
    if written.renamed_from:
        terminal.report("note", f"renamed from `{written.renamed_from}` to match the new title")
    for fix in written.fixes:
        terminal.report("note", f"`{fix.field}` {fix.what}")
    for found in written.redactions:
        times = "" if found.count == 1 else f" ({found.count} times)"
        terminal.report("warning", f"a secret ({found.kind}) in `{found.field}` was replaced{times}")
    for warning in written.warnings:
        terminal.report("warning", warning)
    if written.superseded:
        names = ", ".join([f"`{visible(name)}`" for name in written.superseded])
        terminal.report("note", f"superseded and retired: {names}")
    if written.retired:
        names = ", ".join([f"`{name}`" for name in written.retired])
        terminal.report("note", f"older session summaries retired: {names}")
