"""The sections of a memory: the parts of a longer text, such as the branches of a runbook, kept as they were written
(SPEC 39.7)."""

from ...basics.chars import WHITESPACE, scrub
from ..text.terms import document_terms

# The most sections of a memory, and the most characters of a section's heading and text.
MAX_SECTIONS = 64
MAX_HEADING_CHARS = 200
MAX_SECTION_CHARS = 8000
# A line with fewer characters is not looked for in other texts.
LEAST_LINE_CHARS = 12
# What stands in front of a heading, an item of a list or a quotation.
MARKS = "#-*+> "
# The beginnings of a line that opens or closes a block of code.
FENCES = ("```", "~~~")

# Heading, which may be empty, and text.
Section = tuple[str, str]


def read_sections(extension: object) -> list[Section]:
    """The sections with a text in the value of `cuecard`, in their order."""
    items = extension.get("sections") if isinstance(extension, dict) else None
    sections = []
    for item in items[:MAX_SECTIONS] if isinstance(items, list) else []:
        parts = [item.get(name) for name in ("heading", "text")] if isinstance(item, dict) else ["", ""]
        heading, text = [scrub(part) if isinstance(part, str) else "" for part in parts]
        heading, text = heading.strip(WHITESPACE)[:MAX_HEADING_CHARS], text[:MAX_SECTION_CHARS]
        if text.strip(WHITESPACE):
            sections.append((heading, text))
    return sections


def lines_of(sections: list[Section]) -> frozenset[str]:
    """The lines of some sections, each without the white space and the marks around it."""
    return frozenset([line for section in sections for text in section for line in _bare_lines(text)])


def _bare_lines(text: str) -> list[str]:
    """The lines of a text without the white space around them, and without the marks of headings, items and
    quotations."""
    return [line.strip(WHITESPACE).lstrip(MARKS).strip(WHITESPACE) for line in text.split("\n")]


def is_said(text: str, lines: frozenset[str]) -> bool:
    """Whether sections with these lines have all lines of a text."""
    return bool(lines) and all(line in lines for line in _bare_lines(scrub(text)) if line)


def is_value_said(value: object, lines: frozenset[str]) -> bool:
    """Whether sections with these lines say every text of a value, and nothing but texts is in it."""
    if isinstance(value, str):
        return is_said(value, lines)
    return isinstance(value, list) and all(is_value_said(item, lines) for item in value)


def fitting(sections: list[Section], terms: list[tuple[str, int]], first: str, when: list[str]) -> Section | None:
    """The section that fits a prompt with these terms and weights best.

    If none of them has a term, it is the first one that has a line of the text `first`, else the first of all. That
    section also stands for one without a heading, and for one with a line that stands in `when`: such sections say when
    the memory applies, and the prompt knows that already.
    """
    if not sections:
        return None
    # The points of each section for a term are 2 where its heading has the term, else 1.
    points = [
        dict.fromkeys(document_terms(text), 1) | dict.fromkeys(document_terms(heading), 2) for heading, text in sections
    ]
    scores = [0] * len(sections)
    for term, weight in terms:
        rarity = len(sections) + 1 - sum([term in of_section for of_section in points])
        for place, of_section in enumerate(points):
            scores[place] += of_section.get(term, 0) * rarity * weight
    heading, text = sections[scores.index(max(scores))]
    told = [scrub(each) for each in when]
    lines = [line for line in _bare_lines(text) if len(line) >= LEAST_LINE_CHARS]
    says_when = not heading or any(line in each for line in lines for each in told)
    if max(scores) > 0 and not says_when:
        return heading, text
    for line in filter(None, _bare_lines(scrub(first))):
        having = [section for section in sections if line in _bare_lines(section[1])]
        if having:
            return having[0]
    return sections[0]


def passage(section: Section) -> str:
    """The lines of a section as a block shows them: its heading, then its text without empty lines outside of code."""
    heading = section[0].replace("\n", " ")
    lines = [heading if heading.endswith(":") else f"{heading}:"] if heading else []
    is_code = False
    for line in section[1].split("\n"):
        is_code ^= is_fence(line)
        if is_code or line.strip(WHITESPACE):
            lines.append(line)
    return "\n".join(lines)


def is_fence(line: str) -> bool:
    """Whether a line opens or closes a block of code."""
    return line.strip(WHITESPACE).startswith(FENCES)
