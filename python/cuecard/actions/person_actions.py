"""The actions of a person: each can be undone by its id, and counts once.

The command line, the page and the terminal call these functions, and the mod of Claude Code calls the command line, so
that the same click means the same everywhere. An agent writes through MCP with other rights, and not with these.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from .._backend import engine
from ..basics.counted import counted
from ..basics.light_dataclass import dataclass
from ..basics.memory_name import id_of_path
from ..capture.dealt import ACCEPTED, Dealt, forget_dealt, note_dealt, read_dealt
from ..capture.draft import digest
from ..capture.inbox import WaitingDraft, discard, find_waiting, put_back, read_inbox
from ..capture.review import Decided
from ..capture.review import accept as accept_drafts
from ..capture.review import edit as edit_draft
from ..capture.review import reject as reject_drafts
from ..errors import ConflictError, CuecardError, MissingError
from ..files.scopes import user_project
from ..files.trust_levels import REVIEWED, UNREVIEWED
from ..store.log.verdict_log import Verdict, check_kind, find_verdict, say, take_back
from ..store.records.find_memory import find_memory
from ..store.records.memory import read_memory
from ..store.scopes.shown_memory import read_shown
from ..store.trust.review import accept as vouch_for
from ..store.trust.review import review, withdraw
from ..store.writes.journal import operation, read_journal
from ..store.writes.store_writer import StoreWriter
from ..store.writes.undo import Undone, find_operation
from ..store.writes.undo import undo as undo_write
from .acts import SETTING, Act, Reach, note_act, note_reach, note_taken_back, reach_of, read_acts, undo_setting
from .shown import find_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from ..capture.review import Decide
    from ..files.root import Project
    from ..store.records.memory import Memory
    from ..store.trust.review import Reviewed
    from ..store.writes.journal import Operation

    T = TypeVar("T")
    R = TypeVar("R")

EDITED, DEALT, VERDICT, VOUCHED = "e", "d", "v", "t"
# Between the hashes of texts that were accepted together.
TOGETHER = "-"
MOST_NAMED = 3


class Doubtful(Exception):
    """Raised where texts that are withheld from agents would be accepted, and the person was not asked."""

    def __init__(self, texts: "list[Reviewed]") -> None:
        """`texts` are those that address the model, its tools or secrets."""
        super().__init__(f"{len(texts)} of these texts are withheld from agents")
        self.texts = texts


@dataclass(frozen=True)
class Done:
    """What an action has done. `id` takes it back; it is "" if nothing was changed.

    `problem` says why an action on several stopped after some of them; `id` takes those back.
    """

    what: str
    id: str
    name: str
    is_new: bool = True
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The JSON object that `--json` prints."""
        return {"what": self.what, "id": self.id or None, "name": self.name, "new": self.is_new}


def judge(
    store: StoreWriter, kind: str, name: str = "", *, session: str = "", event: str = "", scope: str | None = None
) -> Done:
    """Say `wrong` or `good` of a memory, as it was shown last or at an event. `name` and `scope` are those of
    `find_shown`. Raises what `find_shown` and `say` raise.

    The verdict is kept beside this store, where its prompts are, also of a memory of another scope: nothing is written
    into the store of a team or of all projects.
    """
    shown = find_shown(store.project, name, session, event, scope)
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
        scope=shown.memory.scope,
    )
    verdict, is_new = say(store.memory_dir, said)
    if is_new:
        note_act(store.memory_dir, Act(f"`{kind} {shown.memory.id}`", verdict.id))
    return Done(kind, verdict.id, shown.memory.id, is_new)


def accept(
    store: StoreWriter,
    texts: "Sequence[tuple[str, str]]",
    decide: "Decide | None" = None,
    relations: "list[dict[str, str]] | None" = None,
) -> list[Decided]:
    """Write waiting drafts as memories, each given by its id and the `text_hash` of the text that was read.

    Raises `MissingError` if one is not in the inbox any more, and `ConflictError` if one has another text now; nothing
    is written then. `relations` replaces those of the drafts, after the texts were compared.
    """
    drafts = find_as_read(store, texts)
    if relations is not None:
        drafts = [replace(waiting, raw={**waiting.raw, "relations": relations}) for waiting in drafts]
    decided = accept_drafts(store, drafts, decide)
    # A draft of the user's own store leaves no write in the journal of this one.
    made = operation_of([one.waiting.id for one in decided if one.is_discarded], store)
    if made:
        note_act(store.memory_dir, Act("`review accept`", made))
    return decided


