"""Shows waiting drafts: as a list, in full with the result of accepting them, and after the user's decision."""

from ..._backend import engine, texts_in
from ...basics.counted import counted
from ...basics.memory_name import id_of_path
from ...cli import terminal
from ...files.trust_levels import UNREVIEWED
from ...store.intake.personal_data import describe_personal_data, find_personal_data
from ...store.trust.agent_text import View, write_title
from ..terminal import visible
from .show_similar import line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...api import Store
    from ...capture.inbox import WaitingDraft
    from ...capture.review import Decided
    from ...steer.waiting import InboxItem
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


def addresses_model(waiting: "WaitingDraft") -> bool:
    """Whether the text of a draft addresses the model, its tools or secrets."""
    return any(engine.instruction_signs(text) for text in texts_in([waiting.raw, waiting.source]))


def has_personal_data(waiting: "WaitingDraft") -> bool:
    """Whether a draft has personal data, so that the user must look at it."""
    return find_personal_data(waiting.raw) != []


def needs_a_look(waiting: "WaitingDraft") -> bool:
    """Whether `accept --all` leaves a draft for the user to read."""
    return addresses_model(waiting) or has_personal_data(waiting)


def notes_of(waiting: "WaitingDraft") -> list[str]:
    """What the user should know before accepting a draft."""
    found = find_personal_data(waiting.raw)
    personal = f"it has {describe_personal_data(found)}, which everybody gets who gets the project" if found else ""
    return [note for note in (waiting.note, personal) if note]


def show_list(items: "Sequence[InboxItem]", wrong: "Sequence[tuple[str, int]]", *, as_json: bool) -> None:
    """Print a line for each draft. `wrong` has the paths of memories that were wrong, and in how many sessions."""
    names = [(id_of_path(path), count) for path, count in wrong]
    if as_json:
        often_wrong = [{"memory": name, "sessions": count} for name, count in names]
        print_drafts([item.waiting for item in items], often_wrong=often_wrong)
        return
    terminal.print_lines([_line_of(item) for item in items])
    if items:
        count = counted(len(items), "draft waits", "drafts wait")
        hint = "`cuecard review show ID`, `edit ID`, `accept ID`, `reject ID`; `accept --all` accepts all of them"
        terminal.report("note", count, hint)
    else:
        terminal.report("note", "no draft waits")
    for name, sessions in names:
        hint = f"rewrite it, say when it holds, or take it out of recall with `cuecard retire {visible(name)}`"
        terminal.report("note", f"`{visible(name)}` was wrong in {sessions} sessions", hint)


def _line_of(item: "InboxItem") -> str:
    marks = ["vague"] if item.waiting.why else []
    marks += [] if item.can_be_accepted else ["cannot be accepted"]
    marks += ["expires soon"] if item.expires_soon else []
    marked = f" ({', '.join(marks)})" if marks else ""
    return f"{item.waiting.id}  {_title_of(item.waiting)}{marked}"


def print_drafts(drafts: "Sequence[WaitingDraft]", **more: object) -> None:
    """Print drafts in full as one JSON document, with further members."""
    terminal.print_json({"drafts": [_document(waiting) for waiting in drafts], **more})


def show_undo(ids: "Sequence[str]") -> None:
    """Say by which ids `cuecard undo` takes back what was done; "" stands for an action that has changed nothing."""
    ids = [name for name in ids if name]
    if len(ids) == 1:
        terminal.report("note", f"`cuecard undo {ids[0]}` takes it back")
    elif ids:
        terminal.report("note", "`cuecard undo ID` takes one of them back", details=ids)


def show_drafts(store: "Store", drafts: "Sequence[WaitingDraft]") -> None:
    """Print drafts in full, and the memory that each would become."""
    from ...capture.comparing.succession import describe
    from ...capture.review import find_similar_to, preview
    from ...steer.waiting import effect_of

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

    from ...capture.review import preview
    from ...steer.waiting import effect_of
    from ...steer.whole_text import shown
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
    signs = dict.fromkeys([sign for text in texts_in(waiting.raw) for sign in engine.instruction_signs(text)])
    lines += warnings_of(waiting.raw, tuple(signs))
    return ReviewItem(_title_of(waiting), lines, is_withheld=addresses_model(waiting))


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
