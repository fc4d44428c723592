"""Checks a record against the model of its category, and reports the problems."""

from typing import TYPE_CHECKING, Any

import pydantic

from ..._backend import normalize_forbid
from ...basics.timestamp import parse_timestamp
from ...errors import Problem, ValidationError
from .record import CATEGORIES, MODELS, Record
from .record_file import Fields
from .record_limits import MAX_FORBID_CHARS

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_FOUND_CHARS = 60
# The categories whose memories can forbid something.
FORBIDDING = ("constraint", "preference")
DATE = "an ISO 8601 date"
_TYPES = {
    "string_type": "a string",
    "bool_type": "`true` or `false`",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "model_type": "an object",
    "greater_than_equal": "a number from 0 to 1",
    "less_than_equal": "a number from 0 to 1",
}
_LONG_VALUES: dict[type, str] = {str: "a long string", list: "a list", dict: "an object"}


def check(record: Fields) -> None:
    """Raise `ValidationError` with every problem of a record; `category` decides the model."""
    category = record.get("category")
    if category not in CATEGORIES:
        names = ", ".join([f"`{name}`" for name in CATEGORIES])
        problem = Problem("category", f"one of {names}", _shown(category), "name the memory's category")
        raise ValidationError("the memory has no known category", [problem])
    problems = []
    model = MODELS[str(category)]
    try:
        model.model_validate(record)
    except pydantic.ValidationError as error:
        problems = [_read_problem(found, model) for found in error.errors(include_url=False)]
    if isinstance(record.get("title"), str) and not record["title"].strip():
        problems.append(Problem("title", "a text", "empty", "write a title that says what the memory is about"))
    if isinstance(record.get("cuecard"), dict):
        problems += _check_dates(record["cuecard"])
        problems += _check_forbids(record["cuecard"], str(category))
    if problems:
        count = len(problems)
        also = "" if count == 1 else f" (and {count - 1} more)"
        first = problems[0]
        what = f"`{first.field}` of the {category} is {first.found}, expected {first.expected}{also}"
        raise ValidationError(what, problems)


def _check_dates(extension: Fields) -> list[Problem]:
    """Return the problems with the dates of a memory's validity and of its evidence."""
    dates = {f"cuecard.{name}": extension.get(name) for name in ("valid_from", "valid_until")}
    evidence = extension.get("evidence")
    for position, piece in enumerate(evidence if isinstance(evidence, list) else []):
        if isinstance(piece, dict):
            dates[f"cuecard.evidence[{position}].at"] = piece.get("at")
    texts = {field: date for field, date in dates.items() if isinstance(date, str)}
    times = {field: parse_timestamp(date) for field, date in texts.items()}
    wrong = [field for field, time in times.items() if time is None]
    problems = [Problem(field, DATE, _shown(texts[field]), f"write `{field}` as `2026-03-31`") for field in wrong]
    first, last = times.get("cuecard.valid_from"), times.get("cuecard.valid_until")
    if first is not None and last is not None and last < first:
        field, shown = "cuecard.valid_until", _shown(texts["cuecard.valid_until"])
        problems.append(Problem(field, "a day after `cuecard.valid_from`", shown, "swap the two dates, or correct one"))
    return problems


def _check_forbids(extension: Fields, category: str) -> list[Problem]:
    """Return the problems with what a memory forbids."""
    listed = extension.get("forbids")
    entries = listed if isinstance(listed, list) else []
    if entries and category not in FORBIDDING:
        names = " or ".join([f"a `{name}`" for name in FORBIDDING])
        expected = f"nothing: only {names} forbids something"
        return [Problem("cuecard.forbids", expected, "given", f"make it {names}, or leave `forbids` out")]
    wrong = [
        (place, entry)
        for place, entry in enumerate(entries)
        if isinstance(entry, str) and 0 < len(entry) <= MAX_FORBID_CHARS and normalize_forbid(entry) is None
    ]
    fix = "write `code: print()`, `import: requests`, `command: npm install` or `path: src/gen/**`"
    return [Problem(f"cuecard.forbids[{place}]", "a kind and a text", _shown(entry), fix) for place, entry in wrong]


def _read_problem(found: "ErrorDetails", model: type[Record]) -> Problem:
    field = _path(found["loc"])
    kind, context = found["type"], found.get("ctx", {})
    shown = _shown(found["input"])
    if kind == "missing":
        return Problem(field, _describe_field(model, found["loc"]), "missing", f"add `{field}`")
    if kind == "extra_forbidden":
        return Problem(field, "no such field", "unknown", f"remove `{field}`")
    if kind == "literal_error":
        names = str(context["expected"]).replace("'", "`")
        return Problem(field, f"one of {names}", shown, f"choose {names}")
    if kind == "string_too_long":
        limit = context["max_length"]
        length = len(found["input"])
        return Problem(field, f"at most {limit} characters", f"{length} characters", f"shorten `{field}`")
    if kind == "string_too_short":
        return Problem(field, "a text", "empty", f"write `{field}`, or leave it out")
    if kind == "string_pattern_mismatch":
        return Problem(field, "lower-case letters, digits and hyphens, at most 80", shown, f"rewrite `{field}`")
    if kind == "too_long":
        limit = context["max_length"]
        return Problem(field, f"at most {limit} items", f"{len(found['input'])} items", f"keep the best of `{field}`")
    if kind == "too_short":
        return Problem(field, "at least one item", "an empty list", f"add an item to `{field}`")
    expected = _TYPES.get(kind) or _lower(found["msg"])
    return Problem(field, expected, shown, f"make `{field}` {expected}")


def _path(location: tuple[str | int, ...]) -> str:
    """Return a location as a path, such as `content.steps[2]`."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _describe_field(model: type[Record], location: tuple[str | int, ...]) -> str:
    """Describe in words which values a field accepts, from the model's schema."""
    schema = model.model_json_schema()
    definitions, place = schema.get("$defs", {}), schema
    for part in location:
        place = _required(place["items"] if isinstance(part, int) else place["properties"][part], definitions)
    if "const" in place or "enum" in place:
        return "one of " + ", ".join([f"`{name}`" for name in place.get("enum", [place.get("const")])])
    if place.get("type") == "array":
        return "a list of at least one item" if place.get("minItems") else "a list"
    if place.get("type") == "object":
        names = ", ".join([f"`{name}`" for name in place.get("required", [])])
        return f"an object with {names}" if names else "an object"
    return {"string": "a string", "boolean": "`true` or `false`"}.get(place.get("type", ""), "a value")


def _required(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a field's schema with its reference resolved and without the choice of null."""
    for choice in schema.get("anyOf", []):
        if choice.get("type") != "null":
            return _required(choice, definitions)
    reference = schema.get("$ref", "")
    return definitions[reference.rpartition("/")[2]] if reference else schema


def _shown(value: object) -> str:
    """Return a value for a message: short texts and numbers themselves, other values by their type."""
    if value is None:
        return "null"
    if isinstance(value, str) and len(value) <= MAX_FOUND_CHARS:
        return f"`{value}`"
    if isinstance(value, (bool, int, float)):
        return f"`{str(value).lower()}`"
    return _LONG_VALUES.get(type(value), type(value).__name__)


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
