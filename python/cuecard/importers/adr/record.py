"""Reads architecture decision records as decisions, in the forms of Nygard, MADR, log4brains and others.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re

from ...store.records.record_file import Fields
from ..draft import IS_TEMPLATE, NOT_STATED, ImportedDraft, Reading, account, find_because, shorten_all, shorten_blocks
from ..markup.markdown import MarkdownDocument, without_markup
from ..titles import make_title
from .dates import find_date
from .facts import Fact, find_facts
from .labels import split_labels
from .leftovers import without_leftovers
from .options import CHOSEN, Option, chosen_text, find_options, split_options, with_names
from .parts import AdrParts, named_parts, sort_sections
from .status import has_status, read_status, status_sections
from .succession import find_links, find_superseded
from .words import CONSEQUENCES, CONTEXT, DECISION, OPTIONS, OVER, RATIONALE, REJECTED, part_of

KIND = "adr"
_TITLE_LABEL = re.compile(r"^\s*title\s*:\s*(?=\S)", re.IGNORECASE)
_TITLE_NUMBER = re.compile(
    r"^(?:archi\w+ decision records?:\s+)?"
    r"(?:\[?(?:[a-z]{2,8}-){0,2}(?:adr|decision|rfc)(?:-[a-z]{1,10}(?=-\d))?"
    r"(?:[-_ #]*\d[\d_.-]*\]?\s*[-:.\u2013\u2014]*|\s*[-:\u2013\u2014])\s*)?"
    r"(?:\[?\d{1,5}\]?\s*[-.:)\u2013\u2014]\s*|\d{3,5}\s+)?",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"^(?:title|(?:(?:the )?title (?:of|for) (?:the |this )?)?(?:an? )?(?:(?:archi\w+ )?decision(?: records?)?"
    r"|(?:(?:rfc|design|technical) )?proposal|rfc|request for comments)(?: template)?)$",
    re.IGNORECASE,
)
_NUMBERED_NAME = re.compile(r"^(?:adr[-_ ]*)?\d{1,8}[-_. ]|^adr[-_ ]", re.IGNORECASE)
_FOLDER = re.compile(
    r"(?:^|/)(?:adrs?|rfcs?|decisions?|decision-?records?|architecture"
    r"|architecture[-_ ]decisions?(?:[-_ ]records?)?)/[^/]*$",
    re.IGNORECASE,
)
_FOLDER_ABOVE = re.compile(
    r"(?:^|/)(?:adrs?|rfcs?|decisions?|decision[-_]?records?|architecture[-_ ]decisions?(?:[-_ ]records?)?)/",
    re.IGNORECASE,
)
_DATE_BEFORE = re.compile(r"^(?:\d{4}-\d{2}(?:-\d{2})?|\d{8})[-_ ]")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,2}[.)])[ \t]", re.MULTILINE)
# Words in the name of a template that do not say what it would be about.
_OF_TEMPLATES = frozenset("adr adrs rfc madr decision decisions record records architecture architectural".split())
_EXAMPLE_NAME = re.compile(r"(?:0+[-_ ]*)?(?:example|sample)")
_TEMPLATE = re.compile(r"[{\[<](short )?(title|name|number)\b|^\s*adr[- ]template|^template\b", re.IGNORECASE)
_NOT_RECORDS = frozenset(("readme", "index", "toc", "glossary", "process"))
_PLACEHOLDER = re.compile(
    r"^\W*(?:(?:the )?decision (?:goes )?here|tbd|to be (?:decided|determined|done)|todo|tba"
    r"|what is the change that we.{0,80}|lorem ipsum.{0,80})\W*$",
    re.IGNORECASE,
)
# Words of a template in brackets, which nobody has replaced.
_UNFILLED = re.compile(r"[\[{<](?:option \d|title of option|justification)\b", re.IGNORECASE)
MIN_DECISION_CHARS = 5
# The first record that tools make, and that says nothing about the project. Another clause may say something.
_BOILERPLATE = re.compile(
    r"^\W*we (?:will|should) use (?:architecture|architectural) decision records,?"
    r" as \[?(?:described|proposed|introduced)"
    r"(?:\]\([^()]*\)|(?:(?!\.\s)[^\w,;])+(?!and\b)\w+){1,12}[^\w,;]*$",
    re.IGNORECASE,
)
# The names of people are separated by commas, line ends and the like; a template has a prompt in their place.
_NAMES = re.compile(r"[,;\n\u3001\uff0c](?![^()\n]*\))|\s(?:and|und|et|y|e|en|i|\u0438|&)\s")
_EMPTY = re.compile(r"[{}<>\[\]]|^(?:n/?a|tbd|none|everyone|list)\b", re.IGNORECASE)
MAX_NAMES, MAX_NAME_CHARS = 20, 80


def is_adr(document: MarkdownDocument, path: str) -> bool:
    """Whether a document is a decision record.

    A record has a decision, and a context, consequences, options, reasons or a status. If the file is in a folder of
    records and has a number, one of these parts is enough.
    """
    name = _name_of(path).lower()
    if name.rpartition(".")[0] in _NOT_RECORDS:
        return False
    record = split_labels(document)
    parts = {*named_parts(record)}
    if DECISION in parts and (parts & {CONTEXT, CONSEQUENCES, OPTIONS, RATIONALE} or has_status(document)):
        return True
    folder = path.rpartition("/")[0] if name != path.rpartition("/")[2].lower() else path
    is_placed = bool(_FOLDER.search(folder)) and bool(_NUMBERED_NAME.match(name))
    return is_placed and bool(parts & {CONTEXT, CONSEQUENCES, OPTIONS, RATIONALE, DECISION} or has_status(document))


def is_in_folder_of_records(path: str) -> bool:
    """Whether a file is below a folder for decision records."""
    return bool(_FOLDER_ABOVE.search(path))


def _name_of(path: str) -> str:
    """The file name of a record. If each record has its own folder with a README, the name of the folder plus `.md`."""
    folder, _slash, name = path.rpartition("/")
    own = folder.rpartition("/")[2]
    return f"{own}.md" if name.lower().startswith("readme.") and _NUMBERED_NAME.match(own) else name


def is_template(document: MarkdownDocument, path: str) -> bool:
    """Whether a document is a template."""
    stem = path.rpartition("/")[2].rpartition(".")[0].lower()
    return bool(_EXAMPLE_NAME.fullmatch(stem)) or _names_template(stem) or bool(_TEMPLATE.search(document.title))


def _names_template(stem: str) -> bool:
    """Whether a file's name is that of a template: `0000-adr-template`, but not `0039-use-a-template-engine`."""
    words = re.findall(r"[a-z]+|\d+", stem)
    rest = [word for word in words if word.isalpha() and word not in _OF_TEMPLATES]
    named = [word for word in rest if word.removesuffix("s") != "template"]
    is_numbered = any(word.isdigit() and int(word) for word in words[:2])
    return len(named) < len(rest) and (not named or (len(named) == 1 and not is_numbered))


