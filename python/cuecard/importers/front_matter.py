"""The part of YAML that front matter is written in: texts, lists of texts, objects of texts.

Rules: docs/reference/import.md, "Kinds".

This is no YAML parser. The package would need another dependency for one, and a file with a broken front matter must
still be imported.
"""

import re

# What is longer is no front matter.
MAX_LINES = 200
_MEMBER = re.compile(r"^([ \t]*)([A-Za-z_][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_ITEM = re.compile(r"^\s*-[ \t]+(.*)$")
_QUOTES = "\"'"
_BLOCK_MARKS = ("|", ">", "|-", ">-")

FrontMatter = dict[str, str | list[str]]


def split_front_matter(lines: list[str]) -> tuple[FrontMatter, int]:
    """The front matter at the beginning of a file and the number of lines that it takes; 0 without any."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    head = lines[1 : MAX_LINES + 2]
    end = next((place for place, line in enumerate(head, 1) if line.strip() in ("---", "...")), 0)
    return (_read(lines[1:end]), end + 1) if end else ({}, 0)


def _read(lines: list[str]) -> FrontMatter:
    """Members in their order; a member of an object is `OBJECT.MEMBER`."""
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
