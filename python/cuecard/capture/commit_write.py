"""Writes a draft as a new memory, an update or a retirement (docs/reference/capture-commit.md, "Write")."""

from dataclasses import dataclass, replace

from ..basics.timestamp import utc_stamp
from ..errors import CuecardError, OverwriteError
from ..files.store_files import StoreFiles
from ..store.intake.intake import admit
from ..store.records import autofix, history
from ..store.records.autofix import MAX_TAGS, UNTAGGED, tidy_tag, tidy_title
from ..store.records.memory import Memory
from ..store.records.record_check import check
from ..store.records.record_file import Fields, extension_of, texts_in
from ..store.records.record_limits import MAX_EVIDENCE, MAX_QUESTIONS
from ..store.records.repair import shorten_title
from ..store.records.slug import apart_id, id_of_title, is_same_title
from ..store.writes.merge import merge
from ..store.writes.store_writer import DRAFTED, StoreWriter
from ..store.writes.transaction import path_of
from ..store.writes.written import Written
from .commit_outcome import Outcome
from .comparing.succession import Relations
from .draft import AgentDraft
from .merging import write_related

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import WriteTrust

IMPORT = "import"
# The values of a decision's `status` that mean that the decision has ended.
OVER = ("deprecated", "superseded")


@dataclass(frozen=True)
class Provenance:
    """Who wrote a memory (`origin`), and from which source."""

    origin: str
    source: Fields
    is_accepted: bool = False
    """Whether the user has read the draft and accepted it."""

    @property
    def trust(self) -> "WriteTrust":
        """Where the text comes from. That an agent names the user as the origin is only the agent's word."""
        if self.is_accepted:
            return "accepted"
        return "unreviewed" if self.origin == IMPORT else DRAFTED

    def extension(self, old: object = None) -> Fields:
        """The `cuecard` fields for a memory. `old` is its present `cuecard` object, whose `origin` is kept."""
        known = old.get("origin") if isinstance(old, dict) else None
        extension: Fields = {"origin": known or self.origin}
        if self.source:
            extension["source"] = self.source
        return extension


BY_AGENT = Provenance("agent", {})


def stored_title(draft: AgentDraft) -> str:
    """The draft's title in the form in which the store saves it."""
    return shorten_title(tidy_title(str(admit({"title": draft.title}).fields["title"])))


def with_free_id(store: StoreWriter, draft: AgentDraft) -> AgentDraft:
    """The draft with an id of its own, if a memory with another title has the one that is made of the title."""
    title = stored_title(draft)
    try:
        there = store.show(path_of(draft.category, id_of_title(draft.category, title)))
    except CuecardError:
        return draft
    return draft if is_same_title(there.title, title) else replace(draft, id=apart_id(draft.category, title))


def new_record(draft: AgentDraft, provenance: Provenance) -> Fields:
    """The record of the new memory that a draft proposes."""
    record = _fields_of(draft)
    if draft.id:
        record["id"] = draft.id
    record["tags"] = draft.tags
    record["cuecard"] = draft.extension | provenance.extension()
    summary = draft.change_summary or "Initial creation"
    record["changes"] = [history.change(utc_stamp(), _admitted(summary))]
    return record


def check_new(record: Fields, category: str) -> Fields:
    """The record of a new memory as the store would save it. Raises what `Store.add` raises for an invalid record."""
    fixed, _fixes = autofix.fix_new(admit(record).fields, category, utc_stamp())
    check(fixed)
    return fixed


def create(
    store: StoreWriter,
    draft: AgentDraft,
    outcome: Outcome,
    provenance: Provenance,
    is_dry_run: bool,
    relations: Relations,
) -> Outcome:
    """Create a memory, or extend the memory `relations.same`. Raises what `Store.add` and `Store.update` raise."""
    record = new_record(draft, provenance)
    if relations.same is not None:
        if is_dry_run:
            title, path = relations.same.title, relations.same.path
            return replace(outcome, status="updated", title=title, target=path, why="this memory says the same")
        return _told(outcome, write_related(store, record, draft.category, relations, provenance.trust))
    if is_dry_run:
        fixed = check_new(record, draft.category)
        path = path_of(draft.category, str(fixed["id"]))
        with StoreFiles(store.memory_dir) as files:
            is_taken = files.exists(path)
        if is_taken:
            raise OverwriteError(
                f"there is a memory `{fixed['id']}` already", "choose another title", found=f"`{fixed['id']}`"
            )
        return replace(outcome, status="created", title=str(fixed["title"]), target=path)
    return _told(outcome, write_related(store, record, draft.category, relations, provenance.trust))


