"""Markdown as far as importers need it: front matter, sections, items, plain texts."""

import re
from dataclasses import dataclass, field

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*)$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{3,})[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r"^(\s*)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$")
_NUMBERED = re.compile(r"^\s*\d{1,3}[.)][ \t]+\S")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:[ \t]+\"[^\"]*\")?\)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_MEMBER = re.compile(r"^([ \t]*)([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_QUOTES = "\"'"
# Beyond these, what is read is no front matter, no line with marks in it, no item.
MAX_FRONT_LINES = 200
MAX_MARKED_CHARS = 5000
MAX_ITEM_CHARS = 5000


@dataclass
class Section:
    """A heading and the lines below it, up to the next heading."""

    level: int
    """0 of what stands before the first heading."""
    heading: str
    lines: list[str] = field(default_factory=list)
    above: tuple[str, ...] = ()
    """The headings that it stands below, the outermost first."""

    @property
    def text(self) -> str:
        """Its lines, links as their words."""
        return plain("\n".join(self.lines))


@dataclass
class MarkdownDocument:
    """A Markdown file."""

    front: dict[str, str | list[str]]
    """Front matter; the members of an object as `OBJECT.MEMBER`."""
    sections: list[Section]

    def value(self, *names: str) -> str:
        """The first text in the front matter under one of these names, "" without."""
        for name in names:
            found = self.front.get(name, "")
            if isinstance(found, str) and found:
                return found
        return ""

    def values(self, name: str) -> list[str]:
        """A list in the front matter, or a text with commas as one."""
        found = self.front.get(name, [])
        return found if isinstance(found, list) else [part.strip() for part in found.split(",") if part.strip()]

    @property
    def title(self) -> str:
        """The title of the front matter, else the first heading of the first level, else the first heading."""
        headings = [section for section in self.sections if section.level]
        first = next((section for section in headings if section.level == 1), headings[0] if headings else None)
        return self.value("title") or (plain(first.heading) if first else "")

    @property
    def text(self) -> str:
        """All that stands below headings, and before the first one."""
        return "\n".join([section.text for section in self.sections]).strip()


def parse(text: str) -> MarkdownDocument:
    """Read a file; whatever it is, something comes of it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    front: dict[str, str | list[str]] = {}
    if lines and lines[0].strip() == "---":
        head = lines[1 : MAX_FRONT_LINES + 2]
        end = next((place for place, line in enumerate(head, 1) if line.strip() in ("---", "...")), 0)
        if end:
            front, lines = _read_front(lines[1:end]), lines[end + 1 :]
    lines = _without_comments("\n".join(lines)).split("\n")
    sections, above = [Section(0, "")], list[tuple[int, str]]()
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and (not fence or (mark.group(1).startswith(fence))):
            fence = "" if fence else mark.group(1)
        heading = None if fence else _HEADING.match(line)
        under = None if fence else _UNDERLINE.match(line)
        before = sections[-1].lines
        if heading:
            sections.append(_open(above, len(heading.group(1)), _closed(heading.group(2))))
        elif under and before and before[-1].strip() and not _BULLET.match(before[-1]) and "|" not in before[-1]:
            sections.append(_open(above, 1 if under.group(1)[0] == "=" else 2, before.pop().strip()))
        else:
            before.append(line)
    return MarkdownDocument(front, [section for section in sections if section.level or section.text.strip()])


def plain(text: str) -> str:
    """A text without the marks of links and bold type."""
    return "\n".join([_unmarked(line) for line in text.split("\n")]).strip()


def items(text: str) -> list[str]:
    """The items of a text: those of its lists with what belongs to them, else its paragraphs."""
    lines = text.splitlines()
    if any(_BULLET.match(line) for line in lines):
        return _bullets(lines)
    return paragraphs(text)


def paragraphs(text: str) -> list[str]:
    """What empty lines part, each on one line."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def code_lines(text: str) -> list[str]:
    """The lines inside fences, without comments and prompts of shells."""
    found, is_code = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            is_code = not is_code
        elif is_code and line.strip() and not line.lstrip().startswith("#"):
            found.append(line.strip().removeprefix("$ "))
    return found


def without_code(lines: list[str]) -> list[str]:
    """The lines that stand in no fence."""
    found, is_code = [], False
    for line in lines:
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            found.append(line)
    return found


def is_numbered(text: str) -> bool:
    """Whether a text has a numbered list of at least two items."""
    return sum([bool(_NUMBERED.match(line)) for line in text.splitlines()]) > 1


def _unmarked(line: str) -> str:
    return _BOLD.sub(r"\2", _LINK.sub(r"\1", line)) if len(line) <= MAX_MARKED_CHARS else line


def _without_comments(text: str) -> str:
    """A text without its comments; line ends in them stay, and what is never closed is no comment."""
    kept, place = [], 0
    while (begin := text.find("<!--", place)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept += [text[place:begin], "\n" * text.count("\n", begin, end)]
        place = end + 3
    return "".join([*kept, text[place:]])


def _closed(heading: str) -> str:
    """A heading without the marks that close it."""
    heading = heading.strip()
    bare = heading.rstrip("#")
    return bare.rstrip() if bare != heading and bare[-1:] in ("", " ", "\t") else heading


def _bullets(lines: list[str]) -> list[str]:
    found: list[str] = []
    is_code = False
    for line in lines:
        bullet = None if is_code else _BULLET.match(line)
        if _FENCE.match(line):
            is_code = not is_code
        elif bullet and (len(bullet.group(1)) < 2 or not found):
            found.append(bullet.group(2).strip())
        elif found and len(found[-1]) < MAX_ITEM_CHARS and line.strip():
            found[-1] += f"; {bullet.group(2).strip()}" if bullet else f" {line.strip()}"
    return [item for item in found if item]


def _open(above: list[tuple[int, str]], level: int, heading: str) -> Section:
    """A section that begins; `above` has levels and headings that are open, and is brought up to date."""
    while above and above[-1][0] >= level:
        above.pop()
    section = Section(level, plain(heading), [], tuple([name for _level, name in above]))
    above.append((level, section.heading))
    return section


def _read_front(lines: list[str]) -> dict[str, str | list[str]]:
    """The part of YAML that front matter is written in: texts, lists of texts, objects of texts."""
    front: dict[str, str | list[str]] = {}
    owner = last = ""
    for line in lines:
        member = _MEMBER.match(line)
        item = re.match(r"^\s*-[ \t]+(.*)$", line)
        if item and last:
            known = front.get(last)
            front[last] = [*(known if isinstance(known, list) else []), _unquote(item.group(1))]
        elif member:
            indent, name, value = member.group(1), member.group(2), (member.group(3) or "").strip()
            last = f"{owner}.{name}" if indent and owner else name
            owner = owner if indent else name
            if value.startswith("[") and value.endswith("]"):
                front[last] = [_unquote(part) for part in value[1:-1].split(",") if part.strip()]
            elif value in ("|", ">", "|-", ">-"):
                front[last] = ""
            else:
                front[last] = _unquote(value)
        elif line.strip() and last and isinstance(front.get(last), str):
            front[last] = f"{front[last]} {line.strip()}".strip()
    return front


def _unquote(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES else text
