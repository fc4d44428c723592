"""Turns labels such as `**Decision:** ...` and `| Decision | ... |` into headings, if a record has none.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ...basics.time_limit import check_time
from ..markup.markdown import MarkdownDocument, Section
from .facts import tables_in
from .words import CONSEQUENCES, CONTEXT, DECISION, OPTIONS, RATIONALE, part_of

_BOLD = re.compile(r"^(?:[-*+]|\d{1,2}[.)])?[ \t]*(\*\*|__)([^*_\n]{2,40}?)[:.\uff1a]?\1[:.\uff1a]?[ \t]*(.*)$")
_PLAIN = re.compile(r"^(?:(?:[-*+]|\d{1,2}[.)])[ \t]+)?()([^\W\d_][^:\uff1a*|\n]{1,39})[:\uff1a][ \t]*(.*)$")
_ROW = re.compile(r"^()\|[ \t]*[*_]*([^|*\n]{2,40}?)[*_]*[ \t]*\|[ \t]*(.*?)[ \t]*\|?[ \t]*$")
_RULE = re.compile(r"^\s*\|[\s|:-]*-[\s|:-]*$")
_PARTS = (CONTEXT, DECISION, RATIONALE, CONSEQUENCES, OPTIONS)


def split_labels(document: MarkdownDocument) -> MarkdownDocument:
    """The record. If its parts have no headings, bold labels are turned into headings, else labels of other forms."""
    if any(part_of(section.heading) in (DECISION, CONTEXT) for section in document.sections if section.level > 1):
        return document
    for forms in ((_BOLD,), (_PLAIN, _ROW)):
        sections = [part for section in document.sections for part in _split(section, forms)]
        parts = {part_of(section.heading) for section in sections[1:]}
        # A word with a colon is often no label, so a record must have two parts of that form.
        if len(sections) > len(document.sections) and (forms == (_BOLD,) or (DECISION in parts and len(parts) > 1)):
            return replace(document, sections=sections)
    return document


def _split(section: Section, forms: tuple[re.Pattern[str], ...]) -> Iterator[Section]:
    """A section, and a section of its own for each of its labels."""
    home = Section(section.level, section.heading, [], section.above, section.blocks, section.place)
    above = (*section.above, section.heading)
    found = [home]
    for line in section.lines:
        check_time()
        label = next((label for form in forms if (label := form.match(line))), None)
        if label and part_of(label[2]) in _PARTS:
            place = f"{section.place} > {label[2]}"
            home = Section(section.level + 1, label[2], [label[3]], above, (), place)
            found.append(home)
        else:
            home.lines.append(line)
    if _ROW in forms:
        if len(found) > 1:
            found[0].lines = _without_heads(found[0].lines)
        is_html = any("<t" in line for line in section.lines)
        rows = [row for table in tables_in(section.lines) for row in table if is_html and len(row) > 1]
        found += [
            Section(section.level + 1, row[0], [" ".join(row[1:])], above, (), section.place)
            for row in rows
            if part_of(row[0]) in _PARTS
        ]
    yield from found


def _without_heads(lines: list[str]) -> list[str]:
    """The lines without the first row of a table and the rule below it."""
    rules = {number for number, line in enumerate(lines) if _RULE.match(line)}
    return [line for number, line in enumerate(lines) if number not in rules and number + 1 not in rules]
