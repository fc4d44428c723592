"""Shows waiting drafts: as a list, in full with the result of accepting them, and after the user's decision."""

from ...actions.doubts import addresses_model, notes_of, signs_of_draft
from ...basics.counted import counted
from ...cli import terminal
from ...files.trust_levels import UNREVIEWED
from ...store.trust.agent_text import View, write_title
from ..terminal import visible
from .show_similar import line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...actions.waiting import InboxItem, OftenWrong
    from ...api import Store
    from ...capture.inbox import WaitingDraft
    from ...capture.review import Decided
    from ..paged_review import ReviewItem

WITHHELD = "withheld: its text addresses the model, its tools or secrets; `cuecard review` in a terminal shows it"
# The members of a draft that are shown before its content.
MEMBERS = (
    "tags",
    "questions",
    "evidence",
    "valid_from",
    "valid_until",
    "applies_to",
    "forbids",
    "related_files",
    "confidence",
)


def show_list(items: "Sequence[InboxItem]", wrong: "Sequence[OftenWrong]", *, as_json: bool) -> None:
    """Print a line for each draft, and name the memories that were often wrong."""
    if as_json:
        often_wrong = [one.as_dict() for one in wrong]
        print_drafts([item.waiting for item in items], often_wrong=often_wrong)
        return
    terminal.print_lines([_line_of(item) for item in items])
    if items:
        count = counted(len(items), "draft waits", "drafts wait")
        hint = "`cuecard review show ID`, `edit ID`, `accept ID`, `reject ID`; `accept --all` accepts all of them"
        terminal.report("note", count, hint)
    else:
        terminal.report("note", "no draft waits")
    for one in wrong:
        where = f" of the scope `{visible(one.scope)}`" if one.scope else ""
        terminal.report("note", f"`{visible(one.name)}`{where} was wrong in {one.sessions} sessions", visible(one.hint))


def _line_of(item: "InboxItem") -> str:
    marks = ["vague"] if item.waiting.why else []
    marks += [] if item.can_be_accepted else ["cannot be accepted"]
    marks += ["expires soon"] if item.expires_soon else []
    marked = f" ({', '.join(marks)})" if marks else ""
    return f"{item.waiting.id}  {_title_of(item.waiting)}{marked}"


def print_drafts(drafts: "Sequence[WaitingDraft]", **more: object) -> None:
    """Print drafts in full as one JSON document, with further members."""
    terminal.print_json({"drafts": [_document(waiting) for waiting in drafts], **more})


def show_undo(name: str) -> None:
    """Say by which id `cuecard undo` takes back what was done; "" stands for an action that has changed nothing."""
    if name:
        terminal.report("note", f"`cuecard undo {name}` takes it back")


def show_drafts(store: "Store", drafts: "Sequence[WaitingDraft]") -> None:
    """Print drafts in full, and the memory that each would become."""
    from ...actions.waiting import effect_of
    from ...capture.comparing.succession import describe
    from ...capture.review import find_similar_to, preview

    for waiting in drafts:
        lines = [f"{waiting.id}  {_title_of(waiting)}"]
        if not _is_hidden(waiting):
            outcome = preview(store, waiting)
            lines += [
                f"  if you accept it: {visible(effect_of(outcome))}",
                f"  from: {_place_of(waiting)}, {visible(waiting.at)}",
            ]
            lines += [f"  vague: {visible(waiting.why)}"] if waiting.why else []
            lines += [f"  note: {visible(note)}" for note in notes_of(waiting)]
            lines += [f"  {line}" for line in _lines_of(waiting)]
            lines += [f"  {visible(line_of(row))}" for row in describe(store, find_similar_to(store, waiting))]
        terminal.print_lines(lines)


