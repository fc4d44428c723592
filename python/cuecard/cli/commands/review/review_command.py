"""The command with which a user decides on waiting drafts: `review`."""

from ....actions.doubts import addresses_model, needs_a_look
from ....basics.counted import counted
from ....basics.light_dataclass import dataclass
from ....capture.comparing.relations import read_relations
from ....capture.draft import HINT, MAX_INPUT_BYTES
from ....capture.inbox import find_waiting, read_inbox
from ....errors import CuecardError, UsageError
from ....store.records.record_file import decode, decode_any
from ... import terminal
from ...arguments import argument, command, option
from ...parameters import AS_JSON, ROOT
from ...show import show_review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....api import Store
    from ....capture.inbox import WaitingDraft
    from ....capture.review import Decided

UNSEEN = "the drafts were not shown before they were accepted"
CONFIRM = "a person should confirm this; `cuecard undo` takes it back"
ACTIONS = ("list", "show", "edit", "accept", "reject")


@dataclass
class _ReviewGiven:
    """The arguments and options of `cuecard review`."""

    action: str | None = argument("ACTION", "list (the default), show, edit, accept or reject.", is_required=False)
    ids: list[str] = argument(
        "ID", "A draft, or the beginning of its id.", dest="ids", is_required=False, is_repeatable=True
    )
    all_: bool = option("--all", dest="all_", help="Accept or reject every draft that waits.")
    file: str | None = option(
        "--file", "-f", metavar="FILE", help="Take the edited draft from a file; `-` is standard input."
    )
    on_similar: str | None = option(
        "--on-similar",
        metavar="WHAT",
        help="What to do if a similar memory exists: add, skip, update (supersede it) or fail; by default a terminal "
        "asks, and without a terminal it is `add`.",
    )
    relations: str | None = option(
        "--relations",
        metavar="JSON",
        help="The relations of the accepted draft to similar memories: a list of {id, verdict}.",
    )
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_ReviewGiven)
def review(given: _ReviewGiven) -> int:
    """List the drafts that wait for you; show, edit, accept and reject them.

    Three kinds of drafts wait, outside of the project: drafts that an agent made from documents, drafts that a model
    made in the background, and vague drafts. They have no effect until you accept them; then each becomes a memory. If
    a draft is similar to existing memories, you choose its relation to each. A rejected draft is remembered, and does
    not wait again. What you accept, reject or edit has an id, and `cuecard undo ID` takes it back. In a terminal,
    `accept` shows everything that a draft says, page by page, and asks. Elsewhere it accepts drafts unseen, and
    `accept --all` skips those whose text addresses the model, its tools or secrets.

    Drafts that can be accepted are listed first. The list also names the memories that were wrong in three sessions or
    more. In a terminal, `cuecard review` alone opens the inbox on the whole screen where the extra `viewer` is
    installed; `cuecard review list` always prints the list.
    """
    from dataclasses import replace

    from ....api import Store
    from ....capture.comparing.succession import ON_SIMILAR

    is_open = given.action is None and not given.as_json
    given.action = given.action or "list"
    if (given.on_similar or given.relations) and given.action != "accept":
        raise UsageError("`--on-similar` and `--relations` only work with `accept`", "leave out both options")
    if given.on_similar is not None and given.on_similar not in ON_SIMILAR:
        raise UsageError(
            f"unknown policy `{given.on_similar[:40]}`", f"use {', '.join([f'`{w}`' for w in ON_SIMILAR])}"
        )
    if given.relations is not None and (len(given.ids) != 1 or given.on_similar):
        raise UsageError("`--relations` needs exactly one draft", "name one id, without `--on-similar`")
    if given.action not in ACTIONS:
        raise UsageError(f"unknown action `{given.action[:40]}`", f"use {', '.join([f'`{name}`' for name in ACTIONS])}")
    if given.all_ and (given.ids or given.action not in ("accept", "reject")):
        raise UsageError(
            "`--all` only works with `accept` or `reject` and without ids", "leave out `--all`, or the ids"
        )
    if given.action != "list" and not given.ids and not given.all_:
        raise UsageError(f"there is no draft to {given.action}", "name it by its id, or add `--all`")
    if given.action == "edit" and len(given.ids) > 1:
        raise UsageError("several drafts are named", "edit one draft at a time")
    from ....store.scopes.scope_choice import not_users_own

    store = Store(not_users_own(given.root), create=True)
    if is_open and terminal.is_person_present() and terminal.is_typed_by_user() and _browse(store):
        return 0
    if given.action == "list":
        return _list(store, given.ids, as_json=given.as_json)
    chosen = _choose(store, given.ids)
    if given.action == "show":
        if given.as_json:
            show_review.print_drafts(chosen)
        else:
            show_review.show_drafts(store, chosen)
        return 0
    if given.action == "edit":
        return _edit(store, chosen[0], given.file, as_json=given.as_json)
    if given.action == "reject":
        return _reject(store, chosen, as_json=given.as_json)
    is_empty = not chosen
    relations, hashes = None, {waiting.id: waiting.text_hash for waiting in chosen}
    if given.relations is not None:
        relations = _read_relations(given.relations)
        chosen = [replace(chosen[0], raw={**chosen[0].raw, "relations": relations})]
    if terminal.is_person_present() and not given.as_json:
        chosen, passed = _read(store, chosen), []
    else:
        passed = [] if given.ids else [waiting for waiting in chosen if needs_a_look(waiting)]
        chosen = [waiting for waiting in chosen if waiting not in passed]
    from ....actions.person_actions import accept
    from ...similar import decide_by

    if not (chosen or passed or is_empty or given.as_json):
        # The person was shown the drafts and left all of them, which was said.
        return 0
    decide = decide_by(store, given.on_similar, as_json=given.as_json)
    decided = accept(store, [(waiting.id, hashes[waiting.id]) for waiting in chosen], decide, relations)
    return _tell_accepted(store, decided, passed, as_json=given.as_json)


