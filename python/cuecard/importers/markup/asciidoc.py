"""Turns AsciiDoc into the Markdown that the importers read. What has no counterpart stays as text.

Rules: docs/reference/import.md, "Files".
"""

import re

from ...basics.time_limit import check_time

_HEADING = re.compile(r"^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?$")
_ATTRIBUTE = re.compile(r"^:(!?[\w-]+!?):\s*(.*)$")
_REVISION = re.compile(r"^(?:v?\d[\w.]*,\s*)?(\d{4}-\d{2}-\d{2})(?::.*)?$")
_BLOCK_LINE = re.compile(r"^\[([^\[\]]*)\]$|^\[\[[^\[\]]+\]\]$")
_FENCE = re.compile(r"^(-{4,}|\.{4,}|`{3,})\s*(\w*)$")
_FRAME = re.compile(r"^(?:={4,}|\*{4,}|_{4,}|--)$")
_MACRO_LINE = re.compile(r"^(?:include|image|toc|ifdef|ifndef|ifeval|endif|video)::.*$")
_ITEM = re.compile(r"^\s*(\*{1,5}|-)\s+(.*)$")
_ORDERED = re.compile(r"^\s*(\.{1,5})\s+(\S.*)$")
_TERM = re.compile(r"^\s*(\S[^\n]{0,60}?)::(?:\s+(.*))?$")
_TITLE = re.compile(r"^\.(?![.\s])(.+)$")
_LINK = re.compile(r"(?:link|xref):([^\s\[\]]+)\[([^\[\]]*)\]|(https?://[^\s\[\]]+)\[([^\[\]]+)\]")
_CROSS = re.compile(r"<<([^<>,]+?)(?:,\s*([^<>]+))?>>")
_BOLD = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])")
_PASS = re.compile(r"(?<![\w+`])`?\+([^+\n]+)\+`?(?![\w+`])")
_USE = re.compile(r"\{([\w-]+)\}")
_COLUMNS = re.compile(r"cols\s*=\s*\"?([^\"\]]*)\"?")
_NO_FIELDS = frozenset(
    ("toc", "toclevels", "icons", "sectnums", "imagesdir", "doctype", "lang", "source-highlighter", "experimental")
)
MAX_COLUMNS = 12


def to_markdown(text: str) -> str:
    """The text as Markdown."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")]
    return "\n".join(_Reader(lines).read())


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._out: list[str] = []
        self._values: dict[str, str] = {}
        self._style = ""
        self._is_in_header = False

    def read(self) -> list[str]:
        while self._at < len(self._lines):
            check_time()
            line = self._lines[self._at]
            self._at += 1
            if not (self._left_out(line) or self._header(line) or self._block(line)):
                self._text(line)
        return self._out

    def _left_out(self, line: str) -> bool:
        """Comments, includes and pictures."""
        if re.fullmatch(r"/{4,}", line):
            self._until(line)
            return True
        return (line.startswith("//") and not line.startswith("///")) or bool(_MACRO_LINE.match(line))

    def _until(self, fence: str) -> list[str]:
        """The lines up to a line like `fence`, which is passed over too."""
        begin = self._at
        while self._at < len(self._lines) and self._lines[self._at] != fence:
            self._at += 1
        self._at += 1
        return self._lines[begin : self._at - 1]

    def _header(self, line: str) -> bool:
        """The title, the attributes, and the day of the revision."""
        heading = _HEADING.match(line)
        if heading:
            self._is_in_header = len(heading[1]) == 1
            self._out += ["", f"{'#' * len(heading[1])} {self._inline(heading[2])}", ""]
            return True
        attribute = _ATTRIBUTE.match(line)
        if attribute:
            name, value = attribute[1].strip("!"), attribute[2]
            name = "date" if name == "revdate" else name
            self._values[name] = value
            if value and name not in _NO_FIELDS and not any("## " in each for each in self._out):
                self._out.append(f"- {name.replace('-', ' ')}: {self._inline(value)}")
            return True
        if self._is_in_header:
            revision = _REVISION.match(line)
            self._is_in_header = bool(line)
            if revision:
                self._out.append(f"- date: {revision[1]}")
                return True
        return False

    def _block(self, line: str) -> bool:
        style = _BLOCK_LINE.match(line)
        if style:
            self._style = style[1] or ""
            return True
        fence = _FENCE.match(line)
        if fence:
            words = [word.strip() for word in self._style.split(",")]
            language = words[1] if len(words) > 1 and words[0] in ("source", "") else fence[2]
            body = self._until(line)
            mark = "`" * max(3, max([len(run) for run in re.findall(r"`+", "\n".join(body))], default=0) + 1)
            self._out += ["", f"{mark}{language}", *body, mark, ""]
            self._style = ""
            return True
        if re.fullmatch(r"[|,:!]===+", line):
            self._out += ["", *self._table(self._until(line), line[0]), ""]
            self._style = ""
            return True
        return bool(_FRAME.match(line))

    def _table(self, lines: list[str], mark: str) -> list[str]:
        """The rows of a table. Its cells may stand beside or below each other."""
        cells: list[str] = []
        first = 0
        for line in lines:
            if mark in line and (line.lstrip().startswith(mark) or mark == ","):
                parts = line.strip().split(mark)
                cells += [part.strip() for part in (parts if mark == "," else parts[1:])]
                first = first or len(cells)
            elif cells and line.strip():
                cells[-1] = f"{cells[-1]} {line.strip()}".strip()
        columns = _COLUMNS.search(self._style)
        count = len([each for each in columns[1].split(",") if each.strip()]) if columns else first
        repeated = re.match(r"\s*(\d+)\*", columns[1]) if columns else None
        count = min(MAX_COLUMNS, max(1, int(repeated[1]) if repeated else count))
        rows = [[self._inline(cell) for cell in cells[at : at + count]] for at in range(0, len(cells), count)]
        text = ["| " + " | ".join(row) + " |" for row in rows]
        return [text[0], "|" + " --- |" * count, *text[1:]] if text else []

    def _text(self, line: str) -> None:
        item, ordered, term = _ITEM.match(line), _ORDERED.match(line), _TERM.match(line)
        title = _TITLE.match(line)
        if item:
            depth = len(item[1]) - 1 if item[1].startswith("*") else 0
            self._out.append(f"{'  ' * depth}- {self._inline(item[2].replace('[*]', '[x]', 1))}")
        elif ordered:
            self._out.append(f"{'   ' * (len(ordered[1]) - 1)}1. {self._inline(ordered[2])}")
        elif title:
            self._out += ["", f"**{self._inline(title[1])}**", ""]
        elif term:
            value = term[2] or ""
            while not value and self._at < len(self._lines) - 1 and not self._lines[self._at].strip():
                self._at += 1
            if not value and self._at < len(self._lines) and not _ITEM.match(self._lines[self._at]):
                value = self._lines[self._at].strip()
                self._at += 1
            self._out += ["", f"**{self._inline(term[1])}:** {self._inline(value)}"]
        else:
            # A line with a plus sign attaches the next block to an item.
            self._out.append("" if line == "+" else self._inline(line.removesuffix(" +")))

    def _inline(self, text: str) -> str:
        """A line with the links, the bold type and the code of Markdown."""
        text = _USE.sub(lambda use: self._values.get(use[1], use[0]), text)
        text = _LINK.sub(lambda link: f"[{link[2] or link[4] or link[1]}]({link[1] or link[3]})", text)
        text = _CROSS.sub(lambda link: f"[{link[2] or link[1]}]({link[1].rstrip('#')})", text)
        return _PASS.sub(r"`\1`", _BOLD.sub(r"**\1**", text))
