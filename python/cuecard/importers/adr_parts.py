"""Assigns the sections of a decision record to parts such as context, decision and consequences.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from dataclasses import dataclass, field, replace

from ..basics.time_limit import check_time
from .markdown import MarkdownDocument, Section, statements
from .titles import clean_heading

CONTEXT, DECISION, RATIONALE, CONSEQUENCES = "context", "decision", "rationale", "consequences"
OPTIONS, STATUS, LINKS, HISTORY = "options", "status", "links", "history"

# Headings of records in German, Spanish, French, Portuguese and Russian.
_TRANSLATED = (
    (LINKS, "ссылки|verweise|referencias|références|referências"),
    (OPTIONS, "рассмотренные|альтернативы|варианты|optionen|alternativen|opciones|alternativas|opções"),
    (RATIONALE, "обоснование|begründung|justificación|motivación|justificativa"),
    (CONSEQUENCES, "последствия|konsequenzen|folgen|consecuencias|conséquences|consequências"),
    (DECISION, "решение|entscheidung|decisión|décision|decisão"),
    (CONTEXT, "контекст|kontext|contexto|contexte|hintergrund"),
)
# The first pattern that matches a heading counts.
_PARTS = (
    (STATUS, re.compile(r"^(?:adr |decision |current )?(status|state)\b", re.IGNORECASE)),
    (
        HISTORY,
        re.compile(
            r"^(change ?log|history|revisions?|revision history|version history|date|dates|deciders?"
            r"|decision[- ]makers?"
            r"|authors?|participants|stakeholders|people|contributors|reviewers?|approvals?|approvers|sign-?off"
            r"|owners?"
            r"|licen[sc]es?|copyright|notice"
            r"|tags?|metadata|meta|ticket|consulted|informed|table of contents|contents)\b",
            re.IGNORECASE,
        ),
    ),
    (
        LINKS,
        re.compile(
            r"^(references?|links?|see also|further reading|resources|related(?: \w+)*|bibliography|sources|footnotes"
            r"|attachments)$",
            re.IGNORECASE,
        ),
    ),
    (
        OPTIONS,
        re.compile(
            r"^(?:considered |other |available |possible |rejected |design |the |evaluated |discarded )*"
            r"(options?|alternatives?)\b(?! chosen)|^(?:solutions|alternatives|options|approaches) considered"
            r"|^pros and cons\b|^comparison of (?:the )?options",
            re.IGNORECASE,
        ),
    ),
    (
        RATIONALE,
        re.compile(
            r"^(?:the )?(rationale|reasons?|reasoning|justifications?|arguments?|decision drivers?|drivers"
            r"|decision criteria|why)\b",
            re.IGNORECASE,
        ),
    ),
    (
        CONSEQUENCES,
        re.compile(
            r"^(?:the )?(?:positive |negative |neutral |expected )?(consequences?|implications?|impacts?|results?"
            r"|trade-?offs?|drawbacks|benefits|risks|positive|negative|neutral|backwards? compatibility)\b",
            re.IGNORECASE,
        ),
    ),
    (
        DECISION,
        re.compile(
            r"^(?:the |our |final )?(?:decisions?(?! (?:drivers?|makers?|date|log|criteria|record|owner|process))\b"
            r"|outcome|resolution|proposals?\b|proposed|proposed \w+|solutions?\b|recommend(?:ation|ed)\b"
            r"|conclusions?$"
            r"|what$|how$|how (?:we will|will we|does it work|it works)\b|implementation plan$"
            r"|chosen \w+|selected \w+|what we (?:will do|decided|do)|(?:our )?approach$|agreement$)",
            re.IGNORECASE,
        ),
    ),
    (
        CONTEXT,
        re.compile(
            r"^(?:the )?(?:context|problem|background|issue|motivation|summary|introduction|abstract|overview|forces"
            r"|assumptions|requirements|goals?|objectives?|use cases?|current (?:state|situation)|scope|non-goals"
            r"|out of scope|disclaimer|terms|situation|question|facts|constraints|description|purpose|terminology"
            r"|definitions)\b",
            re.IGNORECASE,
        ),
    ),
    *[(part, re.compile(rf"^(?:{words})\b", re.IGNORECASE)) for part, words in _TRANSLATED],
)
_LABEL = re.compile(r"^(?:[-*+]|\d{1,2}[.)])?[ \t]*(\*\*|__)([^*_\n]{2,40}?)[:.]?\1[:.]?[ \t]*(.*)$")
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
            if section.text:
                head = (
                    ""
                    if part_of(section.heading) == part or section.level < 2
                    else f"{clean_heading(section.heading)}: "
                )
                texts.append(head + (without_meta(section.text) if section.level < 2 else section.text))
            elif part == DECISION and part_of(section.heading) != part and section.level > 1:
                # The heading below `Decision` may be the whole text of the decision.
                texts.append(clean_heading(section.heading))
        return "\n\n".join([text for text in texts if text.strip()])

    def items(self, part: str) -> list[str]:
        """The list items and paragraphs in the sections of a part."""
        found = []
        for section in self.sections.get(part, []):
            told = [each for each in statements(section.text) if not _PROMPT.match(each)]
            name = clean_heading(section.heading)
            is_own = part_of(section.heading) != part and name and told
            found += [f"{name}: {told[0]}", *told[1:]] if is_own else told
        return found


def part_of(heading: str) -> str:
    """The part that a heading names; "" if it names none."""
    check_time()
    words = clean_heading(heading)
    return next((part for part, pattern in _PARTS if pattern.match(words)), "")


def without_meta(text: str) -> str:
    """A text without metadata lines such as `Date: ...`."""
    kept, is_in_meta = [], False
    for line in text.split("\n"):
        if _META_LINE.match(line):
            is_in_meta = True
        elif not line.strip() or not is_in_meta or not line.startswith((" ", "\t", "-", "*", "|")):
            is_in_meta = is_in_meta and bool(line.strip()) and line.startswith("|")
            kept.append(line)
    return "\n".join(kept).strip()


def split_labels(document: MarkdownDocument) -> MarkdownDocument:
    """The record. If its parts have no headings, labels such as `**Decision:** ...` are turned into headings."""
    if any(part_of(section.heading) in (DECISION, CONTEXT) for section in document.sections if section.level > 1):
        return document
    sections: list[Section] = []
    for section in document.sections:
        sections.append(Section(section.level, section.heading, [], section.above, section.blocks, section.place))
        home = sections[-1]
        for line in section.lines:
            label = _LABEL.match(line)
            if label and part_of(label.group(2)) in (CONTEXT, DECISION, RATIONALE, CONSEQUENCES, OPTIONS):
                name = label.group(2)
                above = (*section.above, section.heading)
                home = Section(section.level + 1, name, [label.group(3)], above, (), f"{section.place} > {name}")
                sections.append(home)
            else:
                home.lines.append(line)
    return replace(document, sections=sections) if len(sections) > len(document.sections) else document


def sort_sections(document: MarkdownDocument) -> AdrParts:
    """Assign each section to a part: by its heading, else by the headings above it, else by its position.

    Sections before the decision belong to the context; sections between the decision and the consequences belong to the
    decision.
    """
    parts = AdrParts()
    top = min([section.level for section in document.sections if section.level > 1], default=2)
    has_decision = any(part_of(section.heading) == DECISION for section in document.sections if section.level >= top)
    passed = ""
    inherited: list[tuple[int, str]] = []
    for section in document.sections:
        check_time()
        while inherited and inherited[-1][0] >= section.level:
            inherited.pop()
        own = part_of(section.heading) if section.level >= top else ""
        above = inherited[-1][1] if inherited else ""
        is_decision = own == DECISION and clean_heading(section.heading).lower().startswith("decision")
        if is_decision and above in (OPTIONS, CONTEXT):
            passed = DECISION
        elif above in (OPTIONS, CONTEXT, LINKS, HISTORY, STATUS) or (own == CONTEXT and above):
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
