"""The parts of a memory that show whether new information changes it."""

from dataclasses import dataclass

from ...basics.json_reader import read_json_object

MAX_FIELD_CHARS = 200

# The `content` fields of each category that show what a memory is about.
KEY_FIELDS = {
    "session_summary": ("goal", "outcome"),
    "decision": ("context", "decision", "rationale"),
    "runbook": ("trigger", "root_cause"),
    "constraint": ("rule", "impact"),
    "tech_debt": ("description", "reason_deferred"),
    "preference": ("topic", "value", "reason"),
}


@dataclass(frozen=True)
class Excerpt:
    """The title, status, tags, last change and most important content of a memory."""

    title: str
    record_status: str
    tags: tuple[str, ...]
    last_change_summary: str
    """The summary of the last entry of `changes`; "Initial creation" if there are no entries."""
    key_fields: dict[str, str]
    """The `KEY_FIELDS` that the memory has, each cut to 200 characters; list items are joined with `; `."""

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "title": self.title,
            "record_status": self.record_status,
            "tags": list(self.tags),
            "last_change_summary": self.last_change_summary,
            "key_fields": self.key_fields,
        }


def read_excerpt(data: bytes, category: str) -> Excerpt | None:
    """Read the excerpt from a memory's file; None if the file is not a JSON object.

    Fields with a wrong type count as absent.
    """
    record = read_json_object(data)
    if record is None:
        return None
    tags = record.get("tags")
    return Excerpt(
        _text(record.get("title"), ""),
        _text(record.get("record_status"), "active"),
        tuple([tag for tag in tags if isinstance(tag, str)]) if isinstance(tags, list) else (),
        _last_change(record.get("changes")),
        _key_fields(record.get("content"), category),
    )


def _last_change(changes: object) -> str:
    if not isinstance(changes, list) or not changes:
        return "Initial creation"
    last = changes[-1]
    return _text(last.get("summary") if isinstance(last, dict) else None, "Unknown change")


def _key_fields(content: object, category: str) -> dict[str, str]:
    if not isinstance(content, dict):
        return {}
    found = {}
    for name in KEY_FIELDS[category]:
        value = content.get(name)
        if value is not None:
            words = "; ".join([str(item) for item in value]) if isinstance(value, list) else str(value)
            found[name] = words[:MAX_FIELD_CHARS]
    return found


def _text(value: object, otherwise: str) -> str:
    return value if isinstance(value, str) else otherwise
