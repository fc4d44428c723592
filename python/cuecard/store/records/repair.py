"""Repairs values of a record that have the wrong form and one obvious meaning (SPEC 18.2).

- A text in place of a list becomes its only item, or its items if each of several lines has a mark or a number.
- A list of texts in place of a text becomes a text. An alternative may be a text.
- A name of a fixed list is taken in any case.
- The first five questions are kept. Evidence without `ref` and `quote` is left out.
- A path in place of a piece of evidence is a piece of the kind `file`, and so is an object with a `path`.
- A month becomes its first day (`valid_from`) or its last (`valid_until`).
- A confidence may be `high`, `medium`, `low` or a percentage.
- A title of 121 to 200 characters ends at its last clause that fits, otherwise at a blank with an ellipsis. The whole
  title becomes the gist if none is given.
"""

import calendar
import re
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel

from ...basics.timestamp import parse_timestamp
from .record import CATEGORIES, Evidence, content_model
from .record_file import Fields
from .record_limits import MAX_GIST_CHARS, MAX_QUESTIONS, MAX_QUOTE_CHARS, MAX_TITLE_CHARS
from .unsaid import without_unsaid

# The field, what was found, and what it became.
Repair = tuple[str, str]

# Values that are used for a value of the list, by category and field.
_SYNONYMS = {
    ("constraint", "severity"): {"critical": "high"},
    ("decision", "status"): {"approved": "accepted", "decided": "accepted"},
}
# The state in which every new memory of the category begins, and the usual degree, which people seldom say.
_AT_FIRST: dict[str, Fields] = {
    "constraint": {"active": True, "severity": "medium"},
    "preference": {"strength": "default"},
    "tech_debt": {"status": "open", "priority": "medium"},
}
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
# A smaller number above 1 is no percentage, but a confidence that is out of range.
MIN_PERCENT = 10
_CONFIDENCES = {"very high": 0.95, "high": 0.9, "medium": 0.7, "low": 0.5}
_NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s*(%)?")
_MARKED = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(.*\S)\s*")
_REFERENCE = re.compile(r"(commit|file|command|ticket)s?\s*[: ]\s*(\S.*)", re.IGNORECASE | re.DOTALL)
# A text that can only be the path of a file: it has an ending.
_PATH = re.compile(r"(?:[\w.@+-]{1,100}/){0,20}[\w.@+-]{1,100}\.[A-Za-z][A-Za-z0-9]{0,7}")
_CLAUSE_END = re.compile(
    r"\s*[;:,\u2014\u2013\u3001\uff0c\uff1b](?=\s|$|[\u3000-\u9fff\uac00-\ud7a3])|(?<=\w)\s+[-(]|[.\u3002](?=\s|$)"
)
# A shorter beginning says too little of a title.
MIN_CLAUSE_CHARS = 40
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()}
_DAY = re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?")
_NAMED = re.compile(
    r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?\s+)?(?P<name>[a-z]{3,9})\.?\s+(?:(?P<late>\d{1,2})(?:st|nd|rd|th)?,?\s+)?(?P<year>\d{4})"
)


def repair_content(category: str, content: Fields, *, is_new: bool) -> tuple[Fields, list[Repair]]:
    """The content of a memory with repaired values, and the repairs as pairs of field and description.

    What nobody said is left out. Values with more than one possible meaning stay as they are.
    """
    if category not in CATEGORIES:
        return content, []
    repairs: list[Repair] = []
    fields = content_model(category).model_fields
    repaired = _AT_FIRST.get(category, {}) | content if is_new else dict(content)
    for name, value in content.items():
        if name in fields:
            repaired[name], what = _repair(value, _kind(fields[name].annotation), _SYNONYMS.get((category, name), {}))
            repairs += [(f"content.{name}", what)] if what else []
    said = without_unsaid(repaired)
    gone = [
        name for name, value in repaired.items() if name not in said or (value == [] and _may_be_left_out(fields, name))
    ]
    repairs += [(f"content.{name}", "left out: nobody said it") for name in gone if name in content]
    return {name: value for name, value in said.items() if name not in gone}, repairs


