"""Shows a person what imported rules forbid according to the import, and removes what the person strikes out."""

from ..basics.counted import counted
from . import terminal
from .paged_review import ReviewItem, strike_on_pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..api import Store
    from ..store.trust.review import Reviewed

MAX_SHOWN = 10
SUMMARY = "what it forbids was corrected by the user who looked at the import"


def forbids_of(found: "list[Reviewed]") -> "list[tuple[Reviewed, str]]":
    """Each entry of `forbids` with its memory. What a withheld memory forbids is shown with its text, by `trust`."""
    return [
        (one, entry)
        for one in found
        if not one.is_withheld and isinstance(entries := one.memory.extension.get("forbids"), list)
        for entry in entries
        if isinstance(entry, str)
    ]


def strike_forbids(store: "Store", found: "list[Reviewed]") -> None:
    """Ask which entries are wrong, and remove those from their memories."""
    from rich.text import Text

    from ..actions.whole_text import shown

    rows = forbids_of(found)
    if not rows:
        return
    terminal.print_lines(["", "An agent that adds or runs one of these is told that the project forbids it:"])
    items = [
        ReviewItem(entry, [Text(shown(entry)), Text(f"   {shown(one.memory.title)}", "dim")]) for one, entry in rows
    ]
    _shown, struck = strike_on_pages(items, noun="entry")
    gone: dict[str, list[str]] = {}
    for place in struck:
        gone.setdefault(rows[place][0].memory.path, []).append(rows[place][1])
    for one in found:
        wrong = gone.get(one.memory.path)
        if wrong:
            kept = [entry for entry in one.memory.extension["forbids"] if entry not in wrong]
            patch = {"cuecard": {"forbids": kept or None}}
            store.update(one.memory.path, patch, expect_hash=one.memory.hash, summary=SUMMARY)
    if struck:
        terminal.report("note", f"{counted(len(struck), 'entry', 'entries')} struck out")


def tell_forbids(found: "list[Reviewed]") -> None:
    """Name what imported rules forbid, where nobody can be asked."""
    rows = forbids_of(found)
    if not rows:
        return
    named = ", ".join([f"`{terminal.visible(entry)}`" for _one, entry in rows[:MAX_SHOWN]])
    more = f" and {len(rows) - MAX_SHOWN} more" if len(rows) > MAX_SHOWN else ""
    rules = counted(len({one.memory.path for one, _entry in rows}), "rule forbids", "rules forbid")
    hint = 'correct a wrong one: `cuecard update MEMORY` with {"cuecard": {"forbids": [...]}}'
    terminal.report("note", f"according to the import, {rules} {named}{more}", hint)