def _browse(store: "Store") -> bool:
    """Open the inbox on the whole screen; False if that is not installed."""
    from ....viewer.screen import open_screen

    if not open_screen.is_installed():
        return False
    open_screen.browse(store, is_inbox=True)
    return True


def _list(store: "Store", ids: list[str], *, as_json: bool) -> int:
    from ....actions.waiting import clear_expired, proposals, read_waiting_items

    clear_expired(store)
    chosen = {waiting.id for waiting in _choose(store, ids)}
    items = [item for item in read_waiting_items(store) if item.waiting.id in chosen]
    show_review.show_list(items, proposals(store), as_json=as_json)
    return 0


def _choose(store: "Store", ids: list[str]) -> "list[WaitingDraft]":
    """The drafts with these ids, each once; without ids all waiting drafts. Raises MissingError for an unknown id."""
    if not ids:
        return read_inbox(store.memory_dir)
    return list({(found := find_waiting(store.memory_dir, name)).id: found for name in ids}.values())


def _read(store: "Store", drafts: "list[WaitingDraft]") -> "list[WaitingDraft]":
    """Show drafts page by page, with all that they say. Returns the drafts that the person accepts."""
    from ...paged_review import choose_on_pages

    # Drafts that address the model come last, each on a page of its own.
    drafts = sorted(drafts, key=addresses_model)
    places = choose_on_pages([show_review.item_of_draft(store, waiting) for waiting in drafts], "draft", "drafts")
    left = len(drafts) - len(places)
    if left:
        terminal.report("note", counted(left, "draft still waits", "drafts still wait"))
    return [drafts[place] for place in places]


def _tell_accepted(store: "Store", decided: "list[Decided]", passed: "list[WaitingDraft]", *, as_json: bool) -> int:
    from ....actions.person_actions import operation_of

    done = operation_of([one.waiting.id for one in decided if one.is_discarded], store)
    is_unseen = any(one.is_discarded for one in decided) and (as_json or not terminal.is_person_present())
    if as_json:
        note = {"note": f"{UNSEEN}; {CONFIRM}"} if is_unseen else {}
        drafts = [one.as_dict() for one in decided]
        terminal.print_json({"drafts": drafts, "passed_over": [one.id for one in passed], "undo": done or None, **note})
    else:
        show_review.show_decided(decided, passed)
        show_review.show_undo(done)
        if is_unseen:
            terminal.report("note", UNSEEN, CONFIRM if not terminal.is_person_watching() else "")
    is_left = [not one.is_discarded and one.outcome.status != "waiting" for one in decided]
    return 1 if any(is_left) else 0


def _read_relations(relations: str) -> list[dict[str, str]]:
    """The relations given as JSON text. Raises InputError or ValidationError for malformed ones."""
    return [
        {"id": name, "verdict": verdict}
        for name, verdict in read_relations(decode_any(relations.encode(), "`--relations`"))
    ]


def _reject(store: "Store", gone: "list[WaitingDraft]", *, as_json: bool) -> int:
    from ....actions.person_actions import reject

    # `reject --all` also takes drafts that address the model out of the inbox: nobody needs to read them for that.
    done = reject(store, [one.id for one in gone]) if gone else None
    left = {one.id for one in _choose(store, [])} if done and done.problem else set()
    ids = [one.id for one in gone if one.id not in left]
    if as_json:
        terminal.print_json({"rejected": ids, "undo": [done.id] if done else []})
    else:
        terminal.print_lines([f"rejected  {name}" for name in ids])
        show_review.show_undo(done.id if done else "")
    if done and done.problem:
        terminal.report("error", done.problem)
    return 1 if left else 0


def _edit(store: "Store", waiting: "WaitingDraft", file: str | None, *, as_json: bool) -> int:
    """Replace a draft by the text that the user has edited. If the text is refused, the user finds it in its file."""
    import json

    from ....actions.person_actions import edit
    from ...editor import edit_text
    from ...text_input import read_json_input

    if file is not None:
        data = read_json_input(file, MAX_INPUT_BYTES, "is no draft", HINT)
        changed, done = edit(store, waiting.id, decode(data, "standard input" if file == "-" else f"`{file}`"))
    else:
        text, path = edit_text(json.dumps(waiting.raw, indent=2, ensure_ascii=False), ".json")
        try:
            changed, done = edit(store, waiting.id, decode(text.encode(), "the text"))
        except CuecardError as error:
            error.hint = f"{error.hint}; the text is in `{path}`, for `cuecard review edit {waiting.id} --file`"
            raise
        path.unlink()
    if as_json:
        show_review.print_drafts([changed], undo=done.id or None)
    else:
        show_review.show_drafts(store, [changed])
        show_review.show_undo(done.id)
    return 0