def read_adr(document: MarkdownDocument, path: str) -> Reading:
    """The decision in a record, and a report row for each section, which says what became of the section."""
    if is_template(document, path):
        return Reading(skipped=[(path, IS_TEMPLATE)], files=[path])
    record = split_labels(without_leftovers(document))
    parts = sort_sections(record)
    options = find_options(parts)
    decision = with_names(parts.text(DECISION), options)
    if _says_nothing(decision):
        decision = chosen_text(options)
    if _says_nothing(decision) and not any(section.text for section in document.sections if section.level > 1):
        # All that the record says stands below its title.
        decision, parts.sections[CONTEXT] = parts.text(CONTEXT), []
    if _says_nothing(decision):
        return Reading(skipped=[(path, "without a decision")], files=[path])
    if _BOILERPLATE.match(decision):
        return Reading(skipped=[(path, "it only says that decisions are recorded")], files=[path])
    reading = Reading([_draft(record, parts, options, decision, path)])
    _tell_parts(reading, parts, {section.place for section in document.sections}, path)
    return account(reading, document, path, "the decision")


def _says_nothing(decision: str) -> bool:
    return len(decision) < MIN_DECISION_CHARS or bool(_PLACEHOLDER.match(decision) or _UNFILLED.search(decision))


def _draft(
    document: MarkdownDocument, parts: AdrParts, choices: list[Option], decision: str, path: str
) -> ImportedDraft:
    title = _title(document, path)
    status = read_status(document)
    reasons = [*_reasons(decision), *parts.items(RATIONALE)]
    context = parts.text(CONTEXT)
    options, others = split_options(choices, decision, title)
    # A text that names no options one by one is told as it is.
    told = "; ".join(others) if choices else parts.text(OPTIONS)
    if told:
        context = f"{context}\n\nOptions considered: {told}".strip()
    content: Fields = {
        "status": "deprecated" if status == REJECTED else status,
        "context": shorten_blocks(context, path) or NOT_STATED,
        "decision": shorten_blocks(decision, path),
        "rationale": shorten_all(reasons) or [NOT_STATED],
    }
    if options:
        content["alternatives"] = options
    consequences = shorten_all(parts.items(CONSEQUENCES))
    if consequences:
        content["consequences"] = consequences
    tags = tuple(dict.fromkeys(["adr", *document.values("tags")]))
    return ImportedDraft(
        "decision",
        title,
        content,
        KIND,
        path,
        tags=tags,
        date=_read_date(document, path),
        is_over=f"{status} at its source" if status in OVER else "",
        replaces=find_superseded(document),
        facts=_read_facts(document),
    )


