"""Reads the subset of YAML that front matter uses: texts, lists of texts, objects of texts.

Rules: docs/reference/import.md, "Kinds".

A YAML package would be another dependency, and a file with broken front matter must still be importable.
"""

import re

# A longer block is not front matter.
MAX_LINES = 200
_MEMBER = re.compile(r"^([ \t]*)([A-Za-z_][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_ITEM = re.compile(r"^\s*-[ \t]+(.*)$")
_QUOTES = "\"'"
_BLOCK_MARKS = ("|", ">", "|-", ">-")

FrontMatter = dict[str, str | list[str]]


def split_front_matter(lines: list[str]) -> tuple[FrontMatter, int]:
    """The front matter of a file, and its number of lines; `({}, 0)` if there is no front matter."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    head = lines[1 : MAX_LINES + 2]
    end = next((place for place, line in enumerate(head, 1) if line.strip() in ("---", "...")), 0)
    return (_read(lines[1:end]), end + 1) if end else ({}, 0)


def _read(lines: list[str]) -> FrontMatter:
    """The members of front matter, in order. A member of an object is named `OBJECT.MEMBER`."""
    front: FrontMatter = {}
    owner = last = ""
    for line in lines:
        if line.lstrip().startswith("#"):
            continue
        member, item = _MEMBER.match(line), _ITEM.match(line)
        if item and last:
            known = front.get(last)
            front[last] = [*(known if isinstance(known, list) else []), _unquoted(item.group(1))]
        elif member:
            indent, name, value = member.group(1), member.group(2), (member.group(3) or "").strip()
            last = f"{owner}.{name}" if indent and owner else name
            owner = owner if indent else name
            if value.startswith("[") and value.endswith("]"):
                front[last] = [_unquoted(part) for part in value[1:-1].split(",") if part.strip()]
            else:
                front[last] = "" if value in _BLOCK_MARKS else _unquoted(value)
        elif line.strip() and last and isinstance(front.get(last), str):
            front[last] = f"{front[last]} {line.strip()}".strip()
    return front


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES else text
