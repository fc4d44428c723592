"""Turns reStructuredText into the Markdown that the importers read. What has no counterpart stays as text.

Rules: docs/reference/import.md, "Files".
"""

import re
from collections.abc import Sequence

from ...basics.time_limit import check_time

_ADORNMENT = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}\s*$")
_DIRECTIVE = re.compile(r"^(\s*)\.\.\s+([\w:-]+)::\s*(.*)$")
_COMMENT = re.compile(r"^(\s*)\.\.(?:\s+(?!\[)|\s*$)")
_FIELD = re.compile(r"^:([^:\n]{1,60}):\s*(.*)$")
_OPTION = re.compile(r"^\s+:[\w-]+:")
_LINK = re.compile(r"`([^`<>\n]+?)\s*<([^<>`\n]+)>`__?")
_ROLE_LINK = re.compile(r":(?:doc|ref|download):`(?:([^`<>\n]+?)\s*<([^<>`\n]+)>|([^`<>\n]+))`")
_ROLE = re.compile(r":[\w:+.-]+:`([^`\n]+)`")
_REFERENCE = re.compile(r"`([^`\n<>]+)`__?(?!\w)")
_LITERAL = re.compile(r"``([^`\n]+(?:`[^`\n]+)*)``")
_ORDERED = re.compile(r"^(\s*)(?:#\.|\(?([0-9]{1,3})\))\s+")
_LISTED = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)]|#\.|\(\d+\))\s+")
_GRID = re.compile(r"^\s*\+[-=+]{3,}\+\s*$")
_SIMPLE = re.compile(r"^\s*={2,}(?:\s+={2,})+\s*$")
# Directives whose content is code, and those that only show something.
_CODE = frozenset(("code-block", "code", "sourcecode", "literalinclude", "parsed-literal", "prompt", "console"))
_DROPPED = frozenset(
    ("image", "figure", "toctree", "contents", "include", "raw", "index", "meta", "uml", "graphviz", "only")
)
MAX_TERM_CHARS = 40


