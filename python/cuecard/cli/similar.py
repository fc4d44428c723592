"""Handles existing memories that are similar to a new memory: a person is asked, for a program an option decides."""

from ..errors import InputError
from . import terminal
from .show import show_written
from .show.show_similar import line_of
from .show.show_written import path_from_here
from .show.trust_marks import WITHHELD
from .terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..api import Store
    from ..basics.options import Category, WriteTrust
    from ..capture.comparing.neighbours import Neighbour
    from ..capture.inbox import WaitingDraft
    from ..capture.review import Decide
    from ..store.records.record_file import Fields

# The verdicts from which a person chooses: the relation of the new memory to the existing one.
SAME, UPDATES, _CONTRADICTS, UNRELATED = VERDICTS = ("same", "updates", "contradicts", "unrelated")
CHOICES = ", ".join(VERDICTS)


def add_beside_similar(
    store: "Store",
    record: "Fields",
    category: "Category | None",
    on_similar: str | None,
    trust: "WriteTrust",
    as_json: bool,
) -> None:
    """Write a new memory and print the result; `on_similar` is None if no policy for similar memories is given.

    `trust` says where the text comes from.
    """
    from ..capture.comparing.succession import choose, describe, find_similar, refusal, resolve_relations
    from ..capture.merging import write_related
    from ..capture.said import with_true_evidence

    confirm_personal_data(store.memory_dir, record, as_json=as_json)
    if trust != "own":
        record = with_true_evidence(store.memory_dir, record)
    similar = find_similar(store, record, category)
    rows = describe(store, similar)
    if similar and on_similar == "fail":
        raise refusal(similar)
    if similar and on_similar == "skip":
        if as_json:
            terminal.print_json({"status": "skipped", "similar": rows})
        else:
            terminal.print_lines([f"skipped  similar to {visible(path_from_here(store.root, similar[0].memory.path))}"])
            _report(rows)
        return
    is_asked = on_similar is None and terminal.is_person_typing() and not as_json
    relations = choose(similar, on_similar or "add")
    if is_asked:
        relations = resolve_relations(store, ask_verdicts(similar, rows))
    written = write_related(store, record, category, relations, trust)
    if as_json:
        terminal.print_json({**written.as_dict(), "similar": rows})
        return
    show_written.show(written, store.root, as_json=False)
    if not is_asked:
        _report(rows)


def confirm_personal_data(memory_dir: str, fields: "Fields", *, as_json: bool) -> None:
    """Ask whether personal data may be written. Raises `InputError` if the answer is no, or if nobody can be asked."""
    from ..store.intake.personal_data import describe_personal_data, find_in_shared

    found = find_in_shared(memory_dir, fields)
    if not found:
        return
    what = f"it has {describe_personal_data(found)}, which everybody gets who gets the project"
    if terminal.is_typed_by_user() and terminal.is_person_typing() and not as_json:
        terminal.report("warning", what)
        if terminal.confirm("Write it all the same?"):
            return
    hint = "leave it out, or run the command on a terminal, which asks"
    raise InputError(what, hint, field=found[0].field, expected="no data of a person", found=found[0].kind)


def decide_by(store: "Store", on_similar: str | None, *, as_json: bool) -> "Decide":
    """A function that decides the relations of an accepted draft to similar memories.

    `on_similar` is the policy, as for `cuecard add`.
    """
    from ..capture.comparing.succession import choose, describe, refusal

    def decide(waiting: "WaitingDraft", similar: "list[Neighbour]") -> "Sequence[tuple[str, str]] | None":
        if on_similar == "fail":
            raise refusal(similar)
        if on_similar == "skip":
            return None
        rows = describe(store, similar)
        if on_similar is None and terminal.is_person_typing() and not as_json:
            partial = waiting.raw.get("partial_content")
            title = partial.get("title") if isinstance(partial, dict) else ""
            terminal.report("note", f"`{waiting.id}` {visible(str(title))}")
            return ask_verdicts(similar, rows)
        if not as_json:
            _report(rows)
        relations = choose(similar, on_similar or "add")
        replaced = {memory.path for memory in relations.updates}
        paths = [neighbour.memory.path for neighbour in similar]
        return [(path, UPDATES if path in replaced else UNRELATED) for path in paths]

    return decide


def ask_verdicts(similar: "Sequence[Neighbour]", rows: "list[Fields]") -> list[tuple[str, str]]:
    """Ask a person for the relation of the new memory to each similar memory. Returns pairs of path and verdict."""
    verdicts: list[tuple[str, str]] = []
    for neighbour, row in zip(similar, rows, strict=True):
        excerpt = str(row.get("excerpt", WITHHELD))
        terminal.report("note", line_of(row), details=[excerpt] if excerpt else [])
        verdict = ""
        while verdict not in VERDICTS or (verdict == SAME and SAME in dict(verdicts).values()):
            verdict = terminal.ask(f"What is the new memory to it ({CHOICES})", UNRELATED).lower()
        verdicts.append((neighbour.memory.path, verdict))
    return verdicts


def _report(rows: "list[Fields]") -> None:
    for row in rows:
        terminal.report("note", line_of(row))
