"""A memory's history: what changed when, capped."""

from .record_file import Fields
from .record_limits import MAX_SUMMARY_CHARS

MAX_CHANGES = 50
# The history is a reminder, the record is the truth: long values are kept by their beginnings.
MAX_VALUE_CHARS = 500


def change(now: str, summary: str, field: str = "", old: object = None, new: object = None) -> Fields:
    """One entry, dated `now`."""
    entry: Fields = {"date": now, "summary": shorten(summary, MAX_SUMMARY_CHARS)}
    if field:
        entry.update(field=field, old_value=_kept(old), new_value=_kept(new))
    return entry


def has_summary(record: Fields, summary: str) -> bool:
    """Whether an entry of a record's history has this summary."""
    history = record.get("changes")
    entries = history if isinstance(history, list) else []
    return any(isinstance(entry, dict) and entry.get("summary") == change("", summary)["summary"] for entry in entries)


def append(record: Fields, *entries: Fields) -> None:
    """Put entries at the end of a record's history and drop what is too old for it."""
    history = record.get("changes")
    record["changes"] = [*(history if isinstance(history, list) else []), *entries][-MAX_CHANGES:]


def fit(record: Fields) -> None:
    """Shorten the summaries that what stands for a secret has made too long; nobody could do it by an update."""
    for entry in record["changes"]:
        if isinstance(entry, dict) and isinstance(entry.get("summary"), str):
            entry["summary"] = shorten(entry["summary"], MAX_SUMMARY_CHARS)


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters of a text, with a mark where some were left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _kept(value: object) -> object:
    return shorten(value, MAX_VALUE_CHARS) if isinstance(value, str) else value
