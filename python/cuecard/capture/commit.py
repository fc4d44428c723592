"""Commits drafts: turns each into a new memory, an update or a retirement, without asking an agent.

Rules: docs/reference/capture-commit.md.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .._backend import read_git_state, rebuild_index
from ..errors import (
    ConflictError,
    CuecardError,
    MissingError,
    OverwriteError,
    Problem,
    StoreError,
    UsageError,
    ValidationError,
    WriteError,
)
from ..files.user_folder import real_path
from ..store.derived.current_index import read_current_index
from ..store.intake.personal_data import describe_personal_data, find_in_shared
from ..store.log.user_notice import leave_user_notice, note_told
from ..store.records.memory import Memory
from ..store.records.repair import repair_extension
from ..store.records.slug import is_same_title
from ..store.scopes.scoped_stores import stores_of_project
from ..store.trust.trust_of_writes import compared_with
from ..store.writes.journal import operation
from ..store.writes.store_writer import StoreWriter
from .commit_events import note_outcomes
from .commit_folder import CommitFolder
from .commit_outcome import PERSONAL, Outcome, refuse, write_notice
from .commit_table import resolve
from .commit_write import (
    BY_AGENT,
    Provenance,
    check_new,
    create,
    new_record,
    retire,
    stored_title,
    update,
    with_free_id,
)
from .comparing.candidate import KEPT_CATEGORIES, best_match, find_candidate
from .comparing.relations import UPDATES
from .comparing.succession import QUESTION, describe, find_similar, resolve_relations
from .draft import AgentDraft, check_draft
from .draft_quality import describe_problems, find_vagueness, is_unfitting, without_signs
from .dropped import describe_dropped
from .inbox import OF_USER, leave
from .joining import QUESTION as JOIN
from .joining import find_parts, session_of
from .ledger.claims import settle
from .refusals import propose_once, refuse_once
from .said import Said
from .work_store import open_own_store, why_no_own_store

ORIGINS = ("user", "agent", "import")
# Another process may change a memory after it was read and before it is written. The draft is then decided again.
MAX_TRIES = 20


@dataclass(frozen=True)
class DraftCommit:
    """The result for all drafts of one command."""

    outcomes: list[Outcome]
    is_dry_run: bool
    notice: str
    """The line that the user sees at the next prompt; "" if there is nothing to report."""
    notes: list[str]

    @property
    def question(self) -> str:
        """The question to the writer of the drafts; "" if no draft has the status `asked`."""
        asked = [outcome for outcome in self.outcomes if outcome.status == "asked"]
        questions = {JOIN: any(outcome.parts for outcome in asked), QUESTION: any(outcome.similar for outcome in asked)}
        return "; and ".join([question for question, is_asked in questions.items() if is_asked])

    @property
    def has_failed(self) -> bool:
        """Whether any draft failed or was refused."""
        return any(outcome.status in ("failed", "refused") for outcome in self.outcomes)

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints."""
        return {
            "dry_run": self.is_dry_run,
            "question": self.question or None,
            "drafts": [outcome.as_dict() for outcome in self.outcomes],
            "notice": self.notice or None,
            "notes": self.notes,
        }


@dataclass(frozen=True)
class _Commit:
    """The options that all drafts of one command share."""

    store: StoreWriter
    """The store that gets the memories."""
    home: str
    """The memory folder of the session's own store, which has its ledger and the drafts for the user's own store."""
    provenance: Provenance
    is_dry_run: bool
    asks: bool
    """Whether the writer of the drafts can answer a question about them."""
    said: Said
    """What was said in the sessions that the drafts are about."""
    session: str
    """The session that handed in the drafts; "" if it is not known."""
    written: set[str] = field(default_factory=set)
    """The paths of the memories that this command has created; no draft is compared with them."""

    @property
    def sessions(self) -> set[str]:
        """The session that handed in the drafts, and those that the drafts are about."""
        return {self.session, *self.said.sessions} - {""}


