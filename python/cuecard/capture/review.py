"""The user's review: checks drafts when they are sent, and writes them when the user accepts them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ..errors import CuecardError, UsageError
from ..files.scopes import USER
from ..store.intake.intake import admit
from ..store.log.capture_event import REVIEW, CaptureEvent, note_capture
from ..store.records.record_file import Fields
from ..store.writes.journal import current_id, operation
from ..store.writes.store_writer import StoreWriter
from .commit import DraftCommit, commit_drafts
from .commit_events import note_outcomes
from .commit_outcome import ADDRESSING, Outcome, refuse
from .commit_write import Provenance, new_record, with_free_id
from .comparing.neighbours import MIN_SIMILARITY, Neighbour
from .comparing.succession import describe, find_similar, resolve_relations
from .dealt import ACCEPTED, REJECTED, find_returning, note_dealt
from .draft import check_draft, digest, in_asked_form, read_source
from .draft_quality import describe_problems, find_signs, find_vagueness, without_signs
from .expiry import expire
from .inbox import OF_USER, WaitingDraft, discard, leave, note_dealt_with, rewrite
from .refusals import refuse_once
from .work_store import open_own_store, why_no_own_store

IMPORT = "import"
DONE = ("created", "updated", "retired")
ASKED = "asked"
# Drafts that are accepted together are mostly parts of one document, and share its words. From this similarity on, none
# of the judged pairs of `tests/data/relations` is unrelated.
MIN_SIMILARITY_OF_DRAFTS = 0.95
Decide: TypeAlias = Callable[[WaitingDraft, list[Neighbour]], "Sequence[tuple[str, str]] | None"]


@dataclass(frozen=True)
class Decided:
    """A waiting draft, and the result of the user's decision on it."""

    waiting: WaitingDraft
    outcome: Outcome
    is_discarded: bool
    """Whether the draft was removed from the inbox."""

    def as_dict(self) -> dict[str, Any]:
        """The JSON object that `--json` prints."""
        return {"id": self.waiting.id, "waits": not self.is_discarded, **self.outcome.as_dict()}


def hand_in(
    store: StoreWriter,
    drafts: Sequence[object],
    *,
    origin: str = IMPORT,
    source: Fields | None = None,
    is_dry_run: bool = False,
    asks: bool = False,
) -> DraftCommit:
    """Check drafts in a dry run, and put the drafts that pass the check into the inbox.

    A vague draft waits there with the reason, and so does one that addresses the model. If `asks` says that the writer
    of the drafts can answer, such a draft is first refused once, and one that is similar to memories is asked about
    until its `relations` say what it is to each. `source` is the source of drafts that name no source.

    The section of a source counts as processed if a draft without an error names it, even if the draft's action is
    `noop`. Raises `UsageError` for an unknown origin and `WriteError` if a section cannot be recorded; an error of a
    draft is in the draft's outcome. Drafts that are due leave the inbox.
    """
    checked = commit_drafts(store, drafts, provenance=Provenance(origin, {}), is_dry_run=True)
    returning = find_returning(store.memory_dir)
    outcomes, sources = [], []
    for raw, outcome in zip(drafts, checked.outcomes, strict=True):
        done = outcome
        if isinstance(raw, dict):
            own = read_source(raw)
            done = _judge(store, raw, outcome, asks=asks, is_dry_run=is_dry_run)
            done = _ask(store, raw, done, Provenance(origin, own or source or {})) if asks else done
            kept = _as_it_waits(raw)
            # A draft that changes nothing does not need to wait.
            name = digest(admit(kept).fields)
            known = returning(name, kept, own or source or {})
            if known and (known.waiting.id == name or (done.error is None and done.status in DONE)):
                why = f"the user has {known.decision} it before, on {known.at[:10]}"
                done = replace(done, status="unchanged", target="", why=why, error=None)
            elif not is_dry_run and done.error is None and done.status in DONE:
                done = _leave(store, kept, origin, own or source or {}, done)
            if done.error is None and done.status != ASKED:
                sources.append(own)
        outcomes.append(done)
    if not is_dry_run:
        expire(store.memory_dir)
        note_dealt_with(store.memory_dir, sources)
        note_outcomes(store.memory_dir, str((source or {}).get("session", "")), outcomes)
    return replace(checked, outcomes=outcomes, is_dry_run=is_dry_run)


