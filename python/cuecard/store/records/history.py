"""The history of a memory: its last changes, each with a date."""

from .record_file import Fields
from .record_limits import MAX_SUMMARY_CHARS

MAX_CHANGES = 50
# Only this many characters of a value are kept in the history; the record itself has the whole value.
MAX_VALUE_CHARS = 500


def change(now: str, summary: str, field: str = "", old: object = None, new: object = None) -> Fields:
    """Return an entry of the history with the date `now`; with `field`, it also has the old and the new value."""
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
    """Append entries to a record's history, and drop the oldest beyond `MAX_CHANGES`."""
    history = record.get("changes")
    record["changes"] = [*(history if isinstance(history, list) else []), *entries][-MAX_CHANGES:]


def fit(record: Fields) -> None:
    """Shorten summaries that became too long when a secret in them was replaced. An update could not shorten them."""
    for entry in record["changes"]:
        if isinstance(entry, dict) and isinstance(entry.get("summary"), str):
            entry["summary"] = shorten(entry["summary"], MAX_SUMMARY_CHARS)


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text; a shortened text ends with "…"."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _kept(value: object) -> object:
    return shorten(value, MAX_VALUE_CHARS) if isinstance(value, str) else value
