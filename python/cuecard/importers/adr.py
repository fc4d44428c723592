"""Reads architecture decision records as decisions, in the forms of Nygard, MADR, log4brains and others.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re

from ..store.records.record_file import Fields
from .adr_parts import (
    CONSEQUENCES,
    CONTEXT,
    DECISION,
    OPTIONS,
    RATIONALE,
    AdrParts,
    part_of,
    sort_sections,
    split_labels,
)
from .adr_status import OVER, find_superseded, read_status, status_text
from .draft import NOT_STATED, ImportedDraft, Reading, account, find_because, shorten, shorten_all
from .markdown import MarkdownDocument, Section, items, paragraphs, without_markup
from .titles import clean_heading, make_title

KIND = "adr"
_TITLE_NUMBER = re.compile(
    r"^(?:archi\w+ decision records?:\s+)?"
    r"(?:\[?(?:[a-z]{2,8}-){0,2}(?:adr|decision|rfc)(?:-[a-z]{1,10}(?=-\d))?"
    r"(?:[-_ #]*\d[\d_.-]*\]?\s*[-:.\u2013\u2014]*|\s*[-:\u2013\u2014])\s*)?"
    r"(?:\[?\d{1,5}\]?\s*[-.:)\u2013\u2014]\s*|\d{3,5}\s+)?",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"^(?:(?:the )?title (?:of|for) (?:the |this )?)?(?:an? )?(?:archi\w+ )?decision(?: records?)?(?: template)?$",
    re.IGNORECASE,
)
_NUMBERED_NAME = re.compile(r"^(?:adr[-_ ]*)?\d{1,8}[-_. ]|^adr[-_ ]", re.IGNORECASE)
_FOLDER = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|decision-?records?|architecture"
    r"|architecture[-_ ]decisions?(?:[-_ ]records?)?)/[^/]*$",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")
_DATE_BEFORE = re.compile(r"^(?:\d{4}-\d{2}(?:-\d{2})?|\d{8})[-_ ]")
_CHOSEN = re.compile(
    r"chosen (?:option|alternative|solution)s?(?: is)?:?\s*(.+?)(?:,?\s+because\b|\.\s|\n\s*\n|$)",
    re.IGNORECASE | re.DOTALL,
)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,2}[.)])[ \t]", re.MULTILINE)
_AGAINST = re.compile(r"^\W*(bad|con|cons|negative|disadvantages?)\b", re.IGNORECASE)
_TEMPLATE = re.compile(r"[{\[<](short )?(title|name|number)\b|^\s*adr[- ]template|^template\b", re.IGNORECASE)
_NOT_RECORDS = ("readme.md", "index.md", "readme.mdx", "index.mdx", "toc.md", "glossary.md", "process.md")
_PLACEHOLDER = re.compile(
    r"^\W*(?:(?:the )?decision (?:goes )?here|tbd|to be (?:decided|determined|done)|todo|tba"
    r"|what is the change that we.{0,80})\W*$",
    re.IGNORECASE,
)
MIN_DECISION_CHARS = 5


def is_adr(document: MarkdownDocument, path: str) -> bool:
    """Whether a document is a decision record.

    A record has a decision, and a context, consequences, options, reasons or a status. If the file is in a folder of
    records and has a number, one of these parts is enough.
    """
    name = _name_of(path).lower()
    if name in _NOT_RECORDS:
        return False
    parts = {part_of(section.heading) for section in split_labels(document).sections if section.level}
    if DECISION in parts and (parts & {CONTEXT, CONSEQUENCES, OPTIONS, RATIONALE} or status_text(document)):
        return True
    folder = path.rpartition("/")[0] if name != path.rpartition("/")[2].lower() else path
    is_placed = bool(_FOLDER.search(folder)) and bool(_NUMBERED_NAME.match(name))
    return is_placed and bool(parts & {CONTEXT, CONSEQUENCES, OPTIONS, RATIONALE, DECISION} or status_text(document))


def _name_of(path: str) -> str:
    """The file name of a record. If each record has its own folder with a README, the name of the folder plus `.md`."""
    folder, _slash, name = path.rpartition("/")
    own = folder.rpartition("/")[2]
    return f"{own}.md" if name.lower().startswith("readme.") and _NUMBERED_NAME.match(own) else name


def is_template(document: MarkdownDocument, path: str) -> bool:
    """Whether a document is a template."""
    stem = path.rpartition("/")[2].lower()
    return "template" in stem or bool(_TEMPLATE.search(document.title))


def read_adr(document: MarkdownDocument, path: str) -> Reading:
    """The decision in a record, and a report row for each section, which says what became of the section."""
    if is_template(document, path):
        return Reading(skipped=[(path, "a template")], files=[path])
    record = split_labels(document)
    parts = sort_sections(record)
    decision = parts.text(DECISION)
    if len(decision) < MIN_DECISION_CHARS or _PLACEHOLDER.match(decision):
        return Reading(skipped=[(path, "without a decision")], files=[path])
    reading = Reading([_draft(record, parts, decision, path)])
    _tell_parts(reading, parts, {section.place for section in document.sections}, path)
    return account(reading, document, path, "the decision")


def _draft(document: MarkdownDocument, parts: AdrParts, decision: str, path: str) -> ImportedDraft:
    title = _title(document, path)
    status = read_status(document)
    reasons = [*_reasons(decision), *parts.items(RATIONALE)]
    context = parts.text(CONTEXT)
    options, others = _read_options(parts, decision, title)
    if others:
        context = f"{context}\n\nOptions considered: {'; '.join(others)}".strip()
    content: Fields = {
        "status": "deprecated" if status == "rejected" else status,
        "context": shorten(context) or NOT_STATED,
        "decision": shorten(decision),
        "rationale": shorten_all(reasons) or [NOT_STATED],
    }
    if options:
        content["alternatives"] = options
    consequences = shorten_all(parts.items(CONSEQUENCES))
    if consequences:
        content["consequences"] = consequences
    tags = tuple(dict.fromkeys(["adr", *document.values("tags")]))
    over = f"{status} at its source" if status in OVER else ""
    return ImportedDraft(
        "decision",
        title,
        content,
        KIND,
        path,
        "",
        tags,
        (),
        _read_date(document),
        over,
        None,
        find_superseded(document),
    )


def _title(document: MarkdownDocument, path: str) -> str:
    """The title of a record without its number; words from the file name if the title says nothing."""
    headings = [section for section in document.sections if section.level]
    # A first-level heading after headings of other levels is part of the text.
    is_late = bool(headings) and headings[0].level > 1 and any(section.level == 1 for section in headings)
    heading = without_markup(document.value("title") if is_late else document.title)
    numbered = _TITLE_NUMBER.sub("", heading, count=1)
    parts = [_TITLE_NUMBER.sub("", part, count=1).strip() for part in re.split(r"\s[-\u2013\u2014]\s", numbered)]
    title = " - ".join([part for part in parts if part])
    number, own = re.match(r"0*(\d+) ", title), re.search(r"(?:^|/)(?:adr[-_ ]*)?0*(\d+)[^/]*$", path, re.IGNORECASE)
    if number and own and number.group(1) == own.group(1):
        title = title.partition(" ")[2].strip()
    # A title such as `use-semver-for-releases` was probably taken from a file name.
    is_slug = " " not in title and title.count("-") > 1
    if title and not is_slug and not part_of(title) and not any(map(_SAYS_NOTHING.match, parts)):
        return make_title(title)
    stem = _DATE_BEFORE.sub("", _name_of(path).rpartition(".")[0])
    words = _TITLE_NUMBER.sub("", stem.replace("_", "-"), count=1).replace("-", " ").strip()
    return words[:1].upper() + words[1:] or heading


def _reasons(decision: str) -> list[str]:
    """The reasons after `because` where the text states the decision.

    Only two paragraphs are read, from the chosen option or else from the beginning. In later paragraphs `because`
    explains details.
    """
    found = _CHOSEN.search(decision)
    start = found.start() if found else 0
    lead = "\n\n".join(decision[start:].strip().split("\n\n")[:2])
    # In a list item, `because` gives the reason for that item only.
    item = _ITEM.search(lead)
    return find_because(lead[: item.start()] if item and "because" not in lead[: item.start()].lower() else lead)


def _read_options(parts: AdrParts, decision: str, title: str) -> tuple[list[Fields], list[str]]:
    """The options that were not chosen, with the arguments against each, and the options that cannot be assigned.

    If the chosen option is known, the second list is empty. If it is not known, the first list is empty, and the second
    has the names of all options.
    """
    against = _against(parts.sections.get(OPTIONS, []))
    if not against:
        return [], []
    found = _CHOSEN.search(decision)
    taken = _words_of(found.group(1)) if found else ""
    head = _words_of(f"{title} {paragraphs(decision)[0] if paragraphs(decision) else ''}")
    chosen = set()
    for name in against:
        words = _words_of(name)
        core = re.sub(r"^option (?:\w|\d+) ", "", words)
        is_named = bool(taken) and (words.startswith(taken) or taken.startswith(core) or f" {core} " in f" {taken} ")
        if is_named or (not taken and core and f" {core} " in f" {head} "):
            chosen.add(name)
    if not chosen:
        return [], [shorten(name, 300) for name in against]
    left = [(name, why) for name, why in against.items() if name not in chosen]
    return [{"option": shorten(name, 300), "rejected_reason": shorten(why, 1000) or NOT_STATED} for name, why in left][
        :20
    ], []


def _against(sections: list[Section]) -> dict[str, str]:
    """The arguments against each option in the source, by the option's name; "" if the source gives none."""
    against: dict[str, str] = {}
    names: list[str] = []
    base = min([section.level for section in sections], default=2)
    current = ""
    for section in sections:
        is_side = bool(
            re.match(r"^\W*(pros?|cons?|advantages|disadvantages|benefits|drawbacks)\b", section.heading, re.IGNORECASE)
        )
        is_side = is_side or part_of(section.heading) == CONSEQUENCES
        if section.level > base and not is_side and not (current and section.level > base + 1):
            current = clean_heading(section.heading)
            against.setdefault(current, "")
        elif section.level == base:
            names += [item for block in section.blocks if block.kind == "list" for item in block.items]
        if current and section.level > base:
            is_cons = bool(re.match(r"^\W*(cons?|disadvantages|drawbacks)\b", section.heading, re.IGNORECASE))
            cons = [item for item in items(section.text) if is_cons or _AGAINST.match(item)]
            against[current] = "; ".join([part for part in (against[current], *cons) if part])
    if not against:
        against = dict.fromkeys([without_markup(name) for name in names], "")
    return against


def _words_of(text: str) -> str:
    """The words of a text in lower case, without punctuation."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _tell_parts(reading: Reading, parts: AdrParts, places: set[str], path: str) -> None:
    """Add a report row for each section: the field that its text became, or why it became no field."""
    for part, sections in parts.sections.items():
        field = "alternatives" if part == OPTIONS and reading.drafts[0].content.get("alternatives") else part
        field = "context" if field == OPTIONS else field
        for section in sections:
            if section.text and section.place in places:
                reading.parts.append((f"{path}#{section.place}", f"`{field}` of the decision"))
    reading.skipped += [
        (f"{path}#{section.place}", why) for section, why in parts.skipped if section.text and section.place in places
    ]


def _read_date(document: MarkdownDocument) -> str:
    date = document.value("date", "created")
    if not date:
        lead = [paragraph for section in document.sections[:2] for paragraph in paragraphs(section.text)]
        date = next((line for line in lead if "date" in line.lower()), "")
    found = _DATE.search(date)
    return found.group(1) if found else ""
