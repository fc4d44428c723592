"""Checks whether a file is a memory: JSON text against the schema of a category (SPEC 17).

It supports only `KEYWORDS` and `ANNOTATIONS`, which our generated schemas use; a test verifies that.
"""

from ...basics.chars import first_line, scrub
from ...basics.json_reader import JsonError, read_json
from ...basics.memory_name import is_id

# The keywords of JSON Schema that are checked.
KEYWORDS = (
    *("$defs", "$ref", "additionalProperties", "anyOf", "const", "enum", "items", "maxItems", "maxLength", "maximum"),
    *("minItems", "minLength", "minimum", "pattern", "properties", "required", "type"),
)
# The keywords that do not restrict a value.
ANNOTATIONS = ("$schema", "default", "description")
# The only supported pattern: that of an id.
ID_PATTERN = "^[a-z0-9]([a-z0-9-]{0,78}[a-z0-9])?$"
# The most problems that are reported for a file.
MAX_PROBLEMS = 100
# A field's name or a found value is repeated to an agent only if it has no other characters than these.
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_NAME_CHARS = frozenset(_LETTERS + "[]")
_WORD_CHARS = frozenset(_LETTERS + ":+/`")
MAX_FIELD_CHARS = 60
# At most this many references are followed one after the other.
MAX_REFERENCES = 8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

# The Python types of each JSON type, and its name in messages.
_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
    "null": (type(None), "null"),
}
_ANY = (object, "a value")

Problem = tuple[str, str, str]

_read: dict[bytes, object] = {}


def check_schema(data: bytes, schema: bytes) -> list[Problem]:
    """The problems that keep `data` from matching `schema`, each as field, expected value and found value in words.

    At most `MAX_PROBLEMS`, in the order of the schema. A field is named by its full path, such as
    `content.rationale[0]`; "" is the whole value. A schema that is not JSON allows everything.
    """
    # The last schema is kept: the files of a category are checked one after the other.
    if schema not in _read:
        _read.clear()
        try:
            _read[schema] = read_json(schema)
        except JsonError:
            return []
    root = _read[schema]
    check = _Check(root)
    try:
        value = read_json(data)
    except JsonError:
        check.add("", "JSON text", "something else")
    else:
        check.value(value, root, "")
    return check.problems