def update(
    store: StoreWriter, draft: AgentDraft, outcome: Outcome, provenance: Provenance, is_dry_run: bool, memory: Memory
) -> Outcome:
    """Update a memory with a draft. Raises what `Store.update` raises, such as `ConflictError` for a changed memory."""
    patch = _patch(draft, memory.record)
    summary = draft.change_summary or draft.new_info
    mended, _fixes = autofix.fix_patch(admit(patch).fields, memory.record)
    # The summary of a `delete` draft is news if the history lacks it. Other drafts only count if they change a field.
    is_news = draft.action == "delete" and not history.has_summary(memory.record, _admitted(summary))
    merged = merge(memory.record, mended, summary if is_news else "", utc_stamp(), store.root)
    if merged is None:
        why = "the memory says so already"
        return replace(outcome, status="unchanged", title=memory.title, target=memory.path, why=why)
    if draft.action == "delete":
        what = f"a {memory.category} is never retired by a draft: its history says what happened, and"
        outcome = replace(outcome, notes=[f"{what} `cuecard retire {memory.id}` takes it out of recall"])
    if is_dry_run:
        check(admit(merged.record).fields)
        return replace(outcome, status="updated", title=str(merged.record.get("title")), target=memory.path)
    # A new source replaces the whole old source, which stays in the history.
    old = memory.extension
    former = old.get("source")
    extension = provenance.extension(old)
    if isinstance(former, dict) and "source" in extension:
        extension["source"] = {**dict.fromkeys(former), **extension["source"]}
    patch["cuecard"] = patch.get("cuecard", {}) | extension
    trust = provenance.trust
    return _told(outcome, store.update(memory.path, patch, expect_hash=memory.hash, summary=summary, trust=trust))


def retire(store: StoreWriter, draft: AgentDraft, outcome: Outcome, is_dry_run: bool, memory: Memory) -> Outcome:
    """Retire a memory. Raises what `Store.retire` raises."""
    outcome = replace(outcome, title=memory.title, target=memory.path)
    if is_dry_run:
        return replace(outcome, status="retired")
    reason = draft.change_summary or draft.new_info
    return _told(outcome, store.retire(memory.path, reason=reason, expect_hash=memory.hash))


def _fields_of(draft: AgentDraft) -> Fields:
    fields: Fields = {"title": draft.title, "content": draft.content}
    if draft.confidence is not None:
        fields["confidence"] = draft.confidence
    if draft.related_files:
        fields["related_files"] = draft.related_files
    return fields


def _patch(draft: AgentDraft, old: Fields) -> Fields:
    """The patch for the record `old`. Tags and files are only added; other fields of the draft replace old values."""
    patch = {name: value for name, value in _fields_of(draft).items() if value}
    content = old.get("content")
    if draft.action == "delete" and draft.category == "decision" and isinstance(content, dict):
        is_over = content.get("status") in OVER
        status = "superseded" if draft.lifecycle_event == "superseded" else "deprecated"
        patch["content"] = ({} if is_over else {"status": status}) | draft.content
    tags = texts_in(old.get("tags"))
    known = {tidy_tag(tag) for tag in tags}
    fresh = [tag for tag in dict.fromkeys(map(tidy_tag, draft.tags)) if tag and tag not in known and tag != UNTAGGED]
    room = max(0, MAX_TAGS - len(tags))
    if fresh[:room]:
        patch["tags"] = [*tags, *fresh[:room]]
    files = texts_in(old.get("related_files"))
    new_files = [name for name in dict.fromkeys(draft.related_files) if name not in files]
    patch.pop("related_files", None)
    if new_files:
        patch["related_files"] = [*files, *new_files]
    before = extension_of(old)
    if draft.replaces and before.get("gist"):
        # The old gist says what held before.
        patch["cuecard"] = {"gist": None}
    if draft.extension:
        joined = _joined_evidence(draft.extension, before) | _joined_questions(draft.extension, before)
        patch["cuecard"] = patch.get("cuecard", {}) | draft.extension | joined
    return patch


def _joined_evidence(new: Fields, old: Fields) -> Fields:
    """The field `evidence` with the evidence of a memory and of a draft; {} if either has no list of evidence."""
    mine, theirs = new.get("evidence"), old.get("evidence")
    if not isinstance(mine, list) or not isinstance(theirs, list):
        return {}
    return {"evidence": [*[piece for piece in theirs if piece not in mine], *mine][-MAX_EVIDENCE:]}


def _joined_questions(new: Fields, old: Fields) -> Fields:
    """The field `questions` with those of a draft, then those of a memory as far as there is room."""
    mine, theirs = texts_in(new.get("questions")), texts_in(old.get("questions"))
    return {"questions": list(dict.fromkeys([*mine, *theirs]))[:MAX_QUESTIONS]} if mine and theirs else {}


def _admitted(summary: str) -> str:
    """A summary in the form in which the store saves it."""
    return str(admit({"summary": summary}).fields["summary"])


def _told(outcome: Outcome, written: Written) -> Outcome:
    is_done = written.status in ("created", "updated", "retired")
    return replace(
        outcome,
        status=written.status if is_done else "unchanged",
        title=written.title,
        target=written.target,
        why="" if is_done else "the memory says so already",
        written=written,
    )