def find_as_read(store: StoreWriter, texts: "Sequence[tuple[str, str]]") -> list[WaitingDraft]:
    """Waiting drafts by their ids and the hashes of the texts that were read. Raises what `accept` raises."""
    drafts = [find_waiting(store.memory_dir, name) for name, _hash in texts]
    for waiting, (name, text_hash) in zip(drafts, texts, strict=True):
        if waiting.text_hash != text_hash:
            raise ConflictError(f"the draft `{name[:40]}` has changed since it was shown", "look at it again")
    return [*{waiting.id: waiting for waiting in drafts}.values()]


def operation_of(names: "Sequence[str]", store: StoreWriter) -> str:
    """The id that takes back the acceptance of these drafts; "" if there is none."""
    found = [dealt.operation for dealt in read_dealt(store.memory_dir) if dealt.waiting.id in names]
    return found[0] if found else ""


def reject(store: StoreWriter, names: "Sequence[str]") -> Done:
    """Take waiting drafts out of the inbox; one id takes all of it back. Until then they do not wait again."""
    drafts = list({(found := find_waiting(store.memory_dir, name)).id: found for name in names}.values())
    if len(drafts) == 1:
        reject_drafts(store, drafts)
        note_act(store.memory_dir, Act("`review reject`", f"{DEALT}{drafts[0].id}"))
        return Done("rejected", f"{DEALT}{drafts[0].id}", title_of(drafts[0]))
    together = f"{DEALT}{digest([waiting.id for waiting in drafts])}"
    done, problem = _do_each(drafts, lambda waiting: reject_drafts(store, [waiting], together))
    note_act(store.memory_dir, Act("`review reject`", together))
    return Done(f"{len(done)} rejected", together, "", problem=problem)


def edit(store: StoreWriter, name: str, raw: object) -> tuple[WaitingDraft, Done]:
    """Replace the text of a waiting draft. Raises the error of an invalid text."""
    waiting = find_waiting(store.memory_dir, name)
    if waiting.raw == raw:
        return waiting, Done("unchanged", "", title_of(waiting), is_new=False)
    changed = edit_draft(store, waiting, raw)
    note_act(store.memory_dir, Act("`review edit`", f"{EDITED}{waiting.id}"))
    return changed, Done("edited", f"{EDITED}{waiting.id}", title_of(changed))


def retire(store: StoreWriter, *names: str, reason: str = "") -> Done:
    """Take memories out of recall; one id takes all of it back. All are found before one of them is written."""
    return _retire(store, [*_find_all(store, names).values()], reason)


def retire_as_read(store: StoreWriter, texts: "Sequence[tuple[str, str]]", *, reason: str = "") -> Done:
    """Do the same for memories that are each given by the name and the hash of the text that was read.

    Raises `ConflictError` if a memory has another text now; nothing is retired then.
    """
    memories = _find_all(store, [name for name, _hash in texts])
    hashes = dict(texts)
    for name, memory in memories.items():
        _compare(name, engine.trust_hash(memory.data) or "", hashes[name])
    return _retire(store, [*memories.values()], reason)


def _find_all(store: StoreWriter, names: "Sequence[str]") -> "dict[str, Memory]":
    return {name: read_memory(*store.project, *find_memory(*store.project, name)) for name in names}


def _compare(name: str, found: str, was_read: str) -> None:
    if found != was_read:
        raise ConflictError(f"`{name[:80]}` has changed since it was shown", "look at it again")


def _retire(store: StoreWriter, memories: "list[Memory]", reason: str) -> Done:
    # Two names can mean one memory.
    memories = [*{one.path: one for one in memories}.values()]
    with operation("retire") as opened:
        written, problem = _do_each(memories, lambda one: store.retire(one.name, reason=reason, expect_hash=one.hash))
    if len(memories) > 1:
        what, name = f"{len(written)} {written[0].status}", ""
    else:
        what, name = written[0].status, written[0].id
    return Done(what, opened.id, name, is_new=bool(opened.id), problem=problem)


def _do_each(things: "Sequence[T]", act: "Callable[[T], R]") -> "tuple[list[R], str]":
    """Do something to each, and return the results, with the problem at which it stopped; "" for none.

    A problem with the first one is raised: then nothing was done that must be taken back.
    """
    done: list[R] = []
    for thing in things:
        try:
            done.append(act(thing))
        except CuecardError as error:  # noqa: PERF203 - what was done before the error is told
            if not done:
                raise
            return done, f"only {len(done)} of {len(things)}: {error.what}"
    return done, ""


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


