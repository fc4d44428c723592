"""Reads JSON with comments and trailing commas, with the position of every value, so that edits can keep the rest.

The packages `json5` and `json-with-comments` (1 MB and 11 ms of CPU time each) return values without positions.
"""

import re
from functools import lru_cache

from ..basics.light_dataclass import dataclass, field

MAX_DEPTH = 200
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])", re.ASCII)


class MalformedText(ValueError):
    """Text that is not JSON, even with comments and trailing commas allowed."""

    def __init__(self, text: str, position: int, what: str) -> None:
        """`what` describes the problem at `position`; `line` and `column` count from 1."""
        super().__init__(what)
        self.what = what
        self.line = text.count("\n", 0, position) + 1
        self.column = position - (text.rfind("\n", 0, position) + 1) + 1


@dataclass
class JsoncValue:
    """The value at `text[start:end]`: a scalar in `plain`, or an object or list with its content in `parts`."""

    start: int
    end: int = 0
    plain: object = None
    is_object: bool = False
    is_list: bool = False
    parts: "list[JsoncItem]" = field(default_factory=list)

    def to_plain(self) -> object:
        """The value as a Python object; if a member is repeated, the last one counts."""
        if self.is_object:
            return {part.key: part.value.to_plain() for part in self.parts}
        return [part.value.to_plain() for part in self.parts] if self.is_list else self.plain

    def member(self, key: str) -> "JsoncValue | None":
        """The last member with this name; None if there is none."""
        found = [part.value for part in self.parts if part.key == key] if self.is_object else []
        return found[-1] if found else None


@dataclass
class JsoncItem:
    """A member of an object, or an item of a list.

    `start` is the position of the key or, in a list, of the value. `comma` is the position of the comma behind the
    value, or -1 if there is no comma.
    """

    start: int
    value: JsoncValue
    key: str = ""
    comma: int = -1


# Each step of an edit parses the text again, and most steps do not change it.
@lru_cache(maxsize=8)
def parse(text: str) -> JsoncValue:
    """The single value in a text; callers must not change it. Raises MalformedText."""
    reader = _Reader(text)
    reader.skip_blanks()
    value = reader.read_value(0)
    reader.skip_blanks()
    if reader.position < len(text):
        raise MalformedText(text, reader.position, "something follows the end of the value")
    return value


def find_end(text: str, start: int, end: int) -> int:
    """The position behind the last character of `text[start:end]` that is not white space."""
    return start + len(text[start:end].rstrip(" \t\r\n"))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def fail(self, what: str) -> MalformedText:
        return MalformedText(self.text, self.position, what)

    def skip_blanks(self) -> None:
        found = _BLANK.match(self.text, self.position)
        self.position = found.end() if found else self.position

    def next_char(self) -> str:
        return self.text[self.position : self.position + 1]

    def read_value(self, depth: int) -> JsoncValue:
        if depth > MAX_DEPTH:
            raise self.fail("it nests too deep")
        start, char = self.position, self.next_char()
        if char == "{" or char == "[":
            value = JsoncValue(start, is_object=char == "{", is_list=char == "[")
            self.position += 1
            self.read_parts(value, "}" if value.is_object else "]", depth)
        elif char == '"':
            value = JsoncValue(start, plain=self.read_string())
        else:
            found = _SCALAR.match(self.text, start)
            if not found:
                raise self.fail("expected a value" if char else "the file ends too early")
            self.position = found.end()
            import json

            value = JsoncValue(start, plain=json.loads(found[0]))
        value.end = self.position
        return value

    def read_parts(self, value: JsoncValue, closing: str, depth: int) -> None:
        while True:
            self.skip_blanks()
            if self.next_char() == closing:
                break
            if value.parts and value.parts[-1].comma < 0:
                raise self.fail(f"expected `,` or `{closing}`" if self.next_char() else "the file ends too early")
            start, key = self.position, ""
            if value.is_object:
                if self.next_char() != '"':
                    raise self.fail("expected a name in quotes" if self.next_char() else "the file ends too early")
                key = self.read_string()
                self.skip_blanks()
                if self.next_char() != ":":
                    raise self.fail("expected `:`")
                self.position += 1
                self.skip_blanks()
            value.parts.append(JsoncItem(start, self.read_value(depth + 1), key))
            self.skip_blanks()
            if self.next_char() == ",":
                value.parts[-1].comma = self.position
                self.position += 1
        self.position += 1

    def read_string(self) -> str:
        found = _STRING.match(self.text, self.position)
        try:
            import json

            text = json.loads(found[0]) if found else None
        except ValueError:
            text = None
        if not found or not isinstance(text, str):
            raise self.fail("the string does not end, or has an invalid escape")
        self.position = found.end()
        return text
