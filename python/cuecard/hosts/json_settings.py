"""Edits JSON text and leaves every other byte as it is: comments, order, indentation, line ends.

No Python library does that: the libraries that keep comments reformat the whole file. A path is a tuple of member names
and item numbers. The editing functions take a text that `jsonc.parse` can read, and return the edited text.
"""

from ..basics.light_dataclass import dataclass
from .jsonc import JsoncValue, find_end, parse

Path = tuple["str | int", ...]


@dataclass(frozen=True)
class _Style:
    """The layout of a file: its indentation unit, its line ends, and whether all of the value is on one line."""

    unit: str
    newline: str
    is_flat: bool

    def render(self, value: object, indent: str) -> str:
        """A value as JSON in this layout. `indent` is put in front of every line but the first."""
        import json

        if self.is_flat:
            return json.dumps(value, ensure_ascii=False)
        return json.dumps(value, ensure_ascii=False, indent=self.unit).replace("\n", self.newline + indent)


def find(root: JsoncValue, path: Path) -> JsoncValue | None:
    """The value at a path; None if the path does not exist."""
    found: JsoncValue | None = root
    for step in path:
        if found is None:
            return None
        if isinstance(step, str):
            found = found.member(step)
        else:
            found = found.parts[step].value if found.is_list and step < len(found.parts) else None
    return found


def render_new(value: object) -> str:
    """The text of a new JSON file with this value."""
    import json

    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def append(text: str, path: Path, value: object, key: str = "") -> str:
    """Append a value to the list at `path`, or add it as the member `key` to the object at `path`."""
    root = parse(text)
    container = _get(root, path)
    style = _style_of(text, root)
    inside_end = container.end - 1
    own_indent = _indent_at(text, container.start)
    is_multiline = not style.is_flat and (not container.parts or "\n" in text[container.start : container.end])
    indent = own_indent + style.unit
    if is_multiline and container.parts and _begins_line(text, container.parts[0].start):
        indent = _indent_at(text, container.parts[0].start)
    if not is_multiline:
        style = _Style(style.unit, style.newline, is_flat=True)
    item = f"{_quote(key)}: " if container.is_object else ""
    item += style.render(value, indent)
    place = find_end(text, container.start + 1, inside_end)
    if container.parts:
        last = container.parts[-1]
        comma = "" if last.comma >= 0 else ","
        before = text[: last.value.end] + comma + text[last.value.end : place]
        gap = style.newline + indent if is_multiline else " "
        return before + gap + item + text[place:]
    if not is_multiline:
        return text[:place] + (" " if place > container.start + 1 else "") + item + text[place:]
    # If a list or object closes on the line of its last comment, its bracket moves to a new line.
    tail = text[place:]
    if "\n" not in text[place:inside_end]:
        tail = style.newline + own_indent + text[inside_end:]
    return text[:place] + style.newline + indent + item + tail


def _quote(key: str) -> str:
    import json

    return json.dumps(key, ensure_ascii=False)


def replace(text: str, path: Path, value: object) -> str:
    """Replace the value at a path."""
    root = parse(text)
    old = _get(root, path)
    style = _style_of(text, root)
    if "\n" not in text[old.start : old.end]:
        style = _Style(style.unit, style.newline, is_flat=True)
    return text[: old.start] + style.render(value, _indent_at(text, old.start)) + text[old.end :]


def remove(text: str, path: Path) -> str:
    """Remove the member or item at `path`, with its comma, and with its line if the line becomes empty."""
    container = _get(parse(text), path[:-1])
    step = path[-1]
    position = step if isinstance(step, int) else max(i for i, part in enumerate(container.parts) if part.key == step)
    part = container.parts[position]
    start, end = part.start, part.value.end
    if part.comma >= 0:
        text = text[: part.comma] + text[part.comma + 1 :]
    elif position > 0:
        # The last member or item has no comma of its own, so the comma before it is removed.
        comma = container.parts[position - 1].comma
        text = text[:comma] + text[comma + 1 :]
        start, end = start - 1, end - 1
    return _cut(text, container.start + 1, start, end)


def _cut(text: str, inside: int, start: int, end: int) -> str:
    """The text without the span from `start` to `end`, and without the white space that the removal leaves.

    `inside` is the position behind the opening bracket of the list or object around the span.
    """
    rest = text[end:].lstrip(" \t")
    before = find_end(text, 0, start)
    if rest[:1] not in ("\r", "\n", "}", "]"):
        return text[:start] + rest
    if before == inside and rest.lstrip(" \t\r\n")[:1] in ("}", "]"):
        # The list or object is now empty.
        return text[:before] + rest.lstrip(" \t\r\n")
    if rest[:1] in ("\r", "\n"):
        return text[:before] + rest
    # A closing bracket on this line must not end up behind a `//` comment.
    is_behind_comment = "//" in text[text.rfind("\n", 0, before) + 1 : before]
    return text[:start] + rest if is_behind_comment else text[:before] + text[end:]


def _get(root: JsoncValue, path: Path) -> JsoncValue:
    found = find(root, path)
    if found is None:
        raise KeyError(path)
    return found


def _style_of(text: str, root: JsoncValue) -> _Style:
    newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    is_flat = bool(root.parts) and "\n" not in text[root.start : root.end]
    return _Style(_find_unit(text, root) or "  ", newline, is_flat)


def _find_unit(text: str, value: JsoncValue) -> str:
    """The indentation unit, taken from the first member or item that begins a line; "" if none does."""
    for part in value.parts:
        outer, inner = _indent_at(text, value.start), _indent_at(text, part.start)
        if _begins_line(text, part.start) and inner.startswith(outer) and len(inner) > len(outer):
            return inner[len(outer) :]
        deeper = _find_unit(text, part.value)
        if deeper:
            return deeper
    return ""


def _indent_at(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, position: int) -> bool:
    line_start = text.rfind("\n", 0, position) + 1
    return line_start > 0 and not text[line_start:position].strip(" \t")
