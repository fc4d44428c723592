"""What `cuecard add` does where memories that are there are similar to the new one: ask, or do what it was told."""

from . import terminal
from .show import show_written
from .show.trust_marks import WITHHELD
from .terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..api import Store
    from ..capture.neighbours import Neighbour
    from ..capture.succession import Relations
    from ..settings.options import Category
    from ..store.records.record_file import Fields

# The verdicts as a person chooses one: what the new memory is to the one that is there.
CHOICES = "same, updates, contradicts, unrelated"


def add_beside_similar(
    store: "Store", record: "Fields", category: "Category | None", on_similar: str | None, as_json: bool
) -> None:
    """Write a new memory and print what was done; `on_similar` is None where nobody has decided."""
    from ..capture.succession import choose, describe, find_similar, refusal, write

    similar = find_similar(store, record, category)
    rows = describe(store, similar)
    if similar and on_similar == "fail":
        raise refusal(similar)
    if similar and on_similar == "skip":
        if as_json:
            terminal.print_json({"status": "skipped", "similar": rows})
        else:
            terminal.print_lines([f"skipped  similar to {visible(similar[0].memory.path)}"])
            _report(rows)
        return
    is_asked = on_similar is None and terminal.is_person_typing() and not as_json
    relations = _ask(store, similar, rows) if is_asked else choose(similar, on_similar or "add")
    written = write(store, record, category, relations)
    if as_json:
        terminal.print_json({**written.as_dict(), "similar": rows})
        return
    show_written.show(written, as_json=False)
    if not is_asked:
        _report(rows)


def _ask(store: "Store", similar: "Sequence[Neighbour]", rows: "list[Fields]") -> "Relations":
    """What a person says the new memory is to each similar one."""
    from ..capture.succession import SAME, UNRELATED, VERDICTS, resolve_relations

    verdicts: list[tuple[str, str]] = []
    for neighbour, row in zip(similar, rows, strict=True):
        terminal.report("note", _line(row), details=[str(row.get("excerpt", WITHHELD))])
        verdict = ""
        while verdict not in VERDICTS or (verdict == SAME and SAME in dict(verdicts).values()):
            verdict = terminal.ask(f"What is the new memory to it ({CHOICES})", UNRELATED).lower()
        verdicts.append((neighbour.memory.path, verdict))
    return resolve_relations(store, verdicts)


def _report(rows: "list[Fields]") -> None:
    for row in rows:
        terminal.report("note", _line(row))


def _line(row: "Fields") -> str:
    title = f' "{row["title"]}"' if "title" in row else ""
    dated = f" of {row['date']}" if row["date"] else ""
    return f"similar ({row['similarity']:.2f}): `{row['id']}`{title}{dated}: {row['reason']}"
