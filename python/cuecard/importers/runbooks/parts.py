"""The parts of a runbook, word for word: its sections, and the prose in them."""

import re

from ...store.records.record_limits import MAX_HEADING_CHARS
from ..markup.markdown import MarkdownDocument, Section

# A section with all sections below it becomes one part if it has at most this many characters, so that a block has room
# for it.
MAX_PART_CHARS = 2000
# What is longer does not fit into a memory.
MAX_SECTION_CHARS = 8000
MAX_ALL_CHARS = 12_000
MAX_PARTS = 64
# A heading that says on what condition its section is to be followed.
_BRANCH = re.compile(
    r"^\W*(?:if|when(?! (?:to|this|you|not|should|used)\b)|in case|case|scenario|option|branch|variant|otherwise"
    r"|else)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\W*(?:\*\*|__)?[^\W\d_][^:*_\n]{0,30}(?:\*\*|__)?:")


def parts_of(document: MarkdownDocument) -> tuple[tuple[str, str], ...]:
    """The headings and texts of the document's sections in their order; empty if they do not fit into a memory.

    Short sections stay together with the sections below them.
    """
    found: list[tuple[str, str]] = []
    sections = document.sections
    at = 0
    while at < len(sections):
        section = sections[at]
        # The title of the document is above all sections, so its own lines are a part of their own.
        end = at + 1 if section.level < 2 else _end_of(sections, at)
        text = _text_of(sections[at:end])
        if len(text) > MAX_PART_CHARS:
            end = at + 1
            text = _text_of(sections[at:end])
        if text:
            above = [name for name in section.above[1:][-1:] if section.level > 2 and name]
            heading = " > ".join([*above, section.heading]) if section.level > 1 else ""
            found.append((heading[:MAX_HEADING_CHARS], text))
        at = end
    is_short = sum([len(text) for _heading, text in found]) <= MAX_ALL_CHARS
    fits = is_short and len(found) <= MAX_PARTS and all(len(text) <= MAX_SECTION_CHARS for _heading, text in found)
    return tuple(found) if fits else ()


def _end_of(sections: list[Section], at: int) -> int:
    """The place behind a section and all sections below it."""
    level = sections[at].level
    return next((place for place in range(at + 1, len(sections)) if sections[place].level <= level), len(sections))


def _text_of(sections: list[Section]) -> str:
    """The lines of a section, and of the sections below it with their headings."""
    first, *below = sections
    lines = list(first.lines)
    for section in below:
        lines += [f"{'#' * section.level} {section.heading}", *section.lines]
    return "\n".join(lines).strip("\n").rstrip()


def is_branch(section: Section) -> bool:
    """Whether a section's heading is a condition, such as `If the queue is empty`."""
    return section.level > 1 and bool(_BRANCH.match(section.heading))


def prose_of(section: Section, wanted: "re.Pattern[str] | None" = None) -> str:
    """The paragraphs and lists of a section, without code and tables.

    With `wanted`, lists and lines with a label such as `Owner: on-call` are left out unless the label matches.
    """
    kept = []
    for block in section.blocks:
        if block.kind not in ("paragraph", "quote", "list"):
            continue
        is_list = block.kind == "list"
        for line in [f"- {item}" for item in block.items] if is_list else _unwrapped(block.text, wanted):
            label = _LABEL.match(line) if wanted else None
            if wanted.search(label[0]) if label and wanted else wanted is None or not is_list:
                kept.append(line)
    return "\n".join(kept)


def _unwrapped(text: str, wanted: "re.Pattern[str] | None") -> list[str]:
    """The lines of a paragraph in one, but a label begins a new line if labels count."""
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and not (wanted and _LABEL.match(line)):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.strip())
    return lines
