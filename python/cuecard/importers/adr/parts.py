"""Assigns the sections of a decision record to parts such as context, decision and consequences.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ...basics.time_limit import check_time
from ..markup.markdown import MarkdownDocument, Section, plain, statements
from ..titles import clean_heading, is_left_out_below
from .statements import read_statements
from .words import (
    CONSEQUENCES,
    CONTEXT,
    DECISION,
    HISTORY,
    LINKS,
    OPTIONS,
    RATIONALE,
    STATUS,
    asks_why,
    fold,
    loose_part_of,
    part_of,
    phrases,
    split_heading,
)

# Templates have questions to the writer in italics.
_PROMPT = re.compile(
    r"^[*_](?![*_])(?:what|why|how|describe|list|explain|the (?:issue|change|reason))\b[^*_]{10,400}[*_]$",
    re.IGNORECASE,
)
_REJECTED = re.compile(r"[(\[](?:rejected|declined|discarded)[)\]]\W*$", re.IGNORECASE)
_META_LINE = re.compile(
    r"^\W*(status|state|date|created|updated|last updated|modified|deciders?|decision[- ]makers?|authors?"
    r"|owners?|tags?"
    r"|technical story|ticket|issue|consulted|informed|contact|participants|reviewers?|pr|category|version|supersedes"
    r"|superseded by|proposed|accepted|adr|number|id|scope)\b[^\w\n]{0,6}:",
    re.IGNORECASE,
)
_ANY_LABEL = re.compile(r"^[\s>|*_+\-\u2022:]*([^\W\d_][^\n:\uff1a|*]{0,40}?)[*_\s]*[:\uff1a|]")
# `[Motivation]: #motivation` and `[1]: https://...`, the targets of links.
_REFERENCE = re.compile(
    r"^ {0,3}\[[^\]\n]{1,100}\]:[ \t]*(?:\n[ \t]*)?(?:#|<?https?://|\.{0,2}/)\S*[ \t]*$\n*", re.MULTILINE
)
# `- [Decision](#decision)`, and a paragraph in square brackets in which a template asks for a text.
_CONTENTS = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)])\s+\[.{1,200}\]\(#[^()\s]*\)\s*$")
_IMAGE = re.compile(r"^\s*!\[([^\[\]]{1,200})\]\([^()\s]*(?:[ \t]+\"[^\"]*\")?\)\s*$")
_TICKED = re.compile(r"^\s*[-*+]\s+\[[ xX]\]\s")
MAX_TICKED_WORDS = 12
_UNFILLED = re.compile(
    r"^\[(?:describe|explain|list|what|why|who|how|which|write|fill|add|name|summari[sz]e|give|state|provide|insert|enter"
    r"|here|optional|text|the (?:issue|change|reason|context)\b[^\[\]]*\bthat|is|are|if|short|a short|this section)\b"
    r"[^\[\]]{10,600}\]\.?$",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"[-*+>|]\s|\d{1,2}[.)]\s|```|~~~|\|")
MIN_CONTENTS = 3
# A section with longer lines has more to say than a status, or who and when.
MAX_STATUS_CHARS, MAX_NAMES_WORDS = 80, 16
META_LABELS = ("status", "decided", "created", "updated", "deciders")
# The parts that a heading below another part can begin; any other heading belongs to the part above it.
_BELOW = {DECISION: (RATIONALE, CONSEQUENCES, OPTIONS), RATIONALE: (OPTIONS,)}
_IS_LOG = re.compile(
    r"log|history|revision|historie|histor|\u5c65\u6b74|\u5386\u53f2|\uc774\ub825|licen[sc]|copyright|contents",
    re.IGNORECASE,
)


@dataclass
class AdrParts:
    """The sections of a decision record, grouped by part: context, decision, options and so on."""

    sections: dict[str, list[Section]] = field(default_factory=dict)
    """The sections of each part, in order."""
    skipped: list[tuple[Section, str]] = field(default_factory=list)
    """The sections that become no field of a decision, each with the reason."""

    def text(self, part: str) -> str:
        """The text of the sections of a part. A heading that does not name the part is put before the section."""
        texts = []
        for section in self.sections.get(part, []):
            if text := _without_leftovers(section):
                name, tail = split_heading(section.heading)
                is_turned = section.level > 1 and is_left_out_below(clean_heading(section.heading))
                own = (name == part and not is_turned) or section.level < 2
                # A list, a table or code below a heading begins on a line of its own.
                head = f"{clean_heading(section.heading)}:{chr(10) if _BLOCK.match(text) else ' '}"
                head = (f"{tail}\n\n" if tail and section.level > 1 else "") if own else head
                texts.append(head + (without_meta(text) if section.level < 2 else text))
            elif part == DECISION and section.level > 1:
                # The heading of the decision, or one below it, may be the whole text of the decision.
                name, tail = split_heading(section.heading)
                texts.append(tail if name == part else clean_heading(section.heading))
        return "\n\n".join([text for text in texts if text.strip()])

    def items(self, part: str) -> list[str]:
        """The list items and paragraphs in the sections of a part."""
        found = []
        for section in self.sections.get(part, []):
            told = [each for each in statements(section.text) if not _PROMPT.match(each)]
            name = clean_heading(section.heading)
            is_own = part_of(section.heading) != part and name and told
            if is_left_out_below(name):
                found += [f"{name}: {each}" for each in told]
            else:
                found += [f"{name}: {told[0]}", *told[1:]] if is_own else told
        return found


def _without_leftovers(section: Section) -> str:
    """The text of a section without targets of links, a table of contents, and what a template asked for."""
    lines = [line for line in section.lines if not _CONTENTS.match(line)]
    lines = lines if len(section.lines) - len(lines) >= MIN_CONTENTS else section.lines
    # The words of a link to an image are no sentence.
    lines = [_IMAGE.sub(r"(image: \1)", line) for line in lines]
    if section.level < 2:
        # What is ticked above all parts says how far the record is.
        lines = [line for line in lines if not (_TICKED.match(line) and len(line.split()) <= MAX_TICKED_WORDS)]
    text = section.text if tuple(lines) == tuple(section.lines) else plain("\n".join(lines))
    return "\n\n".join([part for part in _REFERENCE.sub("", text).strip().split("\n\n") if not _UNFILLED.match(part)])


def without_meta(text: str) -> str:
    """A text without metadata: lines such as `Date: ...` with what follows them, and tables with such a row."""
    kept: list[str] = []
    is_in_meta = False
    for is_table, group in groupby(text.split("\n"), lambda line: line.startswith("|")):
        lines = list(group)
        if is_table and any(_is_meta(line) for line in lines):
            continue
        for line in lines:
            if _is_meta(line):
                is_in_meta = True
            elif not line.strip() or not is_in_meta or not line.startswith((" ", "\t", "-", "*", "|")):
                is_in_meta = False
                kept.append(line)
    return "\n".join(kept).strip()


def _is_meta(line: str) -> bool:
    label = _ANY_LABEL.match(line)
    words = fold(label[1]).strip() if label else ""
    return bool(_META_LINE.match(line)) or any(words in phrases(f"label {name}") for name in META_LABELS)


def top_level_of(sections: Sequence[Section]) -> int:
    """The level of the outermost of some sections."""
    return min([section.level for section in sections], default=2)


def top_of(document: MarkdownDocument) -> int:
    """The level of the headings of the record's parts: below the title, or that of the title."""
    headings = [section for section in document.sections if section.level]
    levels = [section.level for section in headings[1:] if part_of(section.heading)]
    if levels.count(1) > 1 and set(levels) == {1}:
        return 1
    below = [level for level in levels if level > 1] or [section.level for section in headings if section.level > 1]
    first = headings[0].level if headings and part_of(headings[0].heading) else 0
    return min([*below, first] if first > 1 else below, default=2)