@operation("capture commit")
def commit_drafts(
    store: StoreWriter,
    drafts: Sequence[object],
    *,
    folder: CommitFolder | None = None,
    provenance: Provenance = BY_AGENT,
    is_dry_run: bool = False,
    asks: bool = False,
) -> DraftCommit:
    """Write what the drafts from `read_drafts` propose. A draft that fails does not stop the others.

    `asks` says that the writer of the drafts can answer a question. A vague draft of a new memory is then refused once;
    if it is sent again, it waits for the user's review. A draft similar to existing memories is then not written until
    its `relations` say how it relates to each of these memories. Drafts of one session about one component are not
    written the first time: the writer joins them, or sends them again.

    `folder` is the staging folder: the source is read from it, failed drafts are kept in it, and it is cleared if no
    draft failed. Without a folder, `provenance` has the source. Raises `UsageError` for an unknown origin. An error of
    a draft is in the draft's outcome.
    """
    origin = provenance.origin
    if origin not in ORIGINS:
        listed = ", ".join([f"`{name}`" for name in ORIGINS])
        raise UsageError(f"the origin is `{origin[:100]}`", f"use {listed}", field="origin", expected=listed)
    if folder:
        provenance = replace(provenance, source=folder.source())
    home = store.memory_dir
    said = Said(home, folder.sessions() if folder else ())
    session = str(provenance.source.get("session", ""))
    commit = _Commit(_store_of(folder, store), home, provenance, is_dry_run, asks, said, session)
    is_answer = folder is not None and folder.is_asked_for
    notes = []
    if folder and not folder.is_chosen and real_path(commit.store.memory_dir) != real_path(home):
        notes.append(f"the session has edited files of `{commit.store.root}`, whose store was chosen")
    outcomes = []
    parts = _propose_joining(commit, drafts) if asks else {}
    read = _read_by_session(store)
    for number, raw in enumerate(drafts):
        if number in parts:
            outcome = replace(_asked(raw), parts=parts[number])
        else:
            with compared_with(read):
                outcome = _commit_one(commit, raw, number)
        if folder and not is_dry_run:
            try:
                if outcome.error or outcome.status == "asked":
                    outcome = replace(outcome, kept=folder.keep(raw))
                else:
                    folder.drop(raw)
            except OSError as error:
                notes.append(f"the failed draft cannot be kept: {error.strerror or error}")
        outcomes.append(outcome)
    notice = write_notice(outcomes) if folder and not is_dry_run else ""
    if folder and not is_dry_run:
        if notice:
            try:
                leave_user_notice(home, notice)
                for inbox in dict.fromkeys([o.waits_in or home for o in outcomes if o.status == "waiting"]):
                    note_told(inbox)
            except OSError as error:
                notes.append(f"the user cannot be told at the next prompt: {error.strerror or error}")
        if not any(outcome.error or outcome.status == "asked" for outcome in outcomes):
            for ask in folder.asks():
                settle(home, ask, "drafts" if outcomes else "nothing")
            folder.clear()
    if not is_dry_run:
        note_outcomes(home, commit.session, outcomes, is_answer=is_answer)
    return DraftCommit(outcomes, is_dry_run, notice, notes)


def _read_by_session(store: StoreWriter) -> list[tuple[str, str]]:
    """The projects whose memories an agent could read in the session."""
    return [(one.root, one.memory_dir) for one in stores_of_project(store.project) if not one.left_out]


def _store_of(folder: CommitFolder | None, store: StoreWriter) -> StoreWriter:
    """The store that the request for drafts has named, if it is still there; else the session's own."""
    root = folder.root() if folder else ""
    try:
        return type(store)(root) if root else store
    except StoreError:
        return store


def _propose_joining(commit: _Commit, drafts: Sequence[object]) -> dict[int, tuple[str, list[str]]]:
    """The drafts that may be parts of one subject and about whose component nobody has asked yet, by position."""
    store, session = commit.store, commit.session
    found = find_parts(drafts, store.memories(status="active") if commit.sessions else [], commit.sessions)
    components = sorted({component for component, _beside in found.values()})
    asked = {
        component
        for component in components
        if propose_once(commit.home, component, session, is_dry_run=commit.is_dry_run)
    }
    return {place: parts for place, parts in found.items() if parts[0] in asked}


def _asked(raw: object) -> Outcome:
    category, title = _names_of(raw)
    return Outcome("asked", category, title, "create", why="it may be a part of a subject that others are about too")


