"""The command `export`: writes memories into one file, as a backup or to read."""

from ...basics.counted import counted
from ...basics.light_dataclass import dataclass
from ...errors import StoreError, UsageError, WriteError
from .. import terminal
from ..arguments import argument, command, option
from ..filters import FiltersGiven
from ..parameters import AS_JSON, ROOT
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.records.memory import Memory


@dataclass
class _ExportGiven(FiltersGiven):
    """The arguments and options of `cuecard export`."""

    file: str = argument("FILE", "The file to write; an earlier export is replaced, and no other file is.")
    markdown: bool = option("--markdown", help="Write a document to read, which cannot be imported.")
    scope: str = option(
        "--scope", metavar="SCOPE", default="project", help="The stores: project (the default), parent, user or all."
    )
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_ExportGiven)
def export(given: _ExportGiven) -> None:
    """Write memories into one file, as a backup that `cuecard import` reads, or to read.

    The file has one JSON object a line: a head, and each memory with its scope, category, id and whole record.
    `cuecard import FILE` writes them as they were, into this store or another one. Filters are those of `search`.
    """
    from ...store.backup.export import as_lines, as_markdown
    from ...store.trust.agent_text import name_of_file

    chosen, left = _choose(given)
    form = as_markdown if given.markdown else as_lines
    _refuse_other_file(given.file, is_markdown=given.markdown)
    data = "".join(form(chosen)).encode("utf-8", "replace")
    problem = _write(given.file, data)
    if given.as_json:
        terminal.print_json(
            {
                "file": given.file,
                "memories": len(chosen),
                "left": [name_of_file(path) for path in left],
                "bytes": len(data),
            }
        )
    else:
        count = counted(len(chosen), "memory", "memories")
        terminal.print_lines([f"{visible(given.file)} has {count}"])
    for path in left:
        terminal.report("warning", f"`{name_of_file(path)}` is left out: it is no memory", "`cuecard health` says why")
    if problem:
        terminal.report("warning", problem)


def _choose(given: _ExportGiven) -> "tuple[list[tuple[str, Memory]], list[str]]":
    """The memories that pass the filters, each with its scope, and the files that cannot be read."""
    from ...files.memory_files import list_records
    from ...retrieval.search_filters import passes, read_filters
    from ...store.records.store_reader import StoreReader
    from ..scope_choice import choose_stores

    filters = read_filters(given.options(["all"]))
    chosen: list[tuple[str, Memory]] = []
    left = []
    taken = set()
    stores = choose_stores(given.scope, given.root)
    if not stores:
        raise StoreError(f"no store of the scope `{given.scope}` counts here", "`cuecard stores` shows those that do")
    for scope, root in stores:
        store = StoreReader(root)
        memories = store.memories(status="all")
        known = {memory.path for memory in memories}
        left += [path for _category, path in list_records(store.memory_dir) if path not in known]
        # A worktree's own file hides the one of the checkout behind it.
        fresh = [memory for memory in memories if (scope, memory.path) not in taken]
        taken |= {(scope, memory.path) for memory in fresh}
        chosen += [(scope, memory) for memory in fresh if passes(memory, filters)]
    return chosen, left


def _refuse_other_file(path: str, *, is_markdown: bool) -> None:
    """Refuse to replace a file that is no export. Raises UsageError."""
    import os
    from pathlib import Path

    from ...store.backup.restore import is_export

    if Path(path).is_dir():
        raise UsageError(f"`{path}` is a folder", "name a file in it")
    if os.path.lexists(path) and (is_markdown or not is_export(path)):
        raise UsageError(f"there is a file `{path}` already, which is no export", "name another file, or remove it")


def _write(path: str, data: bytes) -> str:
    """Write the file. Returns why it may not survive a crash of the machine; "" if it will. Raises WriteError."""
    from ...files.atomic import replace

    try:
        return replace(path, data)
    except OSError as error:
        raise WriteError(f"`{path}` cannot be written: {error.strerror or error}", "name another file") from None
