"""Accepts memories that a person has read page by page, and reports what was accepted (SPEC 45.8)."""

from ...basics.counted import counted
from ...cli import terminal
from ...errors import WriteError
from ..paged_review import choose_on_pages
from .show_memory_text import item_of_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...store.trust.review import Project, Reviewed

NOT_SHOWN = "the texts were not shown"
CONFIRM = "a person should confirm this; `cuecard trust --revoke ID` takes it back"


def accept_on_pages(project: "Project", found: "list[Reviewed]") -> "list[Reviewed]":
    """Show the whole text of each memory, and accept those that the person wants. Returns the accepted ones.

    A file that was changed after it was read is not accepted.
    """
    from ...store.trust.review import accept, split_changed

    # Withheld memories come last, each on a page of its own.
    found = sorted(found, key=lambda one: one.is_withheld)
    chosen = [found[place] for place in choose_on_pages([item_of_memory(one) for one in found], "memory", "memories")]
    accepted, changed = split_changed(project, chosen)
    keep(accept, accepted)
    for one in changed:
        what = f"`{one.memory.path}` was changed after it was shown, and is not accepted"
        terminal.report("warning", what, "`cuecard trust` shows its new text")
    terminal.report(
        "note", f"{counted(len(accepted), 'memory', 'memories')} accepted, {len(found) - len(accepted)} left unreviewed"
    )
    return accepted


def report_accepted(accepted: "list[Reviewed]", left: "list[Reviewed]", *, is_shown: bool) -> None:
    """Report what was accepted without questions, and which withheld memories were left."""
    done = f"{counted(len(accepted), 'memory', 'memories')} accepted"
    hint = CONFIRM if accepted and not terminal.is_person_watching() else ""
    terminal.report("note", done if is_shown else f"{done}; {NOT_SHOWN}", hint)
    if left:
        those = counted(len(left), "memory that addresses", "memories that address")
        what = f"{those} the model, its tools or secrets left unreviewed"
        hint = "`cuecard trust` in a terminal shows the text; `cuecard trust ID --yes` accepts one by its name"
        terminal.report("warning", what, hint)


def keep(change: "Callable[[list[Reviewed]], None]", chosen: "list[Reviewed]") -> None:
    """Store a decision on memories. Raises WriteError if that is impossible."""
    try:
        change(chosen)
    except OSError as error:
        what = f"trust cannot be saved: `{error.filename}`: {error.strerror or error}"
        raise WriteError(what, "set `CUECARD_HOME` to a folder that you can write to") from error