def to_markdown(text: str) -> str:
    """The text as Markdown."""
    lines = [line.rstrip().expandtabs(4) for line in text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")]
    return "\n".join(_Reader(lines).read())


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0
        self._styles: list[tuple[str, bool]] = []
        self._out: list[str] = []

    def read(self) -> list[str]:
        while self._at < len(self._lines):
            check_time()
            if not (self._heading() or self._directive() or self._table() or self._field() or self._term()):
                self._text()
        return self._out

    def _line(self, offset: int = 0) -> str:
        place = self._at + offset
        return self._lines[place] if 0 <= place < len(self._lines) else ""

    def _heading(self) -> bool:
        """A title with a line below it, or with lines above and below it. Levels are in the order of their styles."""
        over = _ADORNMENT.match(self._line())
        is_over = bool(over and self._line(1).strip() and self._line(2).rstrip() == self._line().rstrip())
        title, under = (self._line(1), self._line(2)) if is_over else (self._line(), self._line(1))
        found = _ADORNMENT.match(under)
        if not found or not title.strip() or (title.startswith(" ") and not is_over):
            return False
        if len(under.rstrip()) + 3 < len(title.strip()) or (_ADORNMENT.match(title) and not is_over):
            return False
        style = (found[1], is_over)
        if style not in self._styles:
            self._styles.append(style)
        level = min(6, self._styles.index(style) + 1)
        self._out += ["", f"{'#' * level} {_inline(title.strip())}", ""]
        self._at += 3 if is_over else 2
        return True

    def _directive(self) -> bool:
        found = _DIRECTIVE.match(self._line())
        if not found:
            if _COMMENT.match(self._line()):
                self._at += 1
                self._block(len(self._line()) - len(self._line().lstrip()))
                return True
            return False
        indent, name, argument = len(found[1]), found[2], found[3]
        self._at += 1
        body = self._block(indent)
        while body and _OPTION.match(f" {body[0]}"):
            body = body[1:]
        if name in _CODE:
            self._out += ["", f"```{argument.split()[0] if argument.split() else ''}", *_trimmed(body), "```", ""]
        elif name == "list-table":
            self._out += ["", *_markdown_table(_rows_of_list(body)), ""]
        elif name not in _DROPPED:
            # The text of a note may have a status, so it is read like any other text.
            self._out += ["", *([_inline(argument)] if argument else []), *_Reader(body).read(), ""]
        return True

    def _block(self, indent: int) -> list[str]:
        """The lines that are indented more than `indent`, without their indentation."""
        taken: list[str] = []
        while self._at < len(self._lines):
            line = self._line()
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            taken.append(line)
            self._at += 1
        width = min([len(line) - len(line.lstrip()) for line in taken if line.strip()], default=0)
        return [line[width:] for line in taken]

    def _table(self) -> bool:
        if _GRID.match(self._line()):
            rows: list[list[str]] = [[]]
            while self._line().lstrip().startswith(("+", "|")):
                if _GRID.match(self._line()):
                    rows.append([])
                else:
                    cells = [cell.strip() for cell in self._line().strip().strip("|").split("|")]
                    rows[-1] = [
                        " ".join(pair).strip() for pair in zip(rows[-1] or [""] * len(cells), cells, strict=False)
                    ]
                self._at += 1
            self._out += ["", *_markdown_table([row for row in rows if row]), ""]
            return True
        if _SIMPLE.match(self._line()):
            columns = [(found.start(), found.end()) for found in re.finditer(r"=+", self._line())]
            self._at += 1
            rows = []
            while self._line().strip():
                if not _SIMPLE.match(self._line()):
                    stops = [start for start, _end in columns[1:]] + [None]
                    rows.append(
                        [self._line()[start:stop].strip() for (start, _), stop in zip(columns, stops, strict=True)]
                    )
                self._at += 1
            self._out += ["", *_markdown_table(rows), ""]
            return True
        return False

    def _field(self) -> bool:
        found = _FIELD.match(self._line())
        if not found:
            return False
        self._at += 1
        more = [line.strip() for line in self._block(0) if line.strip()]
        self._out.append(f"- {found[1]}: {_inline(' '.join([found[2], *more]).strip())}")
        return True

    def _term(self) -> bool:
        """An item of a definition list: a term, and a text that is indented on the next line."""
        term, below = self._line(), self._line(1)
        is_term = bool(term.strip()) and not term.startswith(" ") and len(term) <= MAX_TERM_CHARS
        if not is_term or not below.startswith("  ") or _LISTED.match(term) or self._line(-1).strip():
            return False
        self._at += 1
        body = _Reader(self._block(0)).read()
        while body and not body[0].strip():
            body = body[1:]
        self._out += ["", f"**{term.strip().rstrip(':')}:** {body[0] if body else ''}", *body[1:], ""]
        return True

    def _text(self) -> None:
        line = self._line()
        self._at += 1
        is_code = line.endswith("::")
        text = line[:-1] if is_code else line
        text = "" if text.strip() == ":" else _ORDERED.sub(lambda mark: f"{mark[1]}{mark[2] or 1}. ", text)
        self._out.append(_inline(text))
        if is_code:
            body = self._block(len(line) - len(line.lstrip()))
            self._out += ["", "```", *_trimmed(body), "```", ""]


def _trimmed(lines: list[str]) -> list[str]:
    text = "\n".join(lines).strip("\n")
    return text.split("\n") if text else []


def _inline(text: str) -> str:
    """A line with the links and the code of Markdown."""
    text = _LINK.sub(r"[\1](\2)", text)
    text = _ROLE_LINK.sub(lambda link: f"[{link[1] or link[3]}]({_file_of(link[2] or link[3])})", text)
    parts = _LITERAL.split(text)
    for place in range(0, len(parts), 2):
        parts[place] = _REFERENCE.sub(r"\1", _ROLE.sub(r"`\1`", parts[place]))
    return "".join([f"`{part}`" if place % 2 else part for place, part in enumerate(parts)])


def _file_of(target: str) -> str:
    """The file that a role names, without blanks, so that it is the target of a link."""
    target = target.strip().replace(" ", "-")
    return target if re.search(r"\.\w{2,8}$", target) else f"{target}.rst"


def _rows_of_list(lines: list[str]) -> list[list[str]]:
    """The rows of a `list-table`: a list of lists."""
    rows: list[list[str]] = []
    for line in lines:
        row = re.match(r"^\* - ?(.*)$", line)
        cell = re.match(r"^  - ?(.*)$", line)
        if row:
            rows.append([row[1]])
        elif cell and rows:
            rows[-1].append(cell[1])
        elif rows and line.strip():
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip()}"
    return rows


def _markdown_table(rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    lines = ["| " + " | ".join([_inline(cell).replace("|", "\\|") for cell in row]) + " |" for row in rows]
    return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]
