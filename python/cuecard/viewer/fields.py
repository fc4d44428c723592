"""The texts of a memory as fields that a person reads and edits."""

import json

from ..actions.whole_text import hashed_members, lines_of_value
from ..errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..store.records.record_file import Fields

TEXT, LINES, JSON = "text", "lines", "json"
PREFIX = "content."


class Field:
    """A field of a memory's content, with the text that stands in its box."""

    def __init__(self, name: str, value: object) -> None:
        """A text and a list of texts have a plain box; anything else is edited as JSON."""
        self.name, self.value = name, value
        self.label = name.replace("_", " ")
        self.items: list[str] = []
        # The text that is read; the one in the box is typed.
        self.shown = ""
        if isinstance(value, str):
            self.kind, self.text = TEXT, value
            self.shown = value
        elif isinstance(value, list) and value and all(isinstance(one, str) and "\n" not in one for one in value):
            self.kind, self.text = LINES, "\n".join(value)
            self.items = [str(one) for one in value]
        else:
            self.kind, self.text = JSON, json.dumps(value, ensure_ascii=False, indent=2)
            self.shown = as_text(value)

    @property
    def rows(self) -> int:
        """The height of the box."""
        return min(12, max(1, self.text.count("\n") + 1 + len(self.text) // 90))

    def read(self, text: str) -> object:
        """The value that an edited text stands for. Raises `InputError`."""
        text = text.replace("\r\n", "\n")
        if self.kind == TEXT:
            return text
        if self.kind == LINES:
            return [line for line in text.split("\n") if line.strip()]
        try:
            value: object = json.loads(text)
        except ValueError as error:
            raise InputError(f"`{self.name}` is not JSON: {error}", "correct it", field=self.name) from None
        return value


def fields_of(record: "Fields") -> list[Field]:
    """The fields of a record's content."""
    content = record.get("content")
    if isinstance(content, dict):
        return [Field(str(name), value) for name, value in content.items()]
    return [] if content is None else [Field("content", content)]


def members_of_memory(record: "Fields") -> list[tuple[str, str]]:
    """What the trust hash of a memory covers besides its title, category and content, each as the text of its lines."""
    return [(name.replace("_", " "), as_text(value)) for name, value in hashed_members(record) if name != "content"]


def members_of_draft(raw: "Fields") -> list[tuple[str, str]]:
    """All that a draft says besides its title, category, action, tags and content, each as the text of its lines."""
    partial = raw.get("partial_content")
    record = partial if isinstance(partial, dict) else {}
    pairs = [(name, value) for name, value in raw.items() if name not in ("category", "action", "partial_content")]
    pairs += [(name, value) for name, value in record.items() if name not in ("title", "tags", "content")]
    return [(name.replace("_", " "), as_text(value)) for name, value in pairs if value not in (None, "", [], {})]


def as_text(value: object) -> str:
    """All texts of a value, with the names of members, as lines."""
    return "\n".join([str(line) for line in lines_of_value(value)])


def read_patch(record: "Fields", given: "Mapping[str, str]") -> "Fields":
    """The changes that a form makes to a record: title, tags, and fields of the content. Raises `InputError`."""
    patch: Fields = {}
    title = given.get("title", "").strip()
    if title and title != record.get("title"):
        patch["title"] = title
    tags = [tag.strip() for tag in given.get("tags", "").split(",") if tag.strip()]
    if "tags" in given and tags != record.get("tags"):
        patch["tags"] = tags
    changed = {}
    for field in fields_of(record):
        text = given.get(PREFIX + field.name)
        if text is not None and text.replace("\r\n", "\n") != field.text:
            changed[field.name] = field.read(text)
    content = record.get("content")
    if changed and isinstance(content, dict):
        patch["content"] = {**content, **changed}
    return patch


def shown(value: object) -> str:
    """A value of a record as one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