def item_of_draft(store: "Store", waiting: "WaitingDraft") -> "ReviewItem":
    """A draft as the pages of a review show it: what accepting it would do, and everything that it says."""
    from rich.text import Text

    from ...actions.waiting import effect_of
    from ...actions.whole_text import shown
    from ...capture.review import preview
    from ..paged_review import ReviewItem
    from .show_memory_text import lines_of_value, warnings_of

    lines = [
        Text.assemble((_title_of(waiting), "bold")),
        Text(f"{waiting.id}  from: {_place_of(waiting)}, {visible(waiting.at)}", "dim"),
        Text.assemble(("if you accept it: ", "cyan"), shown(effect_of(preview(store, waiting)))),
    ]
    lines += [Text.assemble(("vague: ", "yellow"), shown(waiting.why))] if waiting.why else []
    lines += [Text.assemble(("note: ", "yellow"), shown(note)) for note in notes_of(waiting)]
    partial = _partial_of(waiting)
    lines += lines_of_value({name: value for name, value in waiting.raw.items() if value is not partial})
    lines += lines_of_value(partial)
    signs = tuple([sign for sign, _sentence in signs_of_draft(waiting)])
    lines += warnings_of(waiting.raw, signs)
    return ReviewItem(_title_of(waiting), lines, is_withheld=bool(signs))


def show_decided(decided: "Sequence[Decided]", passed: "Sequence[WaitingDraft]") -> None:
    """Print the outcome of each draft that was decided on, and warn about drafts that `--all` has skipped."""
    for one in decided:
        outcome = one.outcome
        where = visible(outcome.target) if outcome.target else _title_of(one.waiting)
        terminal.print_lines([f"{outcome.status if one.is_discarded else 'waits'}  {where}"])
        for note in outcome.notes:
            terminal.report("note", note)
        if outcome.status == "waiting":
            terminal.report("note", outcome.why)
        elif not one.is_discarded:
            problem = outcome.error.what if outcome.error else outcome.why
            hint = f"`cuecard review edit {one.waiting.id}` corrects it, and `reject` takes it out of the inbox"
            terminal.report("error", problem, hint)
    for waiting in passed:
        hint = f"read it: `cuecard review show {waiting.id}`; `cuecard review accept {waiting.id}` accepts it"
        what = "addresses the model, its tools or secrets" if addresses_model(waiting) else "has personal data"
        terminal.report("warning", f"`{waiting.id}` {what}, and still waits", hint)
    if not decided and not passed:
        terminal.report("note", "no draft waits")


def _is_hidden(waiting: "WaitingDraft") -> bool:
    """Whether the text of a draft must not be printed, because the reader may be an agent (a pipe)."""
    return not terminal.is_person_watching() and addresses_model(waiting)


def _document(waiting: "WaitingDraft") -> dict[str, object]:
    if _is_hidden(waiting):
        return {"id": waiting.id, "at": waiting.at, "trust": UNREVIEWED, "withheld": WITHHELD}
    return {"id": waiting.id, "trust": UNREVIEWED, **waiting.as_dict()}


def _title_of(waiting: "WaitingDraft") -> str:
    if _is_hidden(waiting):
        return f"({WITHHELD})"
    partial = _partial_of(waiting)
    title = partial.get("title") or waiting.raw.get("new_info_summary")
    words = visible(f"{waiting.raw.get('action')} {waiting.raw.get('category')}: {title}")
    # The user has not accepted the draft yet, and the heading of a list says so to a person.
    return words if terminal.is_person_watching() else write_title(words, View(UNREVIEWED, is_withheld=False))


def _place_of(waiting: "WaitingDraft") -> str:
    names = ("path", "heading", "session")
    return visible("#".join([str(waiting.source[name]) for name in names if waiting.source.get(name)]) or "no source")


def _partial_of(waiting: "WaitingDraft") -> dict[str, object]:
    partial = waiting.raw.get("partial_content")
    return partial if isinstance(partial, dict) else {}


def _lines_of(waiting: "WaitingDraft") -> list[str]:
    """A line for each member of a draft and of its content."""
    partial = _partial_of(waiting)
    content = partial.get("content")
    pairs = [(name, partial[name]) for name in MEMBERS if partial.get(name)]
    pairs += list(content.items()) if isinstance(content, dict) else []
    return [visible(f"{name}: {_told(value)}") for name, value in pairs]


def _told(value: object) -> str:
    """A value as text; the items of a list are separated by semicolons."""
    if isinstance(value, list):
        return "; ".join([_told(item) for item in value])
    if isinstance(value, dict):
        return ", ".join([f"{name} {_told(item)}" for name, item in value.items()])
    return str(value)
