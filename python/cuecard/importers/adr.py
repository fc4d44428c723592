"""Architecture decision records, as Nygard and MADR write them, to decisions (SPEC 45.3)."""

import re

from ..store.records.record_file import Fields
from .draft import NOT_STATED, ImportedDraft, first_sentence, shorten, shorten_all
from .markdown import MarkdownDocument, Section, items, paragraphs

KIND = "adr"
_NUMBER = re.compile(
    r"^(?:\[?adr[-_ ]*\d*\]?\s*[-:.\u2013\u2014]*\s*)?(?:\d{1,5}\s*[-.:)\u2013\u2014]\s*)?", re.IGNORECASE
)
_CONTEXT = re.compile(r"^(context|problem|background|issue|motivation|summary|introduction)\b", re.IGNORECASE)
_DECISION = re.compile(
    r"^(the )?(decision( outcome| made| taken)?|outcome|resolution|proposed solution)$", re.IGNORECASE
)
_RATIONALE = re.compile(r"^(rationale|reason|justification|argument|decision drivers?|drivers|why)\b", re.IGNORECASE)
_CONSEQUENCES = re.compile(
    r"^(consequences?|implications?|positive consequences|negative consequences|impact|results?|trade-?offs?)\b",
    re.IGNORECASE,
)
_OPTIONS = re.compile(r"^(considered |other )?(options|alternatives)\b", re.IGNORECASE)
_PROS = re.compile(r"^pros and cons\b", re.IGNORECASE)
_STATUS_LINE = re.compile(
    r"^[^\w\n]*status[^\w\n]*:[^\w\n]*(.+)$|^[^\w\n]*(superseded\b.*)$", re.IGNORECASE | re.MULTILINE
)
_DATE = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")
_CHOSEN = re.compile(
    r"chosen (?:option|alternative)s?:?\s*(.+?)(?:,?\s+because\b|\.\s|\n\s*\n|$)", re.IGNORECASE | re.DOTALL
)
_BECAUSE = re.compile(r"\bbecause\b[:,]?\s*(.+)", re.IGNORECASE | re.DOTALL)
_AGAINST = re.compile(r"^(bad|con|cons|negative|disadvantage|neutral)\b", re.IGNORECASE)
_STATUSES = (
    (
        re.compile(
            r"\b(superseded|superceded|replaced|obsoleted)\b(?!\s*(?:the|adr)?\s*(?:nothing|none))", re.IGNORECASE
        ),
        "superseded",
    ),
    (re.compile(r"\b(rejected|declined|withdrawn|abandoned)\b", re.IGNORECASE), "rejected"),
    (re.compile(r"\b(deprecated|obsolete|retired)\b", re.IGNORECASE), "deprecated"),
    (re.compile(r"\b(accepted|approved|adopted|agreed|decided|done|implemented|final)\b", re.IGNORECASE), "accepted"),
    (re.compile(r"\b(proposed|draft|pending|review|wip|in progress|discussion|open)\b", re.IGNORECASE), "proposed"),
)
_TEMPLATE = re.compile(r"[{\[<](short )?(title|name|number)\b|^\s*adr[- ]template", re.IGNORECASE)


def is_adr(document: MarkdownDocument) -> bool:
    """Whether a document has a decision, and what led to it or its status."""
    headings = [section.heading for section in document.sections if section.level]
    has_decision = any(_DECISION.match(heading) for heading in headings)
    others = (_CONTEXT, _CONSEQUENCES, _OPTIONS, _RATIONALE)
    has_more = any(pattern.match(heading) for heading in headings for pattern in others)
    return has_decision and (has_more or bool(_status_text(document)))


def is_template(document: MarkdownDocument, path: str) -> bool:
    """Whether a document is one to be filled in."""
    stem = path.rpartition("/")[2].lower()
    return "template" in stem or bool(_TEMPLATE.search(document.title))


def read_adr(document: MarkdownDocument, path: str) -> ImportedDraft | str:
    """The decision of a record; why there is none, else."""
    if is_template(document, path):
        return "a template"
    decision = _texts(document, _DECISION)
    if not decision:
        return "without a decision"
    title = _NUMBER.sub("", document.title, count=1).strip() or path.rpartition("/")[2].removesuffix(".md")
    status = _read_status(document)
    context = _texts(document, _CONTEXT) or _introduction(document)
    rationale = _items(document, _RATIONALE) or _because(decision)
    content: Fields = {
        "status": "deprecated" if status == "rejected" else status,
        "context": shorten(context) or NOT_STATED,
        "decision": shorten(decision),
        "rationale": shorten_all(rationale) or [first_sentence(context) or NOT_STATED],
    }
    alternatives = _alternatives(document, decision)
    if alternatives:
        content["alternatives"] = alternatives
    consequences = shorten_all(_items(document, _CONSEQUENCES))
    if consequences:
        content["consequences"] = consequences
    tags = tuple(dict.fromkeys(["adr", *document.values("tags")]))
    over = f"{status} at its source" if status in ("superseded", "rejected", "deprecated") else ""
    return ImportedDraft("decision", title, content, KIND, path, "", tags, (), _read_date(document), over)


