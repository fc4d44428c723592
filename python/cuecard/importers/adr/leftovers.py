"""Leaves out of a decision record what says nothing in a memory: diagrams, and what a template left to be filled in."""

import re
from dataclasses import replace

from ..markup.markdown import MarkdownDocument, Section

_DIAGRAM = re.compile(r"^\s*(`{3,}|~{3,})\s*(?:mermaid|plantuml|puml|dot|graphviz)\b", re.IGNORECASE)
# A paragraph in italics, brackets or alone that says that the text comes later.
_LATER = re.compile(
    r"^[\W_]*(?:(?:to be|will be) (?:filled|completed|added|written|decided|determined|done|defined)"
    r"(?: (?:in|later|when|once|after|as soon as|by)\b[^,;]{0,200})?"
    r"|tbd|todo|n/?a|none(?: yet)?|not applicable|fill in[\s\S]{0,200})[\W_]*$",
    re.IGNORECASE,
)
_MARKED = re.compile(r"^[_*\[(<>].*[_*\])>]\.?$", re.DOTALL)
# The template of Rust's RFCs begins with a list of names and links.
_LINK = re.compile(
    r"^\s*[-*+]?\s*\**(?:pull requests?|merge requests?|pr|mr|(?:proposal|feature) name|rfc (?:pr|issue)"
    r"|(?:tracking|rust|implementation) issue)s?\**\s*:",
    re.IGNORECASE,
)
MAX_PLAIN_WORDS = 3


def without_leftovers(document: MarkdownDocument) -> MarkdownDocument:
    """The document without diagrams in code, placeholders of a template, and lines that name its pull request."""
    return replace(document, sections=[_cleaned(section) for section in document.sections])


def _cleaned(section: Section) -> Section:
    kept: list[str] = []
    fence = ""
    for line in section.lines:
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif found := _DIAGRAM.match(line):
            fence = found[1]
        elif not (section.level < 2 and _LINK.match(line)):
            kept.append(line)
    paragraphs = "\n".join(kept).split("\n\n")
    lines = "\n\n".join([part for part in paragraphs if not _comes_later(part)]).split("\n")
    return section if lines == section.lines else replace(section, lines=lines, _known=(0, ""))


def _comes_later(paragraph: str) -> bool:
    text = paragraph.strip()
    is_short = len(text.split()) <= MAX_PLAIN_WORDS
    return bool(_LATER.match(text)) and (is_short or bool(_MARKED.match(text)))
