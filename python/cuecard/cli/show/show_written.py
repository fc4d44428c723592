"""Shows the result of a write: one line with notes on standard error, or a document for programs."""

from ...cli import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.writes.written import Written


def show(written: "Written", as_json: bool) -> None:
    """Print the result of a write."""
    if as_json:
        terminal.print_json(written.as_dict())
        return
    terminal.print_lines([f"{written.status.replace('_', ' ')}  {visible(written.target)}"])
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
