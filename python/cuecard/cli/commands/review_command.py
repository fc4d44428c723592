"""The command with which a user decides on drafts that wait: `review`."""

from .. import terminal
from ..arguments import Argument, Option, command
from ..parameters import AS_JSON, ROOT
from ..show import show_review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...api import Store
    from ...capture.inbox import WaitingDraft

ACTIONS = ("list", "show", "edit", "accept", "reject")


@command(
    Argument("ACTION", "list (the default), show, edit, accept or reject.", is_required=False),
    Argument("ID", "A draft, or the beginning of its id.", dest="ids", is_required=False, is_repeatable=True),
    Option("--all", dest="all_", help="Accept or reject every draft that waits."),
    Option("--file", "-f", metavar="FILE", help="Take the edited draft from a file; `-` is standard input."),
    ROOT,
    AS_JSON,
)
def review(action: str | None, ids: list[str], all_: bool, file: str | None, root: str | None, as_json: bool) -> int:
    """List the drafts that wait for you; show, edit, accept and reject them.

    What an agent has drafted from documents waits here, outside of the project, and counts for nothing until you
    accept it. Then it becomes a memory, and `cuecard undo` takes that back. What you reject is deleted. `accept --all`
    passes over drafts whose text addresses the model, its tools or secrets: read those, and name them.
    """
    from ...api import Store
    from ...errors import UsageError

    action = action or "list"
    if action not in ACTIONS:
        raise UsageError(f"the action is `{action[:40]}`", f"use {', '.join([f'`{name}`' for name in ACTIONS])}")
    if all_ and (ids or action not in ("accept", "reject")):
        raise UsageError("`--all` goes with `accept` or `reject`, without ids", "leave one of the two out")
    if action != "list" and not ids and not all_:
        raise UsageError(f"there is no draft to {action}", "name it by its id, or add `--all`")
    if action == "edit" and len(ids) > 1:
        raise UsageError("several drafts are named", "edit one at a time")
    store = Store(root, create=True)
    chosen = _choose(store, ids)
    if action == "list":
        show_review.show_list(chosen, as_json=as_json)
        return 0
    if action == "show":
        show_review.show_drafts(store, chosen, as_json=as_json)
        return 0
    if action == "edit":
        return _edit(store, chosen[0], file, as_json=as_json)
    passed = [] if ids else [waiting for waiting in chosen if show_review.addresses_model(waiting)]
    chosen = [waiting for waiting in chosen if waiting not in passed]
    return (_accept if action == "accept" else _reject)(store, chosen, passed, as_json=as_json)


def _choose(store: "Store", ids: list[str]) -> "list[WaitingDraft]":
    """The drafts with these ids, each once; all of them without an id. Raises MissingError."""
    from ...capture.inbox import find_waiting, read_inbox

    if not ids:
        return read_inbox(store.memory_dir)
    return list({(found := find_waiting(store.memory_dir, name)).id: found for name in ids}.values())


def _accept(store: "Store", chosen: "list[WaitingDraft]", passed: "list[WaitingDraft]", *, as_json: bool) -> int:
    from ...capture.review import accept

    decided = accept(store, chosen)
    if as_json:
        terminal.print_json({"drafts": [one.as_dict() for one in decided], "passed_over": [one.id for one in passed]})
    else:
        show_review.show_decided(decided, passed)
    return 1 if any(not one.is_discarded for one in decided) else 0


def _reject(store: "Store", chosen: "list[WaitingDraft]", passed: "list[WaitingDraft]", *, as_json: bool) -> int:
    from ...capture.review import reject

    # Nothing is gained by keeping what addresses the model.
    gone = [*chosen, *passed]
    reject(store, gone)
    if as_json:
        terminal.print_json({"rejected": [one.id for one in gone]})
    else:
        terminal.print_lines([f"rejected  {one.id}" for one in gone])
    return 0


def _edit(store: "Store", waiting: "WaitingDraft", file: str | None, *, as_json: bool) -> int:
    """Put what the user makes of a draft in its place. Where it is refused, the text stays in its file."""
    import json

    from ...capture.draft import HINT, MAX_INPUT_BYTES
    from ...capture.review import edit
    from ...errors import CuecardError
    from ...store.records.record_file import decode
    from ..editor import edit_text
    from ..text_input import read_json_input

    if file is not None:
        data = read_json_input(file, MAX_INPUT_BYTES, "is no draft", HINT)
        changed = edit(store, waiting, decode(data, "standard input" if file == "-" else f"`{file}`"))
    else:
        text, path = edit_text(json.dumps(waiting.raw, indent=2, ensure_ascii=False), ".json")
        try:
            changed = edit(store, waiting, decode(text.encode(), "the text"))
        except CuecardError as error:
            error.hint = f"{error.hint}; the text is in `{path}`, for `cuecard review edit {waiting.id} --file`"
            raise
        path.unlink()
    show_review.show_drafts(store, [changed], as_json=as_json)
    return 0
