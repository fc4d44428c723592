"""`memory_save`, `memory_draft`, `memory_update` and `memory_retire`, which write with the agent as the origin.

Rules: docs/reference/mcp.md, "Tools".
"""

from ..basics.chars import scrub
from ..errors import InputError
from .arguments import fit_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..capture.commit_outcome import Outcome
    from ..store.writes.written import Written
    from .message import Json
    from .project import OpenProject

ORIGIN = "agent"


def save(project: "OpenProject", arguments: "Json") -> "Json":
    """Write a new memory. If there are similar memories, write nothing and ask for the relation to each.

    The origin of the memory is the agent, unless the arguments name another origin. See `Store.add` for errors.
    """
    store = project.writer(create=True)
    from ..capture.comparing.relations import read_relations
    from ..capture.comparing.succession import QUESTION, describe, find_similar, resolve_relations
    from ..capture.merging import write_related
    from ..capture.said import with_true_evidence

    arguments = fit_record(arguments)
    given = arguments.get("cuecard", {})
    extension = given if isinstance(given, dict) else {}
    record = {name: value for name, value in arguments.items() if name != "relations"}
    record["cuecard"] = {"origin": ORIGIN, **extension}
    record = with_true_evidence(store.memory_dir, record)
    _refuse_personal_data(store.memory_dir, record)
    relations = resolve_relations(store, read_relations(arguments.get("relations")))
    similar = find_similar(store, record, relations=relations)
    if similar:
        return {"status": "needs_relations", "question": QUESTION, "similar": describe(store, similar)}
    return _tell(write_related(store, record, relations=relations))


def draft(project: "OpenProject", arguments: "Json") -> "Json":
    """Put drafts from a section of a document into the inbox, where they wait until the user accepts them."""
    store = project.writer(create=True)
    from ..capture.review import hand_in

    source, given = arguments["source"], arguments["drafts"]
    if not isinstance(given, list) or not isinstance(source, dict):
        raise InputError(
            "the drafts are not a list, or the source is not an object", "give arguments that match the schema"
        )
    drafts: list[Json] = [_as_draft(each, source) for each in given]
    done = hand_in(store, drafts or [{"category": "decision", "action": "noop", "source": source}])
    outcomes = done.outcomes if drafts else []
    return {
        "status": "waiting" if any(outcome.waits_as for outcome in outcomes) else "nothing waits",
        "drafts": [_tell_outcome(outcome) for outcome in outcomes],
    }


def _as_draft(given: "Json", source: "Json") -> "Json":
    """A draft in the form of `cuecard capture commit`."""
    given = fit_record(given)
    partial = {name: value for name, value in given.items() if name != "category"}
    title = given["title"]
    named = {"category": given["category"], "action": "create", "new_info_summary": title, "source": source}
    return {**named, "partial_content": partial}


def _tell_outcome(outcome: "Outcome") -> "Json":
    """The outcome of a draft as JSON."""
    error = outcome.error
    told: Json = {"title": outcome.title, "status": outcome.status}
    more = {"why": str(error.what) if error else outcome.why, "waits_as": outcome.waits_as}
    return {**told, **{name: value for name, value in more.items() if value}}


def update(project: "OpenProject", arguments: "Json") -> "Json":
    """Change a memory; see `Store.update` for errors."""
    store = project.writer()
    patch = arguments["patch"]
    if not isinstance(patch, dict) or not patch:
        raise InputError("the patch is empty", "put the fields that change into `patch`", field="patch")
    _refuse_personal_data(store.memory_dir, patch)
    hash, summary = str(arguments.get("expected_hash", "")), scrub(str(arguments.get("summary", "")))
    from ..capture.said import with_true_evidence

    patch = with_true_evidence(store.memory_dir, patch)
    return _tell(store.update(_name(arguments), patch, expect_hash=hash, summary=summary))


def retire(project: "OpenProject", arguments: "Json") -> "Json":
    """Take a memory out of recall; see `Store.retire` for errors."""
    from ..store.trust.agent_text import write_title
    from ..store.trust.agent_view import views_of

    writer = project.writer()
    told = _tell(writer.retire(_name(arguments), reason=scrub(str(arguments["reason"]))))
    memory = writer.show(str(told["path"]))
    # The agent did not write this title.
    [view] = views_of(writer.memory_dir, [memory])
    return {**told, "title": write_title(memory.title, view)}


def _refuse_personal_data(memory_dir: str, fields: "Json") -> None:
    """Raise `InputError` if what an agent wants to write has personal data, which only the user may decide about."""
    from ..store.intake.personal_data import describe_personal_data, find_in_shared

    found = find_in_shared(memory_dir, fields)
    if found:
        what = f"it has {describe_personal_data(found)}, and memories travel with the project"
        hint = "leave it out, or ask the user, who can write it with `cuecard add` on a terminal"
        raise InputError(what, hint, field=found[0].field, expected="no data of a person", found=found[0].kind)


def _name(arguments: "Json") -> str:
    return scrub(str(arguments["id"]))


def _tell(written: "Written") -> "Json":
    """The result of a write as JSON, without empty fields."""
    told: Json = {
        "status": written.status,
        "id": written.id,
        "category": written.category,
        "title": written.title,
        "path": written.target,
        "hash": written.hash,
    }
    more: Json = {
        "warnings": written.warnings,
        "fixes": [f"`{fix.field}`: {fix.what}" for fix in written.fixes],
        "redactions": [f"`{found.field}`: {found.kind} ({found.count})" for found in written.redactions],
        "retired": written.retired,
        "superseded": written.superseded,
        "renamed_from": written.renamed_from,
    }
    return {**told, **{name: value for name, value in more.items() if value}}