def _commit_one(commit: _Commit, raw: object, number: int) -> Outcome:
    try:
        draft = check_draft(raw, number)
    except ValidationError as error:
        category, title = _names_of(raw)
        return Outcome("failed", category, title, error=error)
    outcome = Outcome("failed", draft.category, draft.title or draft.new_info, draft.action)
    commit, draft, checked = _as_said(commit, draft)
    decide = _decide
    if draft.is_of_user:
        declined = why_no_own_store(commit.store.project)
        draft = replace(draft, is_of_user=not declined)
        decide = _decide_own if draft.is_of_user else _decide
        checked += [f"the draft is for this project: {declined}"] if declined else []
    for _ in range(MAX_TRIES):
        try:
            outcome = decide(commit, draft, outcome)
            break
        except (ConflictError, MissingError) as conflict:
            outcome = replace(outcome, status="failed", error=conflict)
        except CuecardError as error:
            outcome = replace(outcome, status="failed", error=error)
            break
        except OSError as error:
            what = f"`{error.filename or commit.store.memory_dir}` cannot be used: {error.strerror or error}"
            failure = WriteError(what, "check that it is there, and its permissions")
            outcome = replace(outcome, status="failed", error=failure)
            break
    repaired = [f"repaired: {what}" for what in draft.repaired]
    ignored = [f"`{name}` is no member of a draft and was left out" for name in draft.ignored]
    return replace(outcome, notes=[*outcome.notes, *repaired, *checked, *ignored])


def _as_said(commit: _Commit, draft: AgentDraft) -> tuple[_Commit, AgentDraft, list[str]]:
    """The commit with the source of this draft, and the draft with evidence that is true; what the user read is true.

    Questions that would have the memory withheld are left out. Also returns notes about evidence and questions.
    """
    provenance = commit.provenance
    if provenance.is_accepted or draft.action == "noop":
        return commit, draft, []
    source = commit.said.source_of({"title": draft.title, "content": draft.content, **draft.extension})
    extension, notes = commit.said.check_evidence(repair_extension(draft.extension)[0])
    extension, left_out = without_signs(extension)
    notes += left_out
    commit = replace(commit, provenance=replace(provenance, source=source or provenance.source))
    return commit, replace(draft, extension=extension), notes


def _decide(commit: _Commit, draft: AgentDraft, outcome: Outcome) -> Outcome:
    """Decide what a draft does, and do it unless in a dry run. Raises `ConflictError` if the memory has changed."""
    store, provenance, is_dry_run = commit.store, commit.provenance, commit.is_dry_run
    outcome = replace(outcome, error=None)
    if draft.action == "noop":
        return replace(outcome, status="unchanged", why="the draft asks for nothing")
    replaced = _find_replaced(store, draft) if draft.replaces else None
    if replaced and (draft.action == "create" or replaced.category != draft.category):
        # The memory of the other category, or the one that the draft does not want to change, is succeeded.
        draft = replace(draft, action="create", relations=[*draft.relations, (replaced.name, UPDATES)])
        replaced = None
    path, structural, vetoes = (replaced.path, _allowed(draft), []) if replaced else _find(store, draft)
    resolved = resolve(structural, draft.action)
    if path and resolved == "CREATE" and not draft.replaces and _is_titled(store, path, draft):
        # The title is already taken by this memory, so the draft updates it.
        resolved = "UPDATE"
    if any(f"Cannot {resolved} " in veto for veto in vetoes):
        resolved = "NOOP"
    if resolved == "NOOP":
        return replace(outcome, status="unchanged", why=f"there is no memory that the draft could `{draft.action}`")
    held = _hold_personal_data(commit, draft, outcome) if resolved in ("CREATE", "UPDATE") else None
    if held:
        return held
    if resolved == "CREATE":
        turned_away = _turn_away(commit, draft, outcome)
        if turned_away:
            return turned_away
        draft = with_free_id(store, draft)
        relations = resolve_relations(store, draft.relations)
        known = replace(relations, answered=relations.answered | commit.written)
        similar = find_similar(store, new_record(draft, provenance), draft.category, known) if commit.asks else []
        similar = [neighbour for neighbour in similar if session_of(neighbour.memory) not in commit.sessions]
        if similar:
            why = f"it is similar to {', '.join([f'`{neighbour.name}`' for neighbour in similar])}"
            return replace(outcome, status="asked", why=why, similar=describe(store, similar))
        try:
            created = create(store, draft, outcome, provenance, is_dry_run, relations)
            commit.written.add(created.target)
            retires = [memory.name for memory in relations.updates if memory.status == "active"]
            created = replace(created, retires=retires)
            told = [note for memory in relations.updates for note in describe_dropped(memory, draft)]
            return replace(created, notes=[*created.notes, *told]) if created.status == "created" else created
        except OverwriteError as taken:
            named = f"{draft.category}/{taken.found.partition('`')[2].partition('`')[0]}"
            there = store.show(named)
            if there.status != "active" or not is_same_title(there.title, stored_title(draft)):
                raise
            path, resolved = there.path, "UPDATE"
    memory = store.show(path)
    if memory.status != "active":
        raise ConflictError(f"`{memory.id}` is {memory.status}", "look for another memory, or restore it")
    if resolved == "UPDATE":
        updated = update(store, draft, outcome, provenance, is_dry_run, memory)
        told = describe_dropped(memory, draft) if updated.status == "updated" else []
        return replace(updated, notes=[*updated.notes, *told])
    if _is_retired_already(store, draft, path):
        return replace(outcome, status="unchanged", why="the memory that the draft means is retired already")
    return retire(store, draft, outcome, is_dry_run, memory)