class _Check:
    def __init__(self, root: object) -> None:
        self.root = root
        self.problems: list[Problem] = []

    def add(self, field: str, expected: str, found: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append((field, expected, found))

    def _follow(self, schema: object) -> dict[str, object]:
        """The schema itself, or the schema to which its reference points; {} if that is not an object."""
        for _ in range(MAX_REFERENCES):
            path = _get(schema, "$ref")
            if not isinstance(path, str):
                break
            name = path[len("#/$defs/") :] if path.startswith("#/$defs/") else ""
            schema = _get(_get(self.root, "$defs"), name)
        return schema if isinstance(schema, dict) else {}

    def value(self, value: object, schema: object, field: str) -> None:
        found = self._follow(schema)
        choices = found.get("anyOf")
        if isinstance(choices, list):
            return self._any_of(value, choices, field)
        literals = _literals(found)
        if literals:
            if not (isinstance(value, str) and value in literals):
                self.add(field, _either(literals), _describe(value))
            return None
        kind = found.get("type")
        if isinstance(kind, str) and not _is_of(value, kind):
            return self.add(field, _KINDS.get(kind, _ANY)[1], _describe(value))
        if isinstance(value, str):
            self._text(value, found, field)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self._number(value, found, field)
        elif isinstance(value, list):
            self._list(value, found, field)
        elif isinstance(value, dict):
            self._object(value, found, field)
        return None

    def _any_of(self, value: object, choices: list[object], field: str) -> None:
        """Check that one of the choices fits. If none fits, report the problems of the first choice."""
        checks = [_Check(self.root) for _choice in choices]
        for check, choice in zip(checks, choices, strict=True):
            check.value(value, choice, field)
        if all(check.problems for check in checks):
            for problem in checks[0].problems if checks else ():
                self.add(*problem)

    def _text(self, text: str, schema: dict[str, object], field: str) -> None:
        self._length(len(text), schema, field, "Length", "character")
        if schema.get("pattern") == ID_PATTERN and not is_id(text):
            self.add(field, "up to 80 of `a-z`, `0-9` and, inside, `-`", _quote(text))

    def _number(self, number: float, schema: dict[str, object], field: str) -> None:
        least, most = schema.get("minimum"), schema.get("maximum")
        # `NaN` fails every limit.
        if _is_whole(least) and not number >= least:
            self.add(field, f"a number of at least {least}", _describe(number))
        elif _is_whole(most) and not number <= most:
            self.add(field, f"a number of at most {most}", _describe(number))

    def _list(self, items: list[object], schema: dict[str, object], field: str) -> None:
        self._length(len(items), schema, field, "Items", "item")
        if "items" in schema:
            for place, item in enumerate(items):
                self.value(item, schema["items"], f"{field}[{place}]")

    def _object(self, members: dict[str, object], schema: dict[str, object], field: str) -> None:
        prefix = f"{field}." if field else ""
        properties, required = schema.get("properties"), schema.get("required")
        known = properties if isinstance(properties, dict) else {}
        needed = required if isinstance(required, list) else []
        for name, property_schema in known.items():
            if name in members:
                self.value(members[name], property_schema, prefix + name)
            elif name in needed:
                self.add(prefix + name, self._expectation(property_schema), "nothing")
        if schema.get("additionalProperties") is False:
            for name, member in members.items():
                if name not in known:
                    self.add(prefix + first_line(name), "no such field", _describe(member))

    def _length(self, length: int, schema: dict[str, object], field: str, what: str, unit: str) -> None:
        least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
        if _is_whole(least) and length < least:
            self.add(field, f"at least {_plural(least, unit)}", _plural(length, unit))
        if _is_whole(most) and length > most:
            self.add(field, f"at most {_plural(most, unit)}", _plural(length, unit))

    def _expectation(self, schema: object) -> str:
        """What a schema expects, in words."""
        found = self._follow(schema)
        literals = _literals(found)
        if literals:
            return _either(literals)
        kind, choices = found.get("type"), found.get("anyOf")
        if not isinstance(kind, str) and isinstance(choices, list) and choices:
            kind = self._follow(choices[0]).get("type")
        return _KINDS.get(kind, _ANY)[1] if isinstance(kind, str) else "a value"


def _get(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _is_whole(value: object) -> "TypeGuard[int]":
    return isinstance(value, int) and not isinstance(value, bool)


def _is_of(value: object, kind: str) -> bool:
    if isinstance(value, bool) and kind in ("integer", "number"):
        return False
    return isinstance(value, _KINDS.get(kind, _ANY)[0])


def _literals(schema: dict[str, object]) -> list[object]:
    """The values that a schema allows; empty if it lists none."""
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    return choices if isinstance(choices, list) else []


def _either(literals: list[object]) -> str:
    """The values in words, joined with `or`."""
    *words, last = map(_describe, literals)
    return f"{', '.join(words)} or {last}" if words else last


def _describe(value: object) -> str:
    """A value in a few words, for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        # Both backends print these numbers the same way.
        return repr(value) if value == 0 or 1e-4 <= abs(value) < 1e16 else "a number"
    if isinstance(value, str):
        return _quote(value)
    return f"a list of {_plural(len(value), 'item')}" if isinstance(value, list) else "an object"


def _quote(text: str) -> str:
    return f"`{first_line(text)}`"


def _plural(number: int, unit: str) -> str:
    return f"1 {unit}" if number == 1 else f"{number} {unit}s"


def plain_problem(problem: Problem) -> Problem:
    """The problem without untrusted text, which messages to an agent must not contain.

    The name of a field is replaced if it is long or has unusual characters, and so is a quoted value of more than one
    word.
    """
    field, expected, found = [scrub(text) for text in problem]
    if len(field) > MAX_FIELD_CHARS or not _NAME_CHARS.issuperset(field):
        field = "an unusual name"
    if found.startswith("`") and not _WORD_CHARS.issuperset(found):
        found = "another text"
    return field, expected, found
