"""The models of the six categories of memory, which define the format of a memory's file.

`tools/gen_schemas.py` generates `assets/schemas` from these models, and the hook's schema check reads those schemas
(SPEC 17). The fields come from the claude-memory plugin; all fields that cuecard adds are in the object `cuecard`.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from .record_limits import (
    MAX_CONFLICTS,
    MAX_EVIDENCE,
    MAX_FORBID_CHARS,
    MAX_FORBIDS,
    MAX_GIST_CHARS,
    MAX_HEADING_CHARS,
    MAX_POINTER_PATH_CHARS,
    MAX_QUESTION_CHARS,
    MAX_QUESTIONS,
    MAX_QUOTE_CHARS,
    MAX_REFERENCE_CHARS,
    MAX_SCOPES,
    MAX_SECTION_CHARS,
    MAX_SECTIONS,
    MAX_SUBJECT_CHARS,
    MAX_SUMMARY_CHARS,
    MAX_TITLE_CHARS,
)

CategoryName = Literal["session_summary", "decision", "runbook", "constraint", "tech_debt", "preference"]
CATEGORIES: tuple[CategoryName, ...] = get_args(CategoryName)

SCHEMA_VERSION = "1.0"
ID_PATTERN = "^[a-z0-9]([a-z0-9-]{0,78}[a-z0-9])?$"

Some = Annotated[list[str], Field(min_length=1)]
# Why, what for, how to check: nobody has to invent what was not said.
SomeIfSaid = Some | None
TextIfSaid = str | None


class Closed(BaseModel):
    """An object without unknown fields, whose values are not converted to other types."""

    # Models are built when they are first used, because a command usually needs one category of six.
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class Change(Closed):
    """An entry of a memory's history."""

    date: str
    summary: Annotated[str, Field(max_length=MAX_SUMMARY_CHARS)]
    field: str | None = None
    old_value: Any = None
    new_value: Any = None


class Source(BaseModel):
    """The source of a drafted or imported memory. File names have no folder, because it differs between machines."""

    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)

    session: str | None = None
    transcript: str | None = None
    # The range of bytes in the transcript that was read.
    start: Annotated[int, Field(ge=0)] | None = None
    end: Annotated[int, Field(ge=0)] | None = None
    # For an import: the kind of its source, the file in it, the heading, and digests of the text read and written.
    kind: str | None = None
    path: str | None = None
    heading: str | None = None
    digest: str | None = None
    written: str | None = None
    date: str | None = None


class Evidence(Closed):
    """A piece of evidence for a memory: a commit, a file, a command, a ticket, or words of the user or of an agent."""

    kind: Literal["commit", "file", "command", "ticket", "user", "agent"]
    # The reference: the hash of a commit, a path, a command line, or the number of a ticket. Words that were said need
    # none beside their quotation.
    ref: Annotated[str, Field(min_length=1, max_length=MAX_REFERENCE_CHARS)] | None = None
    # The day on which the evidence was seen, as an ISO 8601 date.
    at: str | None = None
    quote: Annotated[str, Field(max_length=MAX_QUOTE_CHARS)] | None = None


class AppliesTo(Closed):
    """A part of the project, a version or a platform to which a memory applies."""

    component: Annotated[str, Field(min_length=1, max_length=MAX_REFERENCE_CHARS)] | None = None
    version: Annotated[str, Field(min_length=1, max_length=MAX_REFERENCE_CHARS)] | None = None
    platform: Annotated[str, Field(min_length=1, max_length=MAX_REFERENCE_CHARS)] | None = None


class Section(Closed):
    """A part of a longer text, such as a branch of a runbook, as it was written (SPEC 39.7)."""

    heading: Annotated[str, Field(max_length=MAX_HEADING_CHARS)]
    text: Annotated[str, Field(min_length=1, max_length=MAX_SECTION_CHARS)]


class Pointer(Closed):
    """A place in a document of the project that a memory names instead of copying it (SPEC 39.8)."""

    # The path from the project's root, with `/` between its parts.
    path: Annotated[str, Field(min_length=1, max_length=MAX_POINTER_PATH_CHARS)]
    # The heading in the document; missing for the whole document.
    heading: Annotated[str, Field(max_length=MAX_HEADING_CHARS)] | None = None
    # The document when the memory was written: hash, bytes, and the time of its last change (ISO 8601).
    sha256: str | None = None
    size: Annotated[int, Field(ge=0)] | None = None
    time: str | None = None


# What a constraint or preference forbids: `code: TEXT`, `import: MODULE`, `command: WORDS` or `path: PATTERN`.
Forbidden = Annotated[str, Field(min_length=1, max_length=MAX_FORBID_CHARS)]
Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]


class FieldConflict(Closed):
    """The value of a field that gave way when two branches had changed it (docs/reference/merging.md)."""

    # The full name, such as `content.decision`.
    field: Annotated[str, Field(min_length=1, max_length=MAX_REFERENCE_CHARS)]
    value: Any
    # The time of the version that had this value.
    date: str


