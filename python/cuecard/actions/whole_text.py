"""Writes out everything that a person accepts of a draft or a memory, for all surfaces (SPEC 45.8)."""

import json

from .._backend import remove_hidden
from ..basics.chars import scrub
from ..basics.json_reader import read_json_object
from ..basics.light_dataclass import dataclass, replace
from ..basics.visible_text import visible
from ..store.records.record_file import Fields, extension_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The members that the trust hash covers, in the order in which they are shown. The category and the title come first.
MEMBERS = ("content", "tags", "related_files")
OWN_MEMBERS = (
    "gist",
    "questions",
    "anchors",
    "evidence",
    "valid_from",
    "valid_until",
    "applies_to",
    "contradicts",
    "supersedes",
    "derived_from",
    "subject",
    "forbids",
    "sections",
    "pointer",
    "conflicts",
)
INDENT = "  "
# Lists of texts that are not longer stand in one line.
MAX_SHORT_CHARS = 60


@dataclass(frozen=True)
class Line:
    """A line of a text, safe to show; `label` is the name of a member, and stands before `text`."""

    indent: str
    label: str
    text: str

    def __str__(self) -> str:
        """The line without colours."""
        return self.indent + " ".join([part for part in (self.label, self.text) if part])


def record_of(data: bytes) -> Fields:
    """The record in the bytes that the trust hash covers; {} if they hold none."""
    return read_json_object(data) or {}


def hashed_members(record: Fields) -> list[tuple[str, object]]:
    """The members that the trust hash of a record covers and that say something, besides its category and title."""
    own = extension_of(record)
    pairs = [(name, record.get(name)) for name in MEMBERS] + [(name, own.get(name)) for name in OWN_MEMBERS]
    return [(name, value) for name, value in pairs if value not in (None, [], {}, "")]


def lines_of_value(value: object, indent: str = "") -> "Iterator[Line]":
    """A value as lines: members with their names, items of a list with a dash, or in one line if they are short."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _lines_of_member(f"{shown(name)}:", member, indent)
    elif isinstance(value, list):
        for item in value:
            below = list(lines_of_value(item, indent + INDENT))
            if below:
                # The dash stands in the place of the indentation of the first line.
                below[0] = replace(below[0], indent=f"{indent}- {below[0].indent[len(indent) + len(INDENT) :]}")
            yield from below
    else:
        yield from [Line(indent, "", line) for line in _text_lines(value)]


def shown(text: str) -> str:
    """A text of one line, without characters that control a terminal, change its direction or cannot be seen."""
    return visible(remove_hidden(" ".join(scrub(text).split())))


def _lines_of_member(label: str, member: object, indent: str) -> "Iterator[Line]":
    short = _short_list(member)
    if isinstance(member, dict | list) and member and not short:
        yield Line(indent, label, "")
        yield from lines_of_value(member, indent + INDENT)
        return
    first, *rest = [short] if short else _text_lines(member)
    yield Line(indent, label, first)
    yield from [Line(indent + INDENT, "", line) for line in rest]


def _short_list(value: object) -> str:
    """The items of a list of short texts in one line; "" if it is no such list."""
    if not isinstance(value, list) or not all(isinstance(item, str) and ";" not in item for item in value):
        return ""
    line = "; ".join([shown(item) for item in value])
    return line if len(line) <= MAX_SHORT_CHARS else ""


def _text_lines(value: object) -> list[str]:
    """A single value as lines."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return [shown(line) for line in text.splitlines()] or [""]
