"""The JSON Schemas of the tools' arguments and results (draft 2020-12; docs/reference/mcp.md, "Tools").

They use only keywords that every client understands: no references, no alternatives, no formats.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message import Json

CATEGORIES = ("decision", "constraint", "preference", "runbook", "tech_debt", "session_summary")
VERDICTS = ("same", "updates", "contradicts", "unrelated")
STATUSES = ("active", "retired", "archived", "all")
MAX_HITS, DEFAULT_HITS = 50, 10
MAX_QUERY_CHARS = 20_000

CONTENT_FIELDS = """\
What the category asks for ([] is a list of texts, ? may be left out where nobody said it, | is a choice). \
decision: status proposed|accepted|deprecated|superseded, decision, context?, rationale[]?, alternatives? of {option, \
rejected_reason?}, consequences[]?. \
constraint: kind limitation|gap|policy|technical, rule, impact[]?, severity high|medium|low, active true|false, \
workarounds[]?, expires?. \
preference: topic, value, reason?, strength strong|default|soft, examples? {prefer[]?, avoid[]?}. \
runbook: trigger, steps[], verification?, symptoms[]?, root_cause?, environment?. \
tech_debt: status open|in_progress|resolved|wont_fix, priority critical|high|medium|low, description, \
reason_deferred?, impact[]?, suggested_fix[]?, acceptance_criteria[]?. \
session_summary: goal, outcome success|partial|blocked|abandoned, completed[], next_actions[], in_progress[]?, \
blockers[]?, key_changes[]?."""


def _text(description: str = "", **more: object) -> "Json":
    return {"type": "string", **({"description": description} if description else {}), **more}


def _texts(description: str = "", **more: object) -> "Json":
    return {"type": "array", **({"description": description} if description else {}), **more, "items": _text()}


def _number(description: str = "", kind: str = "integer", **more: object) -> "Json":
    return {"type": kind, **({"description": description} if description else {}), **more}


def _closed(properties: "Json", *required: str) -> "Json":
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _open(description: str = "") -> "Json":
    return {"type": "object", **({"description": description} if description else {}), "additionalProperties": True}


_ID = _text("Its id, CATEGORY/ID, title, or the path of its file.", minLength=1)

SEARCH_INPUT = _closed(
    {
        "query": _text(
            "A few words, an identifier, an error message or a whole question.", minLength=1, maxLength=MAX_QUERY_CHARS
        ),
        "limit": _number("The most hits to return.", minimum=1, maximum=MAX_HITS, default=DEFAULT_HITS),
        "categories": {
            "type": "array",
            "description": "Only these categories.",
            "items": _text(enum=[*CATEGORIES]),
        },
        "tags": _texts("Only memories that have all of these tags."),
        "status": _text("`retired` and `archived` memories no longer hold.", enum=[*STATUSES], default="active"),
        "detail": _text("`full` adds the text of each hit.", enum=["short", "full"], default="short"),
    },
    "query",
)
GET_INPUT = _closed(
    {
        "id": _ID,
        "scope": _text("The `scope` of the hit, where several stores have the id; `project` for one without."),
    },
    "id",
)
SAVE_INPUT = _closed(
    {
        "category": _text("What kind of memory it is.", enum=[*CATEGORIES]),
        "title": _text("What it says, in one short line that others will search for.", minLength=1, maxLength=200),
        "tags": _texts("The words under which it should be found.", minItems=1),
        "content": _open(CONTENT_FIELDS),
        "related_files": _texts("Paths of the project's files that the memory is about."),
        "confidence": _number("How certain it is, 0 to 1.", "number", minimum=0, maximum=1),
        "cuecard": _open(
            "All optional: `questions`, five texts that people type who do not know the memory, in words that it has "
            "not: two symptoms, two orders, another name for the subject; one in English; `evidence`, a list of {kind "
            "commit|file|command|ticket|user, ref, at?, quote?} that shows why it holds; `valid_from` and "
            "`valid_until`, dates; `applies_to`, a list of {component?, version?, platform?}; `subject`, what it is "
            "about together with others, which are shown beside it; `forbids`, in a constraint or preference the "
            "`code: print()`, `import: requests`, `command: npm install` or `path: src/gen/**` that it rules out; "
            "`gist`, one sentence of at most 200 characters; `supersedes`, ids of memories that it "
            "replaces and which are retired; `derived_from`, ids of memories that it comes from; `anchors`, paths or "
            "`path/*.ext` patterns at which it should be shown; `origin`, `user` where the user dictated it."
        ),
        "relations": {
            "type": "array",
            "description": "The answer to `needs_relations`: the relation of the new memory to each similar memory. "
            "`same`: both say the same, and new details are added to the old memory; `updates`: the new memory takes "
            "its place; `contradicts`: only one can hold, and nobody has decided which; `unrelated`.",
            "items": _closed({"id": _ID, "verdict": _text(enum=[*VERDICTS])}, "id", "verdict"),
        },
    },
    "category",
    "title",
    "tags",
    "content",
)
MAX_DRAFTS_OF_SECTION = 20
DRAFT_INPUT = _closed(
    {
        "source": _closed(
            {name: _text(maxLength=1000) for name in ("kind", "path", "heading", "digest")},
            *("kind", "path", "heading", "digest"),
        ),
        "drafts": {
            "type": "array",
            "description": "One draft for each memory; an empty list if the section has nothing to keep.",
            "maxItems": MAX_DRAFTS_OF_SECTION,
            "items": _closed(
                {
                    "category": _text(enum=[*CATEGORIES]),
                    "title": _text(minLength=1, maxLength=200),
                    "tags": _texts(minItems=1),
                    "content": _open("As in memory_save."),
                    "related_files": _texts(),
                    "confidence": _number(kind="number", minimum=0, maximum=1),
                    "questions": _texts("As in memory_save."),
                    "evidence": {"type": "array", "items": _open("As in memory_save.")},
                },
                *("category", "title", "tags", "content"),
            ),
        },
    },
    "source",
    "drafts",
)
UPDATE_INPUT = _closed(
    {
        "id": _ID,
        "patch": _open(
            "A JSON merge patch of the record: what it leaves out stays, null removes an optional field, lists are "
            'replaced whole. For example {"content": {"status": "deprecated"}}.'
        ),
        "expected_hash": _text(
            "The `hash` that memory_get gave; the update is refused if the memory has changed since.", minLength=1
        ),
        "summary": _text("What changed and why, for its history."),
    },
    "id",
    "patch",
)
RETIRE_INPUT = _closed(
    {"id": _ID, "reason": _text("Why it no longer holds, for its history.", minLength=1)}, "id", "reason"
)
STATUS_INPUT = _closed({})

_HIT = _closed(
    {
        "id": _text(),
        "category": _text(),
        "title": _text(),
        "gist": _text("What it says, in a sentence."),
        "date": _text("The day of its last change."),
        "score": _number("How well it fits; comparable only within this answer."),
        "probability": _number("How sure it is that the memory helps, 0 to 1.", "number"),
        "status": _text("Only for memories that are not active."),
        "validity": _text("Only for memories that do not hold now: their status, `ended DATE` or `from DATE`."),
        "scope": _text("Only for memories of other stores: `parent`, `user` or `team NAME`."),
        "trust": _text("Only `unreviewed`: nobody on this machine vouches for its text."),
        "text": _text("With `detail` full: its content, field by field."),
    },
    "id",
    "category",
    "title",
    "gist",
    "date",
    "score",
)
SEARCH_OUTPUT = _closed(
    {"hits": {"type": "array", "items": _HIT}, "note": _text("Further notes about the hits.")}, "hits"
)
GET_OUTPUT = _closed(
    {
        "id": _text(),
        "category": _text(),
        "path": _text(),
        "status": _text(),
        "scope": _text("Only for a memory of another store, which memory_update cannot change."),
        "hash": _text("For `expected_hash` of memory_update."),
        "record": _open("The whole memory."),
        "trust": _text("Only `unreviewed`: nobody on this machine vouches for its text."),
        "withheld": _text("Why the record is empty."),
    },
    "id",
    "category",
    "path",
    "status",
    "hash",
    "record",
)
_WRITTEN: "Json" = {
    "status": _text("What happened: created, updated, retired, unchanged, already_retired and so on."),
    "id": _text(),
    "category": _text(),
    "title": _text(),
    "path": _text(),
    "hash": _text("For `expected_hash` of the next update."),
    "warnings": _texts("What the user should check."),
    "fixes": _texts("What was corrected before the write."),
    "redactions": _texts("Secrets that were removed."),
    "retired": _texts("Old session summaries that were retired, because their number is limited."),
    "superseded": _texts("Memories that this one replaces."),
    "renamed_from": _text("Its path before the new title changed the path."),
}
WRITTEN_OUTPUT = _closed(_WRITTEN, "status", "id", "category", "title", "path", "hash")
_SIMILAR = _closed(
    {
        "id": _text("The id to use in `relations`."),
        "path": _text(),
        "title": _text(),
        "excerpt": _text("What it says, in a sentence."),
        "date": _text("The day of its last change."),
        "similarity": _number("0 to 1.", "number"),
        "reason": _text("Why it is similar."),
        "trust": _text("Only `unreviewed`: nobody on this machine vouches for its text."),
    },
    "id",
    "path",
    "date",
    "similarity",
    "reason",
)
SAVE_OUTPUT = _closed(
    {
        **_WRITTEN,
        "status": _text("What happened: created, updated or unchanged; `needs_relations` where nothing was written."),
        "question": _text("With `needs_relations`: the question to answer."),
        "similar": {"type": "array", "items": _SIMILAR},
    },
    "status",
)
DRAFT_OUTPUT = _closed(
    {
        "status": _text("`waiting`, or `nothing waits`."),
        "drafts": {
            "type": "array",
            "items": _closed(
                {
                    "title": _text(),
                    "status": _text("waiting, unchanged or failed."),
                    "why": _text(),
                    "waits_as": _text("Its id for `cuecard review`."),
                },
                "title",
                "status",
            ),
        },
    },
    "status",
    "drafts",
)
STATUS_OUTPUT = _closed(
    {
        "root": _text("The project's folder."),
        "version": _text(),
        "backend": _text("The backend that serves: native or pure."),
        "active": _number(),
        "retired": _number(),
        "archived": _number(),
        "categories": _open("Active memories by category."),
        "health": _text("GOOD or NEEDS ATTENTION."),
        "reasons": _texts("Why it needs attention."),
        "settings": _open("The settings of recall."),
        "log": _texts("The last lines of the hook's log: what went wrong."),
    },
    "root",
    "version",
    "backend",
    "active",
    "retired",
    "archived",
    "categories",
    "health",
    "reasons",
    "settings",
    "log",
)