def _decide_own(commit: _Commit, draft: AgentDraft, outcome: Outcome) -> Outcome:
    """Decide on a draft for the user's own store. It waits for the user, because every project will read it."""
    is_tried = commit.is_dry_run or not commit.provenance.is_accepted
    own = replace(commit, store=open_own_store(type(commit.store), make=not is_tried))
    if commit.provenance.is_accepted or (commit.is_dry_run and not commit.asks):
        return _decide(own, draft, outcome)
    tried = _decide(replace(own, is_dry_run=True, asks=False), draft, outcome)
    if tried.status not in ("created", "updated", "retired"):
        return tried
    turned_away = _turn_away(commit, draft, outcome) if tried.status == "created" else None
    if turned_away:
        return turned_away
    return _leave(commit, draft, tried, "it is for the user's own store and waits for `cuecard review`")


def _turn_away(commit: _Commit, draft: AgentDraft, outcome: Outcome) -> Outcome | None:
    """The outcome of a vague draft: `refused` the first time, `waiting` the second time.

    None if the draft is not vague, or if its writer cannot answer.
    """
    if not commit.asks:
        return None
    store, is_dry_run = commit.store, commit.is_dry_run
    problems = find_vagueness(draft, read_git_state((store.root, store.memory_dir), None).changed)
    if not problems:
        return None
    if not is_unfitting(problems):
        # An invalid record is reported right away, and is never kept for the user's review.
        check_new(new_record(draft, commit.provenance), draft.category)
    if refuse_once(commit.home, draft, commit.session, is_dry_run=is_dry_run):
        return refuse(outcome, problems)
    why = describe_problems(problems)
    return _leave(commit, draft, outcome, f"it is vague and waits for `cuecard review`: {why}", why)


def _hold_personal_data(commit: _Commit, draft: AgentDraft, outcome: Outcome) -> Outcome | None:
    """The outcome of a draft with personal data: `refused` the first time, then `waiting` until the user accepts it.

    None if it has none, or if the user has accepted it. A draft for the inbox is only checked: it waits anyway.
    """
    store = commit.store
    if commit.provenance.is_accepted or (commit.is_dry_run and not commit.asks):
        return None
    found = find_in_shared(store.memory_dir, {"title": draft.title, "content": draft.content, **draft.extension})
    if not found:
        return None
    problems = [
        Problem(each.field, "no data of a person", each.kind, "leave it out, or say it without the data")
        for each in found
    ]
    if commit.asks and refuse_once(commit.home, draft, commit.session, is_dry_run=commit.is_dry_run):
        return refuse(outcome, problems, PERSONAL)
    return _leave(commit, draft, outcome, f"it has {describe_personal_data(found)} and waits for `cuecard review`")