def _as_it_waits(raw: Fields) -> Fields:
    """A draft in the form in which every list finds its title, without the questions that the check has left out."""
    raw = in_asked_form(raw)
    partial = raw.get("partial_content")
    return {**raw, "partial_content": without_signs(partial)[0]} if isinstance(partial, dict) else raw


def _judge(store: StoreWriter, raw: Fields, outcome: Outcome, *, asks: bool, is_dry_run: bool) -> Outcome:
    """The outcome of a draft. If the draft is vague, `why` gives the reasons; with `asks` it is first refused once.

    A draft that addresses the model is refused in the same way, so that its writer can say it in other words.
    """
    if outcome.error is not None or outcome.status not in DONE:
        return outcome
    draft = check_draft(raw, 0)
    vague, signs = find_vagueness(draft) if outcome.status == "created" else [], find_signs(raw)
    try:
        is_refused = (vague or signs) and asks
        if is_refused and refuse_once(store.memory_dir, draft, "", is_dry_run=is_dry_run):
            return refuse(outcome, vague) if vague else refuse(outcome, signs, ADDRESSING)
    except CuecardError as error:
        return replace(outcome, status="failed", error=error)
    return replace(outcome, why=describe_problems(vague))


def _ask(store: StoreWriter, raw: Fields, outcome: Outcome, provenance: Provenance) -> Outcome:
    """The outcome of a draft of a new memory: `asked` if it does not say what it is to memories that are similar."""
    if outcome.error is not None or outcome.status != "created":
        return outcome
    try:
        similar = _similar_to(store, raw, provenance)
    except CuecardError as error:
        return replace(outcome, status="failed", error=error)
    # A pointer only names the document from which the draft may be.
    similar = [one for one in similar if "pointer" not in one.memory.extension]
    if not similar:
        return outcome
    why = f"it is similar to {', '.join([f'`{one.name}`' for one in similar])}"
    return replace(outcome, status=ASKED, why=why, similar=describe(store, similar))


def _leave(store: StoreWriter, raw: Fields, origin: str, source: Fields, outcome: Outcome) -> Outcome:
    """Put a draft into the inbox. `outcome.why` says why the draft is vague; "" if it is not."""
    try:
        note = OF_USER if raw.get("scope") == USER else ""
        waiting = leave(store.memory_dir, raw, origin, source, outcome.why, note)
    except CuecardError as error:
        return replace(outcome, status="failed", error=error)
    vague = f"; it is vague: {outcome.why}" if outcome.why else ""
    signs = find_signs(raw)
    withheld = f"; agents are not shown it, because it {ADDRESSING}: {describe_problems(signs)}" if signs else ""
    why = f"it waits for `cuecard review`; accepted now, it would be `{outcome.status}`{vague}{withheld}"
    return replace(outcome, status="waiting", target=outcome.target, waits_as=waiting.id, why=why)


def preview(store: StoreWriter, waiting: WaitingDraft) -> Outcome:
    """The outcome that accepting a draft would have now."""
    provenance = Provenance(waiting.origin, {})
    return commit_drafts(store, [waiting.raw], provenance=provenance, is_dry_run=True).outcomes[0]


def find_similar_to(store: StoreWriter, waiting: WaitingDraft) -> list[Neighbour]:
    """The active memories that a draft may repeat, replace or contradict, except those in the draft's `relations`.

    Empty for a draft that would not become a new memory now.
    """
    if preview(store, waiting).status != "created":
        return []
    try:
        return _similar_to(store, waiting.raw, Provenance(waiting.origin, waiting.source))
    except CuecardError:
        # An error is reported when the draft is accepted.
        return []


def _similar_to(store: StoreWriter, raw: Fields, provenance: Provenance) -> list[Neighbour]:
    draft = check_draft(raw, 0)
    if draft.is_of_user and not why_no_own_store(store.project):
        store = open_own_store(type(store), make=False)
    draft = with_free_id(store, draft)
    relations = resolve_relations(store, draft.relations)
    return find_similar(store, new_record(draft, provenance), draft.category, relations)


