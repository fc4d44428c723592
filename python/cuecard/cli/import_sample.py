"""Shows a person a sample of imported memories, strikes some of them out, and asks who vouches for the rest."""

from collections.abc import Iterable

from ..basics.counted import counted
from . import terminal
from .paged_review import strike_on_pages
from .show.show_accepted import keep
from .show.show_memory_text import item_of_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..api import Store
    from ..store.trust.review import Reviewed

# A person reads so many memories in a minute or two.
SAMPLE = 10
STRUCK = "struck out by the user who looked at the import"


def draw_sample(found: "Iterable[Reviewed]", count: int = SAMPLE) -> "list[Reviewed]":
    """At most `count` memories, from as many files of the sources as possible, and spread over each file."""
    by_file: dict[str, list[Reviewed]] = {}
    for one in found:
        source = one.memory.extension.get("source")
        path = source.get("path") if isinstance(source, dict) else ""
        by_file.setdefault(str(path), []).append(one)
    drawn: list[Reviewed] = []
    while by_file and len(drawn) < count:
        for path, left in list(by_file.items())[: count - len(drawn)]:
            drawn.append(left.pop(len(left) // 2))
            if not left:
                del by_file[path]
    return drawn


def review_import(store: "Store", unreviewed: "list[Reviewed]") -> int:
    """Show a sample, retire what the person strikes out, and accept what the person vouches for.

    What was shown and what was not are two questions. A memory that is withheld from agents is never accepted here.
    Returns how many memories are left unreviewed.
    """
    from ..store.trust.review import accept, split_changed

    project = store.root, store.memory_dir
    open_ones = [one for one in unreviewed if not one.is_withheld]
    sample = draw_sample(open_ones)
    if not sample:
        return len(unreviewed)
    print_intro(len(sample), len(unreviewed))
    shown, struck = strike_on_pages([item_of_memory(one) for one in sample])
    gone = [sample[place] for place in struck]
    for one in gone:
        store.retire(one.memory.path, reason=STRUCK, expect_hash=one.memory.hash)
    if gone:
        terminal.report(
            "note", f"{counted(len(gone), 'memory', 'memories')} struck out", "`cuecard restore MEMORY` brings one back"
        )
    read = [sample[place] for place in shown if place not in struck]
    unseen = [one for one in open_ones if one not in read and one not in gone]
    chosen = []
    if read and terminal.confirm(f"Vouch for {_the(len(read))} that you have read?"):
        chosen += read
    if unseen and terminal.confirm(f"Vouch for {_the(len(unseen))} whose text was not shown, too?"):
        chosen += unseen
    accepted, changed = split_changed(project, chosen)
    keep(accept, accepted)
    if accepted:
        terminal.report("note", f"{counted(len(accepted), 'memory', 'memories')} accepted")
    for one in changed:
        what = f"`{one.memory.path}` was changed after it was read, and is not accepted"
        terminal.report("warning", what, "`cuecard trust` shows its new text")
    return len(unreviewed) - len(gone) - len(accepted)


def print_intro(sample: int, count: int) -> None:
    """Say what the pages show."""
    what = "all of them" if sample == count else f"{sample} of them"
    terminal.print_lines(["", f"{counted(count, 'memory', 'memories')} imported. Look at {what}:"])


def _the(count: int) -> str:
    return "the memory" if count == 1 else f"the {count} memories"