def named_parts(document: MarkdownDocument) -> list[str]:
    """The part that each section's own heading names; "" if it names none.

    A heading must name the part as a whole. If no heading names a part so, one that only begins with its name counts,
    if a preposition follows. A heading below a part can only name the parts that a decision is made of.
    """
    top = top_of(document)
    found: list[str] = []
    for number, section in enumerate(document.sections):
        check_time()
        is_title = top == 1 and not any(each.level for each in document.sections[:number])
        part = part_of(section.heading) if section.level >= top and section.level and not is_title else ""
        if (part == STATUS and not _tells_status(section)) or (part == HISTORY and not _tells_names(section)):
            part = ""
        found.append(RATIONALE if not part and section.level >= top and asks_why(section.heading) else part)
    for number, section in enumerate(document.sections):
        if not found[number] and section.level == top:
            loose = loose_part_of(section.heading)
            found[number] = "" if loose in found else loose
    return found


def _tells_status(section: Section) -> bool:
    """Whether a section below a heading such as `State` has a status, and not a text about states."""
    text = "\n".join(section.lines).strip()
    return len(text) <= MAX_STATUS_CHARS or bool(read_statements([split_heading(section.heading)[1], *section.lines]))


def _tells_names(section: Section) -> bool:
    """Whether a section below a heading such as `Tags` has names and dates, and not sentences."""
    is_log = bool(_IS_LOG.search(section.heading))
    return is_log or all(len(line.split()) <= MAX_NAMES_WORDS for line in section.lines)


def sort_sections(document: MarkdownDocument) -> AdrParts:
    """Assign each section to a part: by its heading, else by the headings above it, else by its position.

    Sections before the decision belong to the context; sections between the decision and the consequences belong to the
    decision.
    """
    parts = AdrParts()
    top = top_of(document)
    named = named_parts(document)
    has_decision = DECISION in named
    passed = ""
    inherited: list[tuple[int, str]] = []
    for section, name in zip(document.sections, named, strict=True):
        check_time()
        while inherited and inherited[-1][0] >= section.level:
            inherited.pop()
        above = inherited[-1][1] if inherited else ""
        own = name
        if own == DECISION and above in (OPTIONS, CONTEXT) and _is_outcome(section.heading):
            passed = DECISION
        elif above and own not in _BELOW.get(above, ()):
            own = above
        part = own or above
        if not part:
            part = CONTEXT if section.level < top or passed != DECISION else DECISION
            if passed == CONSEQUENCES:
                part = ""
            elif not has_decision and section.level >= top:
                part = DECISION
        if section.level >= top:
            inherited.append((section.level, part))
        passed = own if section.level == top and own in (DECISION, CONSEQUENCES) else passed
        if part == DECISION and _REJECTED.search(section.heading):
            parts.skipped.append((section, "an option that was rejected"))
        elif part in (LINKS, HISTORY):
            why = "pointers to other documents" if part == LINKS else "who and when: a decision has no field for it"
            parts.skipped.append((section, why))
        elif not part:
            parts.skipped.append((section, "behind the consequences: a decision has no field for it"))
        else:
            parts.sections.setdefault(part, []).append(section)
    return parts


def _is_outcome(heading: str) -> bool:
    """Whether a heading below the options or the context begins the decision: `Outcome`, but not `Solution`."""
    return fold(clean_heading(heading)) in phrases("outcome")