def _leave(commit: _Commit, draft: AgentDraft, outcome: Outcome, told: str, vague: str = "") -> Outcome:
    """Put a draft into the inbox, with its evidence as it was checked, unless in a dry run."""
    outcome = replace(outcome, status="waiting", why=told)
    if commit.is_dry_run:
        return outcome
    raw, partial = draft.raw, draft.raw.get("partial_content")
    if isinstance(partial, dict) and "evidence" in draft.extension:
        raw = {**raw, "partial_content": {**partial, "evidence": draft.extension["evidence"]}}
    inbox = commit.home if draft.is_of_user else commit.store.memory_dir
    note = OF_USER if draft.is_of_user else ""
    waiting = leave(inbox, raw, commit.provenance.origin, commit.provenance.source, vague, note)
    return replace(outcome, waits_as=waiting.id, waits_in=inbox if inbox != commit.home else "")


def _find(store: StoreWriter, draft: AgentDraft) -> tuple[str, str, list[str]]:
    """The path of the memory that a draft may change ("" for none), the allowed operations, and the vetoes.

    This is the memory with the draft's title, else the best candidate for the draft's new information.
    """
    index = _index_of(store)
    titled = _find_titled(index, draft)
    if titled:
        return titled, _allowed(draft), []
    if not index:
        return "", "NOOP" if draft.lifecycle_event else "CREATE", []
    selection = find_candidate(draft.category, _wording(draft), lifecycle_event=draft.lifecycle_event, root=store.root)
    path = selection.candidate.path if selection.candidate else ""
    return path, selection.structural_cud, selection.vetoes


def _allowed(draft: AgentDraft) -> str:
    """What a draft may do with an existing memory of its category."""
    return "UPDATE" if draft.category in KEPT_CATEGORIES else "UPDATE_OR_DELETE"


def _find_replaced(store: StoreWriter, draft: AgentDraft) -> Memory:
    """The memory that the draft says it replaces, by its title, id or path.

    If it is gone and a memory has the draft's title, the draft was committed before, and this memory is meant. Raises
    `ValidationError` if there is none.
    """
    titled = {memory.title: memory for memory in store.memories(status="active")}
    if draft.replaces in titled:
        return titled[draft.replaces]
    try:
        return store.show(draft.replaces)
    except (MissingError, StoreError) as error:
        known = titled.get(stored_title(draft))
        if known:
            return known
        problem = Problem("replaces", "the title or the id of a memory", f"`{draft.replaces[:60]}`", error.hint)
        raise ValidationError(f"`replaces` names no memory: {error.what}", [problem]) from error


def _index_of(store: StoreWriter) -> bytes:
    return read_current_index(store.root, store.memory_dir)[0] or b""


def _find_titled(index: bytes, draft: AgentDraft) -> str:
    """The path of the active memory with the draft's title; "" if there is none."""
    title = stored_title(draft)
    if not title:
        return ""
    beginning = f"- [{draft.category.upper()}] {title} -> ".encode()
    for line in index.splitlines():
        if line.startswith(beginning):
            return line[len(beginning) :].partition(b" #tags:")[0].decode("utf-8", "replace")
    return ""


def _is_titled(store: StoreWriter, path: str, draft: AgentDraft) -> bool:
    return store.show(path).title == stored_title(draft)


def _is_retired_already(store: StoreWriter, draft: AgentDraft, path: str) -> bool:
    """Whether a retired memory fits a draft at least as well as the active memory at `path`.

    Without this check a draft that is sent twice would retire a second memory.
    """
    retired = store.memories(draft.category, "retired")
    if not retired:
        return False
    as_active: list[tuple[str, str, bytes | None]] = [
        (memory.category, memory.path, json.dumps({**memory.record, "record_status": "active"}).encode())
        for memory in retired
    ]
    text, _skipped, _is_damaged = rebuild_index(as_active)
    before = best_match(text.encode(), draft.category, _wording(draft))
    now = best_match(_index_of(store), draft.category, _wording(draft))
    is_titled = _find_titled(_index_of(store), draft) == path
    return before is not None and not is_titled and (now is None or before[1] >= now[1])


def _wording(draft: AgentDraft) -> str:
    return f"{draft.new_info}\n{draft.title}"


def _names_of(raw: object) -> tuple[str, str]:
    """The category and the title of an invalid draft; "" for a value that is missing or has a wrong type."""
    if not isinstance(raw, dict):
        return "", ""
    category, partial = raw.get("category"), raw.get("partial_content")
    title = partial.get("title") if isinstance(partial, dict) else None
    return (category[:40] if isinstance(category, str) else ""), (title[:120] if isinstance(title, str) else "")