def vouch(store: StoreWriter, texts: "Sequence[tuple[str, str]]", *, is_sure: bool = False) -> Done:
    """Vouch for memories, each given by its name and the hash of the text that was read; one id takes all of it back.

    Raises `ConflictError` if a memory has another text now, and `Doubtful` if one is withheld and nobody `is_sure`.
    Nothing is accepted then. What is reviewed already is left as it is, and has the same id.
    """
    places = [find_memory(*store.project, name) for name, _hash in texts]
    found = review(store.project, [read_memory(*store.project, *place) for place in places])
    for one, (name, trust_hash) in zip(found, texts, strict=True):
        _compare(name, one.trust_hash, trust_hash)
    found = [*{one.memory.path: one for one in found}.values()]
    fresh = [one for one in found if one.level == UNREVIEWED]
    doubtful = [one for one in fresh if one.signs]
    if doubtful and not is_sure:
        raise Doubtful(doubtful)
    vouch_for(fresh)
    held = fresh or [one for one in found if one.level == REVIEWED]
    if not held:
        return Done("unchanged", "", found[0].memory.title, is_new=False)
    hashes = TOGETHER.join(dict.fromkeys([one.trust_hash for one in held]))
    what, name = (f"{len(held)} accepted", "") if len(held) > 1 else ("accepted", held[0].memory.title)
    note_vouched(store.memory_dir, fresh)
    return Done(what, f"{VOUCHED}{hashes}", name, is_new=bool(fresh))


def note_vouched(memory_dir: str, texts: "Sequence[Reviewed]") -> None:
    """Remember that texts were accepted, so that `cuecard undo` takes it back."""
    if texts:
        hashes = TOGETHER.join(dict.fromkeys([one.trust_hash for one in texts]))
        note_act(memory_dir, Act(f"`trust` of {counted(len(texts), 'memory', 'memories')}", f"{VOUCHED}{hashes}"))


def find_last(store: StoreWriter) -> tuple[str, "Act | None"]:
    """The id of the last action that can be undone, "" for none, and the latest one after it that cannot, if any.

    What was done cannot be undone if there is no way back, or if something has changed since. Raises `MissingError` if
    there is neither.
    """
    written, passed = "", None
    with suppress(MissingError):
        written = find_operation(read_journal(store.memory_dir), "").id
    for act in read_acts(store.memory_dir):
        if act.at <= written:
            break
        if not act.id:
            passed = passed or act
            continue
        try:
            _undo(store, act.id, is_dry_run=True)
        except MissingError:
            continue
        except ConflictError as error:
            passed = passed or replace(act, hint="; ".join(filter(None, (error.what, error.hint))))
        else:
            return act.id, passed
    if not written and not passed:
        raise MissingError("there is nothing to undo", "writes can be undone within the grace period of deletions")
    return written, passed


def undo(store: StoreWriter, name: str = "", *, is_dry_run: bool = False) -> "Undone | Done":
    """Take back an action by its id; without an id the last one. Raises `MissingError`, `ConflictError`.

    The last one may be something that cannot be taken back so; `ConflictError` then says what it is, and what the one
    before it is.
    """
    if not name:
        name, passed = find_last(store)
        if passed:
            raise ConflictError(
                f"the last action was {passed.what}, which `undo` cannot take back", _way_on(passed, name)
            )
    return _undo(store, name, is_dry_run=is_dry_run)


def _way_on(passed: Act, name: str) -> str:
    before = f"`cuecard undo {name}` takes back the action before it" if name else ""
    return "; ".join([part for part in (passed.hint, before) if part])


def _undo(store: StoreWriter, name: str, *, is_dry_run: bool) -> "Undone | Done":
    if not name.startswith((SETTING, VERDICT, VOUCHED, DEALT, EDITED)):
        return _undo_write(store, name, is_dry_run=is_dry_run)
    done = _undo_act(store, name, is_dry_run=is_dry_run)
    if not is_dry_run:
        note_taken_back(store.memory_dir, name)
    return done


def _undo_act(store: StoreWriter, name: str, *, is_dry_run: bool) -> Done:
    if name.startswith(SETTING):
        setting = undo_setting(store.memory_dir, name, is_dry_run=is_dry_run)
        return Done(_back(is_dry_run=is_dry_run), "", setting)
    if name.startswith(VERDICT):
        verdict = (find_verdict if is_dry_run else take_back)(store.memory_dir, name)
        return Done(_back(is_dry_run=is_dry_run), "", id_of_path(verdict.path))
    if name.startswith(VOUCHED):
        hashes = name[1:].split(TOGETHER)
        chosen = [one for one in review(store.project) if one.trust_hash in hashes and one.level == REVIEWED]
        if not chosen:
            raise MissingError(f"`{name[:20]}` names no memory that was accepted", "`cuecard trust` lists them")
        if not is_dry_run:
            withdraw(chosen)
        names = ", ".join(dict.fromkeys([one.memory.title for one in chosen[:MOST_NAMED]]))
        return Done(_back(is_dry_run=is_dry_run), "", names + (", ..." if len(chosen) > MOST_NAMED else ""))
    return _undo_draft(store, name, is_dry_run=is_dry_run)


