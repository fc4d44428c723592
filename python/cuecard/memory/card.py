"""What of a memory's file can be put before an agent: date, state, gist, full text, anchors (SPEC 39.1)."""

from ..basics.chars import WHITESPACE
from ..basics.json_reader import JsonError, read_json
from ..basics.timestamp import parse_timestamp
from .gist import FIELDS, gist_of

# Of the full text, before it is made to fit.
MAX_TEXT_CHARS = 6000
MAX_STATE_CHARS = 20
MAX_ANCHORS = 16
DATE_CHARS = 10
_STATE_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz_")
_LINE_MARKS = str.maketrans("\n\r\t", "   ")

# Date, state, gist, full text, anchors.
Card = tuple[str, str, str, str, list[str]]


def read_card(data: bytes) -> Card | None:
    """The card of a memory's file; None for what is no JSON object.

    The day of its last change, else of its making, as `YYYY-MM-DD`; the status within its content, as `accepted` of a
    decision; one sentence; the fields of its content, those that say most in its category
    first, one a line, each with its name; the files and folders of the
    project that it is about. Each may be empty.
    """
    try:
        record = read_json(data)
    except JsonError:
        return None
    if not isinstance(record, dict):
        return None
    content = record.get("content")
    state = content.get("status") if isinstance(content, dict) else ""
    if not isinstance(state, str) or len(state) > MAX_STATE_CHARS or not _STATE_CHARS.issuperset(state):
        state = ""
    date = _date_of(record.get("updated_at")) or _date_of(record.get("created_at"))
    return date, state, gist_of(record), _text_of(content, record.get("category")), _read_anchors(record)


def _date_of(value: object) -> str:
    """The day in a timestamp that is written with dashes."""
    if not isinstance(value, str) or parse_timestamp(value) is None:
        return ""
    date = value[:DATE_CHARS]
    return date if len(date) == DATE_CHARS and "-" in date else ""


def _text_of(content: object, category: object) -> str:
    """The fields of a content, first those that say most in its category, then the others in their order; the status
    left out."""
    if not isinstance(content, dict):
        return _flat(content)[:MAX_TEXT_CHARS]
    first = FIELDS.get(category, ()) if isinstance(category, str) else ()
    names = [*first, *[name for name in content if name != "status" and name not in first]]
    fields = [(name, _flat(content.get(name))) for name in names]
    return "\n".join([f"{_label(name)}: {text}" for name, text in fields if text])[:MAX_TEXT_CHARS]


def _label(name: str) -> str:
    return _one_line(name.replace("_", " "))


def _flat(value: object) -> str:
    """The texts and whole numbers within a value, in one line."""
    if isinstance(value, str):
        return _one_line(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        return "; ".join([text for text in map(_flat, value) if text])
    if isinstance(value, dict):
        members = [(name, _flat(member)) for name, member in value.items()]
        return ", ".join([f"{_label(name)}: {text}" for name, text in members if text])
    return ""


def _one_line(text: str) -> str:
    """The text with every run of blanks and line ends made one blank."""
    return " ".join([word for word in text.translate(_LINE_MARKS).split(" ") if word]).strip(WHITESPACE)


def _read_anchors(record: dict[str, object]) -> list[str]:
    extension = record.get("cuecard")
    named = [record.get("related_files"), extension.get("anchors") if isinstance(extension, dict) else None]
    found = [anchor for items in named if isinstance(items, list) for anchor in items if isinstance(anchor, str)]
    return list(dict.fromkeys([anchor for anchor in found if anchor]))[:MAX_ANCHORS]
