"""Finds what a record says about itself in fields: front matter, lines such as `Status: accepted`, rows of tables.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

from ...basics.time_limit import check_time
from ..markup.markdown import MarkdownDocument, Section, without_markup
from .dates import find_date
from .words import HISTORY, STATUS, fold, part_of, phrases, state_pattern

LABELS = ("status", "decided", "created", "updated", "deciders")
# A label is at the beginning of a line; a list mark, emphasis, a cell's mark or an RST field mark may stand before it.
_LINE = re.compile(
    r"^[\s>|*_+\-\u2022:!\[]*([^\W\d_][^\n:\uff1a|*=]{0,40}?)[*_\s]*(?:::?|[:\uff1a|=]|\s[-\u2013\u2014]\s)[*_\s:]*(.*?)[\s|]*$"
)
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,2}[.)])\s+")
_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"^[\s|:+=-]+$")
_TABLE = re.compile(r"<(?:table|dl)\b.*?</(?:table|dl)\s*>", re.IGNORECASE | re.DOTALL)
_BADGE = re.compile(r"/badge/[^)\s]{0,40}\b(?:status|state)\b", re.IGNORECASE)
_BESIDE = re.compile(r"\s+(?:[|\u00b7\u2022]\s*)?(?=\*\*[^*\n]{2,40}(?::\*\*|\*\*:))")
_CELLS = ("td", "th", "dt", "dd")
MAX_ROWS, MAX_TABLE_CHARS = 200, 50_000

Rows = list[list[str]]


@dataclass(frozen=True)
class Fact:
    """A field of a record: one of `LABELS`, its value as it is written, and the date of its row in a table."""

    label: str
    value: str
    date: str = ""


def label_of(text: str) -> str:
    """The label that a text is as a whole; "" if it is none."""
    words = fold(without_markup(text)).strip(" :\uff1a*_?.")
    return next((label for label in LABELS if words in phrases(f"label {label}")), "")


def find_facts(document: MarkdownDocument) -> list[Fact]:
    """The fields in front matter, before the first part, and in sections with metadata."""
    facts = [
        Fact(label, value)
        for name, value in document.front.items()
        if (label := label_of(name.rpartition(".")[2].replace("_", " ").replace("-", " ")) or label_of(name))
        for value in [", ".join(value) if isinstance(value, list) else value]
        if value
    ]
    for section in head_sections(document):
        found = facts_in_lines(section.lines)
        found += [fact for rows in tables_in(section.lines) for fact in facts_in_rows(rows)]
        label = label_of(section.heading) if section.level else ""
        if label and label != "status":
            found.append(Fact(label, "\n".join(section.lines).strip()))
        # The section for the status is read as a whole, but it may have dates and names.
        is_status = section.level > 0 and part_of(section.heading) == STATUS
        facts += [fact for fact in found if not (is_status and fact.label == "status")]
    return [fact for fact in facts if fact.value.strip()]


def head_sections(document: MarkdownDocument) -> list[Section]:
    """The sections that may have fields: those before the first part of the record, and those with metadata."""
    found: list[Section] = []
    is_head = True
    for section in document.sections:
        part = part_of(section.heading) if section.level > 1 else ""
        is_head = is_head and (not part or part in (STATUS, HISTORY))
        above = [part_of(heading) for heading in section.above]
        is_meta = part == HISTORY and not any(each and each != HISTORY for each in above)
        if is_head or is_meta:
            found.append(section)
    return found


def facts_in_lines(lines: Sequence[str]) -> list[Fact]:
    """The fields in lines. A value may go on in the next lines: wrapped, indented, or as a list."""
    facts = [Fact("status", line.strip()) for line in lines if _BADGE.search(line)]
    label, value = "", list[str]()
    for line in [*_field_lines(lines), ""]:
        check_time()
        found = _LINE.match(line)
        known = label_of(found[1]) if found else ""
        if label and not known and _goes_on(line, is_empty=not value, is_field=bool(found)):
            value += [line.strip()] if line.strip() else []
            continue
        if label and value:
            facts.append(Fact(label, "\n".join(value)))
        label, value = known, [found[2]] if known and found and found[2].strip() else []
    return facts


def _field_lines(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with each field in a line of its own: fields beside each other, and definitions below their term."""
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if below.startswith(": ") and label_of(line):
            yield f"{line.strip()}{below}"
        elif line.lstrip().startswith("|") or not _BESIDE.search(line):
            yield line
        else:
            yield from _BESIDE.split(line)


def _goes_on(line: str, *, is_empty: bool, is_field: bool) -> bool:
    """Whether a line belongs to the value that the lines before it have begun; `is_empty` if they have only a label."""
    if not line.strip() or line.lstrip().startswith(("|", "#", "<")):
        # Between a label and its list there may be an empty line.
        return is_empty and not line.strip()
    is_indented = line.startswith((" ", "\t"))
    return is_indented or (not is_field and (is_empty or not _ITEM.match(line)))


def facts_in_rows(rows: Rows) -> list[Fact]:
    """The fields of a table, whose labels stand either in its first row or in its first column."""
    if not rows or len(rows) > MAX_ROWS:
        return []
    head = [label_of(cell) for cell in rows[0]]
    # In a table with the row `| Status | accepted |` at its top the second cell is a value.
    is_pair = bool(head[0]) and len(rows[0]) == 2 and not head[1] and (_is_value(rows[0][1]) or _are_pairs(rows))
    if not any(head) or is_pair:
        return [Fact(label, " ".join(row[1:])) for row in rows if len(row) > 1 and (label := label_of(row[0]))]
    dated = [place for place, label in enumerate(head) if label in ("decided", "updated", "created")]
    facts = []
    for row in rows[1:]:
        dates = [find_date(row[place]) for place in dated if place < len(row)]
        date = next((each for each in [*dates, find_date(" ".join(row))] if each), "")
        facts += [Fact(label, cell, date) for label, cell in zip(head, row, strict=False) if label and cell]
    return facts


def _is_value(cell: str) -> bool:
    return bool(state_pattern().search(fold(without_markup(cell))) or find_date(cell))


def _are_pairs(rows: Rows) -> bool:
    """Whether the first cell of another row is a label, too."""
    return any(bool(row) and label_of(row[0]) for row in rows[1:])


def tables_in(lines: Sequence[str]) -> Iterator[Rows]:
    """The tables in some lines, in Markdown and in HTML, as rows of cells."""
    rows: Rows = []
    for line in [*lines, ""]:
        check_time()
        if line.lstrip(" >").startswith("|") or (rows and "|" in line):
            if not _RULE.match(line):
                rows.append([cell.strip() for cell in _CELL.split(line.strip(" >").strip("|"))])
        elif rows:
            yield rows
            rows = []
    text = "\n".join(lines)
    if ("<table" in text.lower() or "<dl" in text.lower()) and len(text) <= MAX_TABLE_CHARS:
        for table in _TABLE.findall(text):
            reader = _TableReader()
            reader.feed(table)
            yield [row for row in reader.rows if row]


class _TableReader(HTMLParser):
    """Collects the cells of a table in HTML, and the terms of a list of definitions as its rows."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Rows = []
        self._is_in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("tr", "dt"):
            self.rows.append([])
        if tag in _CELLS:
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append("")
            self._is_in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._is_in_cell = self._is_in_cell and tag not in (*_CELLS, "tr")

    def handle_data(self, data: str) -> None:
        if self._is_in_cell:
            self.rows[-1][-1] = f"{self.rows[-1][-1]} {data.strip()}".strip()