def _below(document: MarkdownDocument, pattern: re.Pattern[str]) -> list[Section]:
    """The sections whose heading fits, or that stand below one that does, in their order.

    What another pattern takes from below it is not part of it.
    """
    others = [each for each in (_CONTEXT, _DECISION, _RATIONALE, _CONSEQUENCES, _OPTIONS, _PROS) if each is not pattern]
    found = []
    for section in document.sections:
        if section.level < 2 and not pattern.match(section.heading):
            continue
        names = [*section.above, section.heading]
        place = max([at for at, name in enumerate(names) if pattern.match(name)], default=-1)
        if place >= 0 and not any(other.match(name) for name in names[place + 1 :] for other in others):
            found.append(section)
    return found


def _texts(document: MarkdownDocument, pattern: re.Pattern[str]) -> str:
    parts = []
    for section in _below(document, pattern):
        if section.text:
            head = "" if pattern.match(section.heading) else f"{section.heading}: "
            parts.append(head + section.text)
    return "\n\n".join(parts)


def _items(document: MarkdownDocument, pattern: re.Pattern[str]) -> list[str]:
    return [item for section in _below(document, pattern) for item in items(section.text)]


def _introduction(document: MarkdownDocument) -> str:
    """What stands before the first section, without lines such as `Date: ...`."""
    lead = next((section for section in document.sections if section.level < 2 and section.text), None)
    lines = lead.text.splitlines() if lead else []
    return "\n".join([line for line in lines if not re.match(r"^\W*[A-Z][\w ]{0,20}\W*:", line)]).strip()


def _because(decision: str) -> list[str]:
    found = _BECAUSE.search(decision)
    return items(found.group(1)) if found else []


def _alternatives(document: MarkdownDocument, decision: str) -> list[Fields]:
    """The options that were not taken, with what speaks against each."""
    found = _CHOSEN.search(decision)
    chosen = _letters(found.group(1)) if found else ""
    against: dict[str, str] = {}
    for section in document.sections:
        if (
            section.level > 2
            and section.above
            and any(_PROS.match(name) or _OPTIONS.match(name) for name in section.above)
        ):
            cons = [item for item in items(section.text) if _AGAINST.match(item)]
            against[section.heading] = "; ".join(cons)
    names = list(against)
    if not names:
        for section in _below(document, _OPTIONS):
            names += items(section.text) if _OPTIONS.match(section.heading) else [section.heading]
    kept = []
    for name in dict.fromkeys(names):
        option = _letters(name)
        if chosen and (option.startswith(chosen) or chosen.startswith(option)):
            continue
        reason = against.get(name, "")
        kept.append({"option": shorten(name, 300), "rejected_reason": shorten(reason, 1000) or NOT_STATED})
    return kept[:20]


def _letters(text: str) -> str:
    """A text without case, quotes and the like."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _status_text(document: MarkdownDocument) -> str:
    """What says how a record stands: front matter, a section, or a line."""
    front = document.value("status")
    if front:
        return front
    for section in document.sections:
        if section.heading.lower().strip(" :") == "status":
            return section.text
    # Above the first part that tells something, not wherever the word stands.
    lead = "\n".join([section.text for section in document.sections if section.level < 2])
    found = _STATUS_LINE.search(lead)
    return (found.group(1) or found.group(2)) if found else ""


def _read_status(document: MarkdownDocument) -> str:
    """The last line that says something, because tools add lines; what a record supersedes says nothing."""
    status = "accepted"
    for line in _status_text(document).splitlines():
        word = next((name for pattern, name in _STATUSES if pattern.search(line)), "")
        status = word or status
    return status


def _read_date(document: MarkdownDocument) -> str:
    date = document.value("date", "created")
    if not date:
        lead = [paragraph for section in document.sections[:2] for paragraph in paragraphs(section.text)]
        date = next((line for line in lead if "date" in line.lower()), "")
    found = _DATE.search(date)
    return found.group(1) if found else ""
