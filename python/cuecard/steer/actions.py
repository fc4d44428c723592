"""The actions of a person: each can be undone by its id, and counts once.

The command line, the MCP server, the page and the terminal call these functions, so that the same click means the same
everywhere.
"""

from dataclasses import replace
from typing import Any

from .._backend import engine
from ..basics.light_dataclass import dataclass
from ..basics.memory_name import id_of_path
from ..capture.dealt import Dealt, forget_dealt, read_dealt
from ..capture.inbox import WaitingDraft, find_waiting, put_back, read_inbox
from ..capture.review import Decided
from ..capture.review import accept as accept_drafts
from ..capture.review import edit as edit_draft
from ..capture.review import reject as reject_drafts
from ..errors import ConflictError, MissingError
from ..files.trust_levels import REVIEWED, UNREVIEWED
from ..library.shown_memory import read_shown
from ..library.verdict_log import Verdict, check_kind, find_verdict, say, take_back
from ..store.records.find_memory import find_memory
from ..store.records.memory import read_memory
from ..store.trust.review import accept as vouch_for
from ..store.trust.review import review, withdraw
from ..store.writes.journal import operation
from ..store.writes.store_writer import StoreWriter
from ..store.writes.undo import Undone
from ..store.writes.undo import undo as undo_write
from .shown import find_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..capture.review import Decide

EDITED, DEALT, VERDICT, VOUCHED = "e", "d", "v", "t"