@operation("review")
def accept(store: StoreWriter, drafts: Sequence[WaitingDraft], decide: Decide | None = None) -> list[Decided]:
    """Write drafts as memories, in one operation, and remove the written ones from the inbox.

    `decide` gets a draft and similar memories. It returns a verdict for each memory, or None to leave the draft in the
    inbox. Without `decide`, similar memories are ignored. A draft stays in the inbox if it cannot be written, or if the
    memory that it would change is not found. Raises what `decide` raises; earlier drafts are then already written.
    """
    decided: list[Decided] = []
    for waiting in drafts:
        # Drafts are accepted one by one, because a draft may be similar to the memory that the draft before it became.
        similar = _worth_asking(find_similar_to(store, waiting), decided) if decide else []
        verdicts = decide(waiting, similar) if decide and similar else []
        if verdicts is None:
            why = f"it is similar to {', '.join([f'`{neighbour.name}`' for neighbour in similar])}"
            decided.append(Decided(waiting, replace(preview(store, waiting), status="waiting", why=why), False))
            continue
        decided.append(_accept_one(store, waiting, verdicts))
        if decided[-1].is_discarded:
            _note_review(store.memory_dir, waiting, "accepted")
    return decided


def _worth_asking(similar: list[Neighbour], decided: list[Decided]) -> list[Neighbour]:
    """Those memories about which a person is asked: near ones, and of those accepted just before nearly equal ones.

    The others are unrelated.
    """
    before = {one.outcome.target for one in decided if one.is_discarded and one.outcome.status == "created"}
    return [
        each
        for each in similar
        if each.similarity >= (MIN_SIMILARITY_OF_DRAFTS if each.memory.path in before else MIN_SIMILARITY)
    ]


def _accept_one(store: StoreWriter, waiting: WaitingDraft, verdicts: Sequence[tuple[str, str]]) -> Decided:
    raw = waiting.raw
    if verdicts:
        given = raw.get("relations")
        rows = [{"id": name, "verdict": verdict} for name, verdict in verdicts]
        raw = {**raw, "relations": [*(given if isinstance(given, list) else []), *rows]}
    provenance = Provenance(waiting.origin, waiting.source, is_accepted=True)
    done = commit_drafts(store, [raw], provenance=provenance)
    outcome = done.outcomes[0]
    # An unchanged outcome with a target means that a crash after an earlier acceptance kept the draft in the inbox.
    is_done = outcome.error is None and (outcome.status in DONE or bool(outcome.target))
    if not is_done:
        return Decided(waiting, outcome, is_discarded=False)
    note_dealt(store.memory_dir, waiting, ACCEPTED, current_id())
    discard(store.memory_dir, waiting)
    return Decided(waiting, outcome, is_discarded=True)


def reject(store: StoreWriter, drafts: Sequence[WaitingDraft], together: str = "") -> None:
    """Remove drafts from the inbox without writing them, and remember that. Raises `WriteError`.

    `together` is an id by which they are taken back together; "" if each has only its own.
    """
    for waiting in drafts:
        note_dealt(store.memory_dir, waiting, REJECTED, together)
        discard(store.memory_dir, waiting)
        _note_review(store.memory_dir, waiting, "rejected")


def _note_review(memory_dir: str, waiting: WaitingDraft, what: str) -> None:
    raw, session = waiting.raw, str(waiting.source.get("session", ""))
    given = raw.get("partial_content")
    title = str(given.get("title", "")) if isinstance(given, dict) else ""
    note_capture(memory_dir, [CaptureEvent(REVIEW, what, session, str(raw.get("category", "")), title)])


def edit(store: StoreWriter, waiting: WaitingDraft, raw: object) -> WaitingDraft:
    """Replace the text of a waiting draft. If the new text is invalid, raises its error and keeps the old text."""
    check_draft(raw, 0)
    if not isinstance(raw, dict):
        raise UsageError("the draft is not a JSON object", "write it as `cuecard review show ID --json` does")
    changed = replace(waiting, raw=raw)
    problem = preview(store, changed).error
    if problem:
        raise problem
    vague = describe_problems(find_vagueness(check_draft(raw, 0)))
    return rewrite(store.memory_dir, replace(waiting, why=vague if waiting.why else ""), in_asked_form(raw))