def repair_extension(extension: Fields) -> tuple[Fields, list[Repair]]:
    """The `cuecard` fields with repaired values, and the repairs."""
    repaired, repairs = dict(extension), []
    ways = {
        "questions": _repair_questions,
        "evidence": _repair_evidence,
        "applies_to": _repair_scopes,
        "forbids": _repair_forbids,
        "valid_from": _repair_date,
        "valid_until": _repair_last_day,
    }
    for name, way in ways.items():
        if extension.get(name) is not None:
            repaired[name], what = way(extension[name])
            repairs += [(f"cuecard.{name}", what)] if what else []
    return repaired, repairs


def repair_confidence(value: object) -> object:
    """A confidence that is given as a word, as a text or in percent, as a number; any other value as it is."""
    if isinstance(value, str):
        text = value.strip().lower()
        number = _NUMBER.fullmatch(text)
        value = float(number[1]) / (100 if number[2] else 1) if number else _CONFIDENCES.get(text, value)
    is_percent = isinstance(value, (int, float)) and not isinstance(value, bool) and MIN_PERCENT <= value <= 100
    return value / 100 if is_percent and isinstance(value, (int, float)) else value


def shorten_title(title: str) -> str:
    """A title of at most `MAX_TITLE_CHARS` characters: a longer one ends at its last clause that fits.

    A title of more than `MAX_GIST_CHARS` characters stays as it is, because it does not fit into the gist either.
    """
    if not MAX_TITLE_CHARS < len(title) <= MAX_GIST_CHARS:
        return title
    ends = [
        found.start() for found in _CLAUSE_END.finditer(title) if MIN_CLAUSE_CHARS <= found.start() <= MAX_TITLE_CHARS
    ]
    if ends:
        return title[: ends[-1]].rstrip()
    begin = title[:MAX_TITLE_CHARS]
    return f"{begin.rpartition(' ')[0] or begin[:-1]}\u2026"