def _title(document: MarkdownDocument, path: str) -> str:
    """The title of a record without its number; words from the file name if the title says nothing."""
    headings = [section for section in document.sections if section.level]
    # A first-level heading after headings of other levels is part of the text.
    is_late = bool(headings) and headings[0].level > 1 and any(section.level == 1 for section in headings)
    heading = without_markup(document.value("title") if is_late else document.title)
    numbered = _TITLE_NUMBER.sub("", _TITLE_LABEL.sub("", heading), count=1)
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
    found = CHOSEN.search(decision)
    start = found.start() if found else 0
    lead = "\n\n".join(decision[start:].strip().split("\n\n")[:2])
    # In a list item, `because` gives the reason for that item only.
    item = _ITEM.search(lead)
    before = find_because(lead[: item.start()]) if item else []
    return before or ([] if item and "because" not in lead[: item.start()].lower() else find_because(lead))


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


def _read_date(document: MarkdownDocument, path: str) -> str:
    """The day of the decision: of a field for it, of the status, of a field for another day, or of the file's name."""
    facts = find_facts(document)
    stated = "\n".join([line for section in status_sections(document) for line in section.lines])
    texts = [fact.value for fact in _in_order(facts, "decided")]
    texts += [stated, *[fact.value for fact in facts if fact.label == "status"]]
    texts += [fact.value for label in ("created", "updated") for fact in _in_order(facts, label)]
    named = _DATE_BEFORE.match(_name_of(path))
    return next((date for text in texts if (date := find_date(text))), "") or (find_date(named[0]) if named else "")


def _in_order(facts: list[Fact], label: str) -> list[Fact]:
    """The fields of a label, the latest row of a table first."""
    return sorted([fact for fact in facts if fact.label == label], key=lambda fact: fact.date, reverse=True)


def _read_facts(document: MarkdownDocument) -> Fields:
    """Who decided, and how the record relates to others."""
    found: Fields = {}
    named = [fact.value for fact in find_facts(document) if fact.label == "deciders"]
    names = [_name_in(part) for value in named for part in _NAMES.split(value)]
    names = [name for name in dict.fromkeys(names) if name and len(name) <= MAX_NAME_CHARS and not _EMPTY.search(name)]
    if names:
        found["deciders"] = names[:MAX_NAMES]
    links = [[link.relation, link.name] for link in find_links(document)]
    return {**found, "links": links} if links else found


def _name_in(text: str) -> str:
    return without_markup(text).strip(" \t-*+.;|\u2022")