@dataclass(frozen=True)
class Done:
    """What an action has done. `id` takes it back; it is "" if nothing was changed."""

    what: str
    id: str
    name: str
    is_new: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The JSON object that `--json` prints."""
        return {"what": self.what, "id": self.id or None, "name": self.name, "new": self.is_new}


def judge(store: StoreWriter, kind: str, name: str = "", *, session: str = "", event: str = "") -> Done:
    """Say `wrong` or `good` of a memory, as it was shown last or at an event. Raises what `find_shown` and `say` raise.

    The verdict is kept beside this store, where its prompts are, also of a memory of another scope: nothing is written
    into the store of a team or of all projects.
    """
    shown = find_shown(store.project, name, session, event)
    path, of_event = shown.memory.path, shown.event
    memory = read_shown(store.project, shown.memory.scope, shown.memory.category.lower(), path)
    said = Verdict(
        id="",
        at="",
        kind=check_kind(kind),
        path=path,
        trust_hash=engine.trust_hash(memory.data) or "",
        session=of_event.session or "",
        prompt=of_event.prompt_hash,
        kept=shown.kept,
        setting=of_event.setting or "",
    )
    verdict, is_new = say(store.memory_dir, said)
    return Done(kind, verdict.id, shown.memory.id, is_new)


def accept(
    store: StoreWriter,
    names: "Sequence[str]",
    decide: "Decide | None" = None,
    relations: "list[dict[str, str]] | None" = None,
) -> list[Decided]:
    """Write waiting drafts as memories. One that is not in the inbox any more raises `MissingError`.

    `relations` replaces those of the drafts.
    """
    drafts = [find_waiting(store.memory_dir, name) for name in names]
    if relations is not None:
        drafts = [replace(waiting, raw={**waiting.raw, "relations": relations}) for waiting in drafts]
    return accept_drafts(store, drafts, decide)


def operation_of(names: "Sequence[str]", store: StoreWriter) -> str:
    """The id that takes back the acceptance of these drafts; "" if there is none."""
    found = [dealt.operation for dealt in read_dealt(store.memory_dir) if dealt.waiting.id in names]
    return found[0] if found else ""


def reject(store: StoreWriter, names: "Sequence[str]") -> list[Done]:
    """Take waiting drafts out of the inbox. They are remembered, and do not wait again unless this is undone."""
    drafts = [find_waiting(store.memory_dir, name) for name in names]
    reject_drafts(store, drafts)
    return [Done("rejected", f"{DEALT}{waiting.id}", title_of(waiting)) for waiting in drafts]


def edit(store: StoreWriter, name: str, raw: object) -> tuple[WaitingDraft, Done]:
    """Replace the text of a waiting draft. Raises the error of an invalid text."""
    waiting = find_waiting(store.memory_dir, name)
    if waiting.raw == raw:
        return waiting, Done("unchanged", "", title_of(waiting), is_new=False)
    changed = edit_draft(store, waiting, raw)
    return changed, Done("edited", f"{EDITED}{waiting.id}", title_of(changed))


def retire(store: StoreWriter, name: str, reason: str = "") -> Done:
    """Take a memory out of recall."""
    with operation("retire") as opened:
        written = store.retire(name, reason=reason)
    return Done(written.status, opened.id, written.id, is_new=bool(opened.id))


def restore(store: StoreWriter, name: str) -> Done:
    """Make a retired or archived memory active again."""
    with operation("restore") as opened:
        written = store.restore(name)
    return Done(written.status, opened.id, written.id, is_new=bool(opened.id))


def change(store: StoreWriter, name: str, patch: "dict[str, Any]", expect_hash: str) -> Done:
    """Change fields of a memory as the person has typed them. Raises `ConflictError` if the file has changed since."""
    with operation("update") as opened:
        written = store.update(name, patch, expect_hash=expect_hash, summary="edited", trust="own")
    return Done(written.status, opened.id, written.id, is_new=bool(opened.id))


def vouch(store: StoreWriter, name: str, trust_hash: str) -> Done:
    """Vouch for a memory with the text of which `trust_hash` is the hash. Raises `ConflictError` for another text."""
    category, path = find_memory(*store.project, name)
    chosen = review(store.project, [read_memory(*store.project, category, path)])
    if chosen[0].trust_hash != trust_hash:
        raise ConflictError(f"`{name[:80]}` has changed since it was shown", "look at it again")
    if chosen[0].level != UNREVIEWED:
        return Done("unchanged", "", chosen[0].memory.id, is_new=False)
    vouch_for(chosen)
    return Done("accepted", f"{VOUCHED}{trust_hash}", chosen[0].memory.id)


def undo(store: StoreWriter, name: str = "", *, is_dry_run: bool = False) -> "Undone | Done":
    """Take back an action by its id; without an id the last write. Raises `MissingError`, `ConflictError`."""
    if name.startswith(VERDICT):
        verdict = (find_verdict if is_dry_run else take_back)(store.memory_dir, name)
        return Done(_back(is_dry_run=is_dry_run), "", id_of_path(verdict.path))
    if name.startswith(VOUCHED):
        chosen = [one for one in review(store.project) if one.trust_hash == name[1:] and one.level == REVIEWED]
        if not chosen:
            raise MissingError(f"`{name[:20]}` names no memory that was accepted", "`cuecard trust` lists them")
        if not is_dry_run:
            withdraw(chosen)
        return Done(_back(is_dry_run=is_dry_run), "", chosen[0].memory.id)
    if name.startswith((DEALT, EDITED)):
        return _undo_draft(store, name, is_dry_run=is_dry_run)
    undone = undo_write(*store.project, name, is_dry_run=is_dry_run)
    if not is_dry_run:
        for dealt in read_dealt(store.memory_dir):
            if dealt.operation and dealt.operation == undone.operation.id:
                _return(store, dealt)
    return undone


def _undo_draft(store: StoreWriter, name: str, *, is_dry_run: bool) -> Done:
    if name.startswith(EDITED):
        found = [one for one in read_inbox(store.memory_dir) if one.id == name[1:] and one.former]
        if not found:
            raise MissingError(f"no edit `{name[:40]}` can be undone", "`cuecard review` lists the drafts that wait")
        if not is_dry_run:
            edit_draft(store, found[0], found[0].former)
        return Done(_back(is_dry_run=is_dry_run), "" if is_dry_run else name, title_of(found[0]))
    dealt = [one for one in read_dealt(store.memory_dir) if one.action == name]
    if not dealt:
        raise MissingError(f"no decision `{name[:40]}` can be undone", "`cuecard review` lists the drafts that wait")
    if not is_dry_run:
        _return(store, dealt[0])
    return Done("would wait again" if is_dry_run else "waits again", "", title_of(dealt[0].waiting))


def _back(*, is_dry_run: bool) -> str:
    return "would be taken back" if is_dry_run else "taken back"


def _return(store: StoreWriter, dealt: Dealt) -> None:
    put_back(store.memory_dir, dealt.waiting)
    forget_dealt(store.memory_dir, dealt)


def title_of(waiting: WaitingDraft) -> str:
    """The title of a draft; "" if it has none."""
    partial = waiting.raw.get("partial_content")
    return str(partial.get("title", "")) if isinstance(partial, dict) else ""
