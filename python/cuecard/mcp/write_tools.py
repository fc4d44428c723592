"""`memory_save`, `memory_update` and `memory_retire`: the store's own writers, in the name of the agent.

Rules: docs/reference/mcp.md, "Tools".
"""

from ..basics.chars import scrub
from ..errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..store.writes.written import Written
    from .message import Json
    from .project import OpenProject

ORIGIN = "agent"


def save(project: "OpenProject", arguments: "Json") -> "Json":
    """Write a new memory, or return a question: how does it relate to the similar memories that are there?

    Its origin is the agent, unless the arguments name another.
    See `Store.add` for errors.
    """
    store = project.writer(create=True)
    from ..capture.relations import read_relations
    from ..capture.succession import QUESTION, describe, find_similar, resolve_relations, write

    given = arguments.get("cuecard", {})
    extension = given if isinstance(given, dict) else {}
    record = {name: value for name, value in arguments.items() if name != "relations"}
    record["cuecard"] = {"origin": ORIGIN, **extension}
    relations = resolve_relations(store, read_relations(arguments.get("relations")))
    similar = find_similar(store, record, relations=relations)
    if similar:
        return {"status": "needs_relations", "question": QUESTION, "similar": describe(store, similar)}
    return _tell(write(store, record, relations=relations))


def update(project: "OpenProject", arguments: "Json") -> "Json":
    """A changed memory; see `Store.update` for errors."""
    store = project.writer()
    patch = arguments["patch"]
    if not isinstance(patch, dict) or not patch:
        raise InputError("the patch is empty", "put the fields that change into `patch`", field="patch")
    hash, summary = str(arguments.get("expected_hash", "")), scrub(str(arguments.get("summary", "")))
    return _tell(store.update(_name(arguments), patch, expect_hash=hash, summary=summary))


def retire(project: "OpenProject", arguments: "Json") -> "Json":
    """Take a memory out of recall; see `Store.retire` for errors."""
    return _tell(project.writer().retire(_name(arguments), reason=scrub(str(arguments["reason"]))))


def _name(arguments: "Json") -> str:
    return scrub(str(arguments["id"]))


def _tell(written: "Written") -> "Json":
    """What a write did; what did not happen is left out."""
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
