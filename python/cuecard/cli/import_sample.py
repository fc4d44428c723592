"""Shows a person a sample of imported memories, strikes some of them out, and asks whether to vouch for the rest."""

from collections.abc import Iterable
from itertools import zip_longest

from ..basics.counted import counted
from . import terminal
from .paged_review import strike_on_pages
from .show.show_accepted import accept_on_pages, keep
from .show.show_memory_text import beginning_of_memory, item_of_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..api import Store
    from ..store.trust.review import Reviewed

# A person reads so many memories in a minute or two.
SAMPLE = 10
STRUCK = "struck out by the user who looked at the import"


def draw_sample(found: "Iterable[Reviewed]", count: int = SAMPLE) -> "list[Reviewed]":
    """At most `count` memories: of each category in turn, from as many files as possible, and spread over each file.

    Pointers come last, because they say only where to read.
    """
    by_kind: dict[str, list[Reviewed]] = {}
    pointers: list[Reviewed] = []
    for one in found:
        is_pointer = "pointer" in one.memory.extension
        (pointers if is_pointer else by_kind.setdefault(one.memory.category, [])).append(one)
    ordered = [_spread_over_files(ones) for ones in by_kind.values()]
    drawn = [one for turn in zip_longest(*ordered) for one in turn if one is not None]
    return [*drawn, *_spread_over_files(pointers)][:count]


def _spread_over_files(found: "list[Reviewed]") -> "list[Reviewed]":
    """Memories in another order: of each file in turn, those in the middle of it first."""
    by_file: dict[str, list[Reviewed]] = {}
    for one in found:
        source = one.memory.extension.get("source")
        path = source.get("path") if isinstance(source, dict) else ""
        by_file.setdefault(str(path), []).append(one)
    drawn: list[Reviewed] = []
    while by_file:
        for path, left in list(by_file.items()):
            drawn.append(left.pop(len(left) // 2))
            if not left:
                del by_file[path]
    return drawn


def review_import(store: "Store", unreviewed: "list[Reviewed]") -> int:
    """Show a sample, retire what the person strikes out, and accept what the person vouches for.

    What was shown whole and what was not are two questions. Each memory that is withheld from agents is shown on a page
    of its own, with the text for which it is withheld. Returns how many memories are left unreviewed.
    """
    withheld = [one for one in unreviewed if one.is_withheld]
    left = _review_open(store, [one for one in unreviewed if not one.is_withheld], len(unreviewed))
    return left + _review_withheld(store, withheld)


def _review_open(store: "Store", open_ones: "list[Reviewed]", count: int) -> int:
    """Review the memories that are not withheld, of `count` imported ones; return how many are left unreviewed."""
    from ..store.trust.review import accept, split_changed

    sample = draw_sample(open_ones)
    if not sample:
        return 0
    print_intro(len(sample), count)
    read, struck = strike_on_pages(
        [beginning_of_memory(one) for one in sample], [item_of_memory(one) for one in sample]
    )
    gone = [sample[place] for place in struck]
    for one in gone:
        store.retire(one.memory.path, reason=STRUCK, expect_hash=one.memory.hash)
    if gone:
        terminal.report(
            "note", f"{counted(len(gone), 'memory', 'memories')} struck out", "`cuecard restore MEMORY` brings one back"
        )
    known = [sample[place] for place in read if place not in struck]
    unseen = [one for one in open_ones if one not in known and one not in gone]
    chosen = []
    if known and terminal.confirm(f"Vouch for {_the(len(known))} that you have read?"):
        chosen += known
    if unseen and terminal.confirm(f"Vouch for {_the(len(unseen))} whose whole text was not shown, too?"):
        chosen += unseen
    accepted, changed = split_changed((store.root, store.memory_dir), chosen)
    keep(accept, accepted)
    if accepted:
        terminal.report("note", f"{counted(len(accepted), 'memory', 'memories')} accepted")
    for one in changed:
        what = f"`{one.memory.path}` was changed after it was read, and is not accepted"
        terminal.report("warning", what, "`cuecard trust` shows its new text")
    return len(open_ones) - len(gone) - len(accepted)


def _review_withheld(store: "Store", withheld: "list[Reviewed]") -> int:
    """Ask for each withheld memory, page by page; return how many are left unreviewed."""
    if not withheld:
        return 0
    those = counted(len(withheld), "memory is", "memories are")
    terminal.print_lines(["", f"{those} withheld from agents, because a text in it reads like an order to them:"])
    for one in withheld:
        terminal.print_lines([f"  {terminal.visible(one.memory.title)}: {', '.join(map(terminal.visible, one.signs))}"])
    if not terminal.confirm(f"Read {_the(len(withheld))} now, page by page?"):
        return len(withheld)
    return len(withheld) - len(accept_on_pages((store.root, store.memory_dir), withheld))


def print_intro(sample: int, count: int) -> None:
    """Say what the pages show."""
    what = "all of them" if sample == count else f"{sample} of them"
    terminal.print_lines(["", f"{counted(count, 'memory', 'memories')} imported. Look at {what}:"])


def _the(count: int) -> str:
    return "the memory" if count == 1 else f"the {count} memories"
