"""JSON Schemas of the claude-memory plugin, written from its documentation and not from our models.

Objects are closed at every level. An optional field is absent or has its type, but is never null. Values in `changes`
may be anything. The plugin requires no status and no counter, though it writes both.
"""

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
SOME_TEXTS: Schema = TEXTS | {"minItems": 1}
REASON: Schema = TEXT | {"maxLength": 300}


def one_of(*names: str) -> Schema:
    """The schema of a string that must be one of some names."""
    return {"enum": list(names)}


def closed(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """The schema of an object that may have these fields and no other fields."""
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }


CONTENTS: dict[str, Schema] = {
    "decision": closed(
        {
            "status": one_of("proposed", "accepted", "deprecated", "superseded"),
            "context": TEXT,
            "decision": TEXT,
            "rationale": SOME_TEXTS,
        },
        {
            "alternatives": {"type": "array", "items": closed({"option": TEXT, "rejected_reason": TEXT})},
            "consequences": TEXTS,
        },
    ),
    "session_summary": closed(
        {
            "goal": TEXT,
            "outcome": one_of("success", "partial", "blocked", "abandoned"),
            "completed": TEXTS,
            "next_actions": TEXTS,
        },
        {"in_progress": TEXTS, "blockers": TEXTS, "key_changes": TEXTS},
    ),
    "runbook": closed(
        {"trigger": TEXT, "steps": SOME_TEXTS, "verification": TEXT},
        {"symptoms": TEXTS, "root_cause": TEXT, "environment": TEXT},
    ),
    "constraint": closed(
        {
            "kind": one_of("limitation", "gap", "policy", "technical"),
            "rule": TEXT,
            "impact": SOME_TEXTS,
            "severity": one_of("high", "medium", "low"),
            "active": {"type": "boolean"},
        },
        {"workarounds": TEXTS, "expires": TEXT},
    ),
    "tech_debt": closed(
        {
            "status": one_of("open", "in_progress", "resolved", "wont_fix"),
            "priority": one_of("critical", "high", "medium", "low"),
            "description": TEXT,
            "reason_deferred": TEXT,
        },
        {"impact": TEXTS, "suggested_fix": TEXTS, "acceptance_criteria": TEXTS},
    ),
    "preference": closed(
        {"topic": TEXT, "value": TEXT, "reason": TEXT, "strength": one_of("strong", "default", "soft")},
        {"examples": closed({}, {"prefer": TEXTS, "avoid": TEXTS})},
    ),
}


def prior_art_schema(category: str) -> Schema:
    """The schema of the memory files of a category."""
    change = closed({"date": TEXT, "summary": REASON}, {"field": TEXT, "old_value": {}, "new_value": {}})
    record = closed(
        {
            "schema_version": {"const": "1.0"},
            "category": {"const": category},
            "id": TEXT | {"pattern": r"^[a-z0-9]([a-z0-9-]{0,78}[a-z0-9])?$"},
            "title": TEXT | {"maxLength": 120},
            "created_at": TEXT,
            "updated_at": TEXT,
            "tags": SOME_TEXTS,
            "content": CONTENTS[category],
        },
        {
            "record_status": one_of("active", "retired", "archived"),
            "related_files": TEXTS,
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "changes": {"type": "array", "items": change, "maxItems": 50},
            "times_updated": {"type": "integer"},
            "retired_at": TEXT,
            "retired_reason": REASON,
            "archived_at": TEXT,
            "archived_reason": REASON,
        },
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | record