def _kind(annotation: Any) -> Any:  # noqa: ANN401 - a type, as pydantic holds it
    """What a field holds: `str`, `bool`, a model, `list[...]` or `Literal[...]`, without limits and without null."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    parts = [part for part in get_args(annotation) if part is not type(None)]
    is_optional = len(parts) < len(get_args(annotation)) and get_origin(annotation) is not Literal
    return _kind(parts[0]) if is_optional and len(parts) == 1 else annotation


def _may_be_left_out(fields: dict[str, Any], name: str) -> bool:
    return name in fields and not fields[name].is_required()


def _repair(value: object, kind: Any, synonyms: dict[str, str]) -> tuple[object, str]:  # noqa: ANN401 - see `_kind`
    """A value of the content in the form of its field, and what was done to it; "" if nothing was."""
    if get_origin(kind) is list and isinstance(value, (str, dict)) and value:
        listed = _items_of(value) if isinstance(value, str) else [value]
        return _repair(listed, kind, synonyms)[0], "made a list"
    if get_origin(kind) is list and isinstance(value, list) and get_args(kind)[0] is not str:
        objects = [_as_alternative(item) for item in value]
        return objects, "" if objects == value else "each made an object with `option`"
    if kind is str and isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        ends = all(item.rstrip().endswith((".", "!", "?", "\u3002")) for item in value)
        return (" " if ends else "; ").join([item.strip() for item in value]), "made a text"
    if kind is bool and isinstance(value, str) and value.strip().lower() in _TRUTH:
        return _TRUTH[value.strip().lower()], "made `true` or `false`"
    if get_origin(kind) is Literal and isinstance(value, str) and value not in get_args(kind):
        folded = re.sub(r"[\s-]+", "_", value.strip().lower())
        named = synonyms.get(folded, folded)
        return (named, f"`{value[:40]}` made `{named}`") if named in get_args(kind) else (value, "")
    if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, dict):
        members = {name: [item] if isinstance(item, str) else item for name, item in value.items()}
        return members, "" if members == value else "each made a list"
    return value, ""


def _items_of(text: str) -> list[str]:
    """The items of a text that is a list of marked lines; else the text itself as the only item."""
    lines = [line for line in text.splitlines() if line.strip()]
    marked = [_MARKED.fullmatch(line) for line in lines]
    found = [match[1] for match in marked if match]
    return found if len(found) == len(lines) > 1 else [text.strip()]


def _as_alternative(item: object) -> object:
    if isinstance(item, str) and item.strip():
        return {"option": item.strip()}
    if isinstance(item, dict) and "rejected_reason" not in item and isinstance(item.get("reason"), str):
        return {("rejected_reason" if name == "reason" else name): value for name, value in item.items()}
    return item


def _repair_questions(value: object) -> tuple[object, str]:
    if isinstance(value, str) and value.strip():
        return _items_of(value)[:MAX_QUESTIONS], "made a list"
    if isinstance(value, list) and len(value) > MAX_QUESTIONS:
        return value[:MAX_QUESTIONS], f"the first {MAX_QUESTIONS} of {len(value)} kept"
    return value, ""


def _repair_evidence(value: object) -> tuple[object, str]:
    pieces = value if isinstance(value, list) else [value]
    repaired = [_repair_piece(piece) for piece in pieces if not _refers_to_nothing(piece)]
    return (value, "") if repaired == value else (repaired, "put into the form of evidence")


def _refers_to_nothing(piece: object) -> bool:
    return isinstance(piece, dict) and not any(piece.get(name) for name in ("ref", "quote", "path"))


def _repair_piece(piece: object) -> object:
    if isinstance(piece, str):
        found = _REFERENCE.fullmatch(piece.strip())
        if not found and _PATH.fullmatch(piece.strip()):
            return {"kind": "file", "ref": piece.strip()}
        return {"kind": found[1].lower(), "ref": found[2]} if found else piece
    if not isinstance(piece, dict):
        return piece
    if isinstance(piece.get("path"), str) and "ref" not in piece and piece.get("kind") in (None, "", "file"):
        piece = {**{name: item for name, item in piece.items() if name != "path"}, "kind": "file", "ref": piece["path"]}
    repaired = dict(piece)
    kinds = get_args(_kind(Evidence.model_fields["kind"].annotation))
    kind = piece.get("kind")
    folded = kind.strip().lower() if isinstance(kind, str) else ""
    repaired["kind"] = next((name for name in kinds if folded in (name, f"{name}s")), kind)
    quote = piece.get("quote")
    if isinstance(quote, str) and len(quote) > MAX_QUOTE_CHARS:
        repaired["quote"] = quote[: MAX_QUOTE_CHARS - 1].rstrip() + "\u2026"
    if isinstance(piece.get("at"), str):
        repaired["at"] = _repair_date(piece["at"], needs_day=True)[0]
    return {name: item for name, item in repaired.items() if item != "" or name == "kind"}


def _repair_forbids(value: object) -> tuple[object, str]:
    return ([value], "made a list") if isinstance(value, str) and value.strip() else (value, "")


def _repair_scopes(value: object) -> tuple[object, str]:
    listed = value if isinstance(value, list) else [value]
    scopes = [{"component": item.strip()} if isinstance(item, str) and item.strip() else item for item in listed]
    return (value, "") if scopes == value else (scopes, "each made an object with `component`")


def _repair_last_day(value: object) -> tuple[object, str]:
    return _repair_date(value, is_last=True)


def _repair_date(value: object, *, is_last: bool = False, needs_day: bool = False) -> tuple[object, str]:
    """A day in another usual form as an ISO 8601 date; of a month without a day, its first or its last day."""
    if not isinstance(value, str) or parse_timestamp(value) is not None:
        return value, ""
    text = " ".join(value.strip().lower().split())
    found = _DAY.fullmatch(text) or _NAMED.fullmatch(text)
    if not found:
        return value, ""
    parts = found.groupdict()
    year, day = int(parts["year"]), parts["day"] or parts.get("late")
    month = int(parts["month"]) if parts.get("month") else _MONTHS.get(parts.get("name") or "", 0)
    if not 1 <= month <= 12 or year < 1 or (needs_day and not day):
        return value, ""
    last = calendar.monthrange(year, month)[1]
    number = int(day) if day else last if is_last else 1
    if not 1 <= number <= last:
        return value, ""
    date = f"{year:04}-{month:02}-{number:02}"
    return date, f"`{value[:40]}` made `{date}`"