class Extension(BaseModel):
    """The fields that cuecard adds to the plugin's fields. Unknown fields, for example of a later version, are kept."""

    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)

    origin: Literal["user", "agent", "import"] | None = None
    source: Source | None = None
    # One sentence that is shown instead of a sentence chosen from the content (SPEC 32).
    gist: Annotated[str, Field(min_length=1, max_length=MAX_GIST_CHARS)] | None = None
    # Questions that this memory answers, in the words and languages in which people type them.
    questions: Annotated[list[Question], Field(max_length=MAX_QUESTIONS)] | None = None
    evidence: Annotated[list[Evidence], Field(max_length=MAX_EVIDENCE)] | None = None
    # ISO 8601 dates. After `valid_until` the memory counts as superseded.
    valid_from: str | None = None
    valid_until: str | None = None
    applies_to: Annotated[list[AppliesTo], Field(max_length=MAX_SCOPES)] | None = None
    # What this memory is about together with others. They are shown together (SPEC 33.5).
    subject: Annotated[str, Field(min_length=1, max_length=MAX_SUBJECT_CHARS)] | None = None
    supersedes: list[str] | None = None
    # Memories that contradict this one, as long as nobody has decided which of them is right.
    contradicts: list[str] | None = None
    # What gave way in a merge, until an update decides.
    conflicts: Annotated[list[FieldConflict], Field(max_length=MAX_CONFLICTS)] | None = None
    derived_from: list[str] | None = None
    causes: list[str] | None = None
    anchors: list[str] | None = None
    forbids: Annotated[list[Forbidden], Field(max_length=MAX_FORBIDS)] | None = None
    # The parts of a longer text, of which recall shows the one that fits the prompt.
    sections: Annotated[list[Section], Field(max_length=MAX_SECTIONS)] | None = None
    pointer: Pointer | None = None
    # The reasons why the text seems to address the model, its tools or secrets, found at the last write (SPEC 46).
    flags: list[str] | None = None


class Record(Closed):
    """The fields that every memory has."""

    schema_version: Literal["1.0"]
    category: CategoryName
    id: Annotated[str, StringConstraints(pattern=ID_PATTERN)]
    title: Annotated[str, Field(max_length=MAX_TITLE_CHARS)]
    record_status: Literal["active", "retired", "archived"] = "active"
    created_at: str
    updated_at: str
    tags: Some
    related_files: list[str] | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    content: Closed
    changes: list[Change] | None = None
    times_updated: int = 0
    retired_at: str | None = None
    retired_reason: str | None = None
    archived_at: str | None = None
    archived_reason: str | None = None
    cuecard: Extension | None = None


class Alternative(Closed):
    """An option that was rejected, and why."""

    option: str
    rejected_reason: TextIfSaid = None


class DecisionContent(Closed):
    """What was chosen, and why."""

    status: Literal["proposed", "accepted", "deprecated", "superseded"]
    context: TextIfSaid = None
    decision: str
    alternatives: list[Alternative] | None = None
    rationale: SomeIfSaid = None
    consequences: list[str] | None = None


class SessionSummaryContent(Closed):
    """What a session did, and what remains to be done."""

    goal: str
    outcome: Literal["success", "partial", "blocked", "abandoned"]
    completed: list[str]
    in_progress: list[str] | None = None
    blockers: list[str] | None = None
    next_actions: list[str]
    key_changes: list[str] | None = None


class RunbookContent(Closed):
    """What to do when something happens."""

    trigger: str
    symptoms: list[str] | None = None
    steps: Some
    verification: TextIfSaid = None
    root_cause: str | None = None
    environment: str | None = None


class ConstraintContent(Closed):
    """A rule about what cannot or must not be done."""

    kind: Literal["limitation", "gap", "policy", "technical"]
    rule: str
    impact: SomeIfSaid = None
    workarounds: list[str] | None = None
    severity: Literal["high", "medium", "low"]
    active: bool
    expires: str | None = None


class TechDebtContent(Closed):
    """Work that was deferred, and why."""

    status: Literal["open", "in_progress", "resolved", "wont_fix"]
    priority: Literal["critical", "high", "medium", "low"]
    description: str
    reason_deferred: TextIfSaid = None
    impact: list[str] | None = None
    suggested_fix: list[str] | None = None
    acceptance_criteria: list[str] | None = None


class Examples(Closed):
    """Examples of what to prefer and what to avoid."""

    prefer: list[str] | None = None
    avoid: list[str] | None = None


class PreferenceContent(Closed):
    """How the user or the team wants things done."""

    topic: str
    value: str
    reason: TextIfSaid = None
    strength: Literal["strong", "default", "soft"]
    examples: Examples | None = None


class Decision(Record):
    """A memory of the category `decision`."""

    category: Literal["decision"]
    content: DecisionContent


class SessionSummary(Record):
    """A memory of the category `session_summary`."""

    category: Literal["session_summary"]
    content: SessionSummaryContent


class Runbook(Record):
    """A memory of the category `runbook`."""

    category: Literal["runbook"]
    content: RunbookContent


class Constraint(Record):
    """A memory of the category `constraint`."""

    category: Literal["constraint"]
    content: ConstraintContent


class TechDebt(Record):
    """A memory of the category `tech_debt`."""

    category: Literal["tech_debt"]
    content: TechDebtContent


class Preference(Record):
    """A memory of the category `preference`."""

    category: Literal["preference"]
    content: PreferenceContent


MODELS: dict[str, type[Record]] = {
    "session_summary": SessionSummary,
    "decision": Decision,
    "runbook": Runbook,
    "constraint": Constraint,
    "tech_debt": TechDebt,
    "preference": Preference,
}


def content_model(category: str) -> type[BaseModel]:
    """The model of the content of a category's memories."""
    model = MODELS[category].model_fields["content"].annotation
    if not isinstance(model, type) or not issubclass(model, BaseModel):
        raise TypeError(f"the model of the category `{category}` has no model of its content")
    return model
