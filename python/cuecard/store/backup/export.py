"""The two forms of an export: JSON Lines, which an import reads back without a loss, and Markdown for people."""

import json
from collections.abc import Iterable, Iterator

from ..records.memory import Memory
from ..records.record_file import Fields, extension_of

# The first line of an export in JSON Lines.
MARK, VERSION = "cuecard_export", 1
HEAD = json.dumps({MARK: VERSION}) + "\n"
# Fields that the heading of a memory in Markdown has, or that say nothing to a reader.
_IN_HEADING = ("id", "schema_version", "category", "title", "changes", "cuecard")
_OF_CUECARD = ("gist", "questions", "evidence", "supersedes", "applies_to", "valid_from", "valid_until")


def as_lines(memories: Iterable[tuple[str, Memory]]) -> Iterator[str]:
    """The lines of an export: the head, and each memory with the scope of its store."""
    yield HEAD
    for scope, memory in memories:
        line = {"scope": scope, "category": memory.category, "id": memory.id, "memory": memory.record}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def as_markdown(memories: Iterable[tuple[str, Memory]]) -> Iterator[str]:
    """The memories as a document: a chapter for each category, a section for each memory."""
    yield "# Memories\n"
    last = ("", "")
    for scope, memory in memories:
        if (scope, memory.category) != last:
            last = scope, memory.category
            of_scope = "" if scope == "project" else f" ({scope})"
            yield f"\n## {memory.category}{of_scope}\n"
        yield f"\n### {_line(memory.title)}\n\n"
        yield "\n".join(_facts(memory)) + "\n"


def _facts(memory: Memory) -> Iterator[str]:
    extension = extension_of(memory.record)
    shown: Fields = {name: value for name, value in memory.record.items() if name not in _IN_HEADING}
    shown |= {name: extension[name] for name in _OF_CUECARD if name in extension}
    yield f"`{memory.name}`\n"
    for name, value in shown.items():
        if value in (None, "", [], {}) or name == "content":
            continue
        yield _item(name, value, 0)
    content = memory.record.get("content")
    for name, value in (content if isinstance(content, dict) else {"content": content}).items():
        if value not in (None, "", [], {}):
            yield _item(name, value, 0)


def _item(name: str, value: object, depth: int) -> str:
    """A value as an item of a list; the items of lists and objects are indented below it."""
    blanks = "  " * depth
    label = f"{blanks}- **{_line(name)}**:"
    if isinstance(value, dict):
        return "\n".join([label, *[_item(str(key), item, depth + 1) for key, item in value.items()]])
    if isinstance(value, list):
        if all(isinstance(item, str) and "\n" not in item for item in value) and name == "tags":
            return f"{label} {', '.join([_line(item) for item in value])}"
        return "\n".join([label, *[_plain_item(item, depth + 1) for item in value]])
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{label} {_block(text, depth + 1)}"


def _plain_item(value: object, depth: int) -> str:
    if isinstance(value, dict):
        rows = "\n".join([_item(str(key), item, depth + 1) for key, item in value.items()])
        return f"{'  ' * depth}-\n{rows}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{'  ' * depth}- {_block(text, depth + 1)}"


def _block(text: str, depth: int) -> str:
    """A text of several lines, indented so that it stays in its item."""
    return text.replace("\n", "\n" + "  " * depth)


def _line(text: str) -> str:
    return " ".join(text.split())
