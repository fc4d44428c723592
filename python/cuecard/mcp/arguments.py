"""Reads the arguments of tools as clients send them: values that have one meaning by the schema take the wanted type.

Rules: docs/reference/mcp.md, "Tools".
"""

from ..basics.json_reader import JsonError, read_json
from ..files.schemas import load_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .message import Json

# The Python types of the JSON types that a client may send as text.
_PARSED: "dict[str, type | tuple[type, ...]]" = {
    "integer": (int, float),
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}
# At most this many references are followed one after the other.
MAX_REFERENCES = 8
# The fields of a memory's record that the schema of a tool leaves open.
_OPEN_FIELDS = ("content", "cuecard")


def fit_arguments(value: object, schema: object) -> object:
    """The value with the types that `schema` wants, where it has one meaning; anything else stays as it is.

    Text that is JSON of the wanted type becomes that value, a whole float becomes an integer, and an optional member
    that is null counts as absent.
    """
    return _Fit(schema).value(value, schema)


def fit_record(arguments: "Json") -> "Json":
    """The fields of a new memory with the types that the schema of its category wants for `content` and `cuecard`."""
    schema = read_json(load_schema(str(arguments["category"])))
    properties = _member(schema, "properties")
    fit = _Fit(schema)
    return {
        name: fit.value(value, _member(properties, name)) if name in _OPEN_FIELDS else value
        for name, value in arguments.items()
    }


class _Fit:
    def __init__(self, root: object) -> None:
        self._definitions = _member(root, "$defs")

    def value(self, value: object, schema: object) -> object:
        wanted = self._resolve(schema)
        kind = wanted.get("type")
        if not isinstance(kind, str):
            return value
        if isinstance(value, str) and kind in _PARSED:
            value = _parse(value, kind)
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            return int(value)
        if kind == "array" and isinstance(value, list):
            return [self.value(item, wanted.get("items")) for item in value]
        if kind == "object" and isinstance(value, dict):
            return self._object(value, wanted)
        return value

    def _object(self, value: "Mapping[str, object]", schema: "Mapping[str, object]") -> "Json":
        properties, required = schema.get("properties"), schema.get("required")
        known = properties if isinstance(properties, dict) else {}
        needed = required if isinstance(required, list) else []
        return {
            name: self.value(item, known.get(name))
            for name, item in value.items()
            if item is not None or name not in known or name in needed
        }

    def _resolve(self, schema: object) -> "Mapping[str, object]":
        """The schema behind references, and behind a choice between one type and null."""
        for _ in range(MAX_REFERENCES):
            choices = _member(schema, "anyOf")
            if isinstance(choices, list):
                schema = next((each for each in choices if _member(each, "type") != "null"), None)
            elif isinstance(name := _member(schema, "$ref"), str):
                schema = _member(self._definitions, name.removeprefix("#/$defs/"))
            else:
                break
        return schema if isinstance(schema, dict) else {}


def _parse(text: str, kind: str) -> object:
    """The JSON value of this type in a text; the text itself if it has no such value."""
    try:
        value = read_json(text.encode())
    except (JsonError, UnicodeEncodeError):
        return text
    is_wanted = isinstance(value, _PARSED[kind]) and isinstance(value, bool) == (kind == "boolean")
    return value if is_wanted else text


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None