def _undo_write(store: StoreWriter, name: str, *, is_dry_run: bool) -> Undone:
    with suppress(MissingError):
        # The beginning of an id is enough.
        name = find_operation(read_journal(store.memory_dir), name).id
    projects = _projects_of(store, name)
    known = next((one for project in projects for one in read_journal(project[1]) if one.id == name), None)
    # One operation has one id in the journals of all its stores, so the undo can be undone as a whole.
    with operation(f"undo {known.what}" if known else "undo", name):
        undone = _undo_in(projects, name, is_dry_run=is_dry_run)
    if is_dry_run:
        return undone
    # Each of the stores has noted a move.
    for place in dict.fromkeys([store.memory_dir, *[project[1] for project in projects]]):
        note_taken_back(place, name)
    if not undone.id:
        return undone
    dealt = [one for one in read_dealt(store.memory_dir) if one.operation and one.operation == undone.operation.id]
    for one in dealt:
        _return(store, one)
    is_elsewhere = projects != [store.project]
    if is_elsewhere or dealt:
        reached = tuple(projects) if is_elsewhere else ()
        note_reach(undone.id, Reach(reached, tuple([one.waiting.id for one in dealt])), store.memory_dir)
    if undone.operation.undoes:
        _do_again(store, undone.operation, projects)
    return undone


def _do_again(store: StoreWriter, undoing: "Operation", projects: "list[Project]") -> None:
    """Remember what was done again by the undo of an undo: the drafts are accepted again."""
    first = undoing.undoes
    drafts = reach_of(store.memory_dir, undoing.id).drafts
    for waiting in read_inbox(store.memory_dir):
        if waiting.id in drafts:
            note_dealt(store.memory_dir, waiting, ACCEPTED, first)
            discard(store.memory_dir, waiting)
    for project in projects if projects != [store.project] else []:
        note_act(project[1], Act(f"`{undoing.what.removeprefix('undo ')}`", first))


def _projects_of(store: StoreWriter, name: str) -> "list[Project]":
    """The projects that a write has changed: a memory was moved, or a draft accepted into the user's own store."""
    own = user_project()
    possible: list[Project] = [store.project, *reach_of(store.memory_dir, name).projects]
    if own is not None and any(dealt.operation == name for dealt in read_dealt(store.memory_dir) if name):
        possible.append(own)
    written = [
        project for project in dict.fromkeys(possible) if any(one.id == name for one in read_journal(project[1]))
    ]
    return written or [store.project]


def _undo_in(projects: "list[Project]", name: str, *, is_dry_run: bool) -> Undone:
    if len(projects) > 1:
        # A conflict in one store must leave the other as it is.
        for project in projects:
            undo_write(*project, name, is_dry_run=True)
    undone = [undo_write(*project, name, is_dry_run=is_dry_run) for project in projects]
    return replace(
        undone[0],
        id=next((one.id for one in undone if one.id), ""),
        restored=[path for one in undone for path in one.restored],
        removed=[path for one in undone for path in one.removed],
        problems=[problem for one in undone for problem in one.problems],
    )


def _undo_draft(store: StoreWriter, name: str, *, is_dry_run: bool) -> Done:
    if name.startswith(EDITED):
        found = [one for one in read_inbox(store.memory_dir) if one.id == name[1:] and one.former]
        if not found:
            raise MissingError(f"no edit `{name[:40]}` can be undone", "`cuecard review` lists the drafts that wait")
        if not is_dry_run:
            edit_draft(store, found[0], found[0].former)
        return Done(_back(is_dry_run=is_dry_run), "" if is_dry_run else name, title_of(found[0]))
    decisions = [one for one in read_dealt(store.memory_dir) if one.is_of(name)]
    if not decisions:
        raise MissingError(f"no decision `{name[:40]}` can be undone", "`cuecard review` lists the drafts that wait")
    if not is_dry_run:
        for dealt in decisions:
            _return(store, dealt)
    several = f"{len(decisions)} " if len(decisions) > 1 else ""
    what = "would wait again" if is_dry_run else "wait again" if several else "waits again"
    return Done(f"{several}{what}", "", "" if several else title_of(decisions[0].waiting))


def _back(*, is_dry_run: bool) -> str:
    return "would be taken back" if is_dry_run else "taken back"


def _return(store: StoreWriter, dealt: Dealt) -> None:
    put_back(store.memory_dir, dealt.waiting)
    forget_dealt(store.memory_dir, dealt)


def title_of(waiting: WaitingDraft) -> str:
    """The title of a draft; "" if it has none."""
    partial = waiting.raw.get("partial_content")
    return str(partial.get("title", "")) if isinstance(partial, dict) else ""
