"""Finds the status of a decision record in all places where records state it.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from collections.abc import Sequence

from ...basics.time_limit import check_time
from ..markup.markdown import MarkdownDocument, Section
from ..titles import clean_heading
from .facts import Fact, facts_in_rows, find_facts, head_sections, tables_in
from .parts import named_parts
from .statements import (
    Stated,
    is_status_line,
    latest,
    marks_record_over,
    read_statements,
    states_record_over,
    units_of,
)
from .words import ACCEPTED, DEPRECATED, HISTORY, OVER, STATUS, fold, split_heading, state_of, state_pattern

_STATUS_FIELDS = ("status", "state", "estado", "statut", "stato", "Status", "State")
# A mark at the beginning or the end of a title, such as `[SUPERSEDED]`.
_MARK = re.compile(r"^\W*[\[(\u3010]([^\[\]()]{3,30})[\])\u3011]|[\[(\u3010]([^\[\]()]{3,30})[\])\u3011]\W*$")
_PREFIX = re.compile(r"^([^\W\d_]+)\s*(?::|\s[-\u2013\u2014])\s")


def read_status(document: MarkdownDocument) -> str:
    """The status of a record; `accepted` if the record states no status.

    A mark in the title, or a sentence at the beginning that names the record, can end a record that is called accepted.
    """
    stated = _stated_status(document)
    marked = _mark_of(document.title)
    if marked:
        return marked
    prefix = _PREFIX.match(document.title)
    word = fold(prefix[1]) if prefix else ""
    if not stated and word and state_pattern().fullmatch(word) and state_of(word) in OVER:
        return state_of(word)
    if stated in OVER:
        return stated
    of_status = {id(section) for section in status_sections(document)}
    for section in [each for each in head_sections(document) if id(each) not in of_status]:
        check_time()
        units = units_of(section.lines)
        over = next((unit for unit in units if states_record_over(unit) or marks_record_over(unit)), "")
        if over:
            return read_statements([over]) or DEPRECATED
    return stated or ACCEPTED


def has_status(document: MarkdownDocument) -> bool:
    """Whether a record states a status."""
    return bool(_stated_status(document))


def status_sections(document: MarkdownDocument) -> list[Section]:
    """The sections for the status, and the sections below them. One below another part belongs to that part."""
    found: list[Section] = []
    open_levels: list[tuple[int, str]] = []
    for section, part in zip(document.sections, named_parts(document), strict=True):
        while open_levels and open_levels[-1][0] >= section.level:
            open_levels.pop()
        above = [name for _level, name in open_levels]
        if STATUS in above or (part == STATUS and all(name in ("", HISTORY) for name in above)):
            found.append(section)
        open_levels.append((section.level, part))
    return found


def _stated_status(document: MarkdownDocument) -> str:
    front = document.value(*_STATUS_FIELDS)
    status = read_statements([front]) if front else ""
    if status:
        return status
    sections = status_sections(document)
    lines: list[str] = []
    for section in sections:
        name, tail = split_heading(section.heading)
        lines += ["", tail if name == STATUS else section.heading, "", *section.lines]
    rows = [fact for rows in tables_in(lines) for fact in _facts_of_status(rows)]
    facts = find_facts(document)
    fields = [fact for fact in facts if fact.label == "status"]
    return read_statements(lines) or _status_of_facts(rows) or _status_of_facts(fields)


def _facts_of_status(rows: list[list[str]]) -> list[Fact]:
    """The fields of a table in the section for the status. A table without labels there has a status in each row."""
    facts = [fact for fact in facts_in_rows(rows) if fact.label == "status"]
    if facts:
        return facts
    return [Fact("status", cell, "") for row in rows for cell in row if is_status_line(cell)]


def _status_of_facts(facts: Sequence[Fact]) -> str:
    stated = [Stated(state, fact.date) for fact in facts if (state := read_statements(fact.value.split("\n")))]
    dated = [each for each in stated if each.date]
    return latest(dated if len(dated) > 1 else stated)


def _mark_of(title: str) -> str:
    """The status that a mark in a title gives to a record that has ended."""
    if title.strip().startswith("~~"):
        return DEPRECATED
    mark = _MARK.search(clean_heading(title)) or _MARK.search(title)
    words = fold(mark[1] or mark[2]) if mark else ""
    stated = read_statements([words]) if words and is_status_line(words) else ""
    return stated if stated in OVER else ""
