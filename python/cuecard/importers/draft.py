"""A memory as it is read from a source, before the store has seen it."""

import hashlib
import json
import re
from dataclasses import dataclass, field

from ..store.intake.intake import admit
from ..store.records.record_file import Fields
from ..store.records.record_limits import MAX_TITLE_CHARS
from .markdown import MarkdownDocument, items
from .titles import first_sentence_of

# What a text, and a list, of a source comes to at most.
MAX_TEXT_CHARS = 4000
MAX_ITEM_CHARS = 1000
MAX_ITEMS = 40
NOT_STATED = "not stated in the source"
CUT = "\u2026"
MIN_REASON_CHARS = 8
# With fewer words, `it comes out best (see below)` gives no reason.
MAX_POINTER_WORDS = 9
# At the beginning of a sentence it is about the rest of that sentence.
_BECAUSE = re.compile(r"(?<!\bonly )(?<!\bjust )(?<!\bnot )(?<=[a-z0-9,)\"'`] )because\b(?!\s+of\b)", re.IGNORECASE)
_ELSEWHERE = re.compile(r"\bsee (?:above|below)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ImportedDraft:
    """A memory of a source; `path` and `heading` say where it stands there and are its identity."""

    category: str
    title: str
    content: Fields
    kind: str
    path: str
    heading: str = ""
    tags: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    date: str = ""
    """As the source has it."""
    is_over: str = ""
    """Why it holds no longer, by its source; "" while it does."""
    confidence: float | None = None
    replaces: tuple[str, ...] = ()
    """Files or numbers of records that it supersedes, by its source."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same when the source is read again."""
        return self.kind, self.path, self.heading

    def record(self) -> Fields:
        """What is to be written, with where it comes from."""
        source = {"kind": self.kind, "path": self.path, "heading": self.heading, "digest": self.digest()}
        if self.date:
            source["date"] = self.date
        extension: Fields = {"origin": "import", "source": source}
        if self.anchors:
            extension["anchors"] = list(self.anchors)
        record: Fields = {
            "category": self.category,
            "title": shorten(self.title.strip() or self.heading or self.path, MAX_TITLE_CHARS),
            "tags": list(self.tags),
            "content": self.content,
            "cuecard": extension,
        }
        if self.confidence is not None:
            record["confidence"] = self.confidence
        return record

    def cuts(self) -> list[str]:
        """The fields of which a part was left out because they were too long."""
        found = []
        for name, value in self.content.items():
            texts = value if isinstance(value, list) else [value]
            if any(isinstance(text, str) and text.endswith(CUT) for text in texts):
                found.append(name)
        return found

    def digest(self) -> str:
        """The digest of all that the source says."""
        return digest_of([self.category, self.title, self.tags, self.anchors, self.content, self.date, self.is_over])


@dataclass
class Reading:
    """What was read from a source, and what of it was left aside, with the reason."""

    drafts: list[ImportedDraft] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    parts: list[tuple[str, str]] = field(default_factory=list)
    """Sections without a memory of their own, and what they went into."""
    files: list[str] = field(default_factory=list)
    """The files in Markdown that were read whole: what an earlier import has of them is there, or is gone."""

    def add(self, other: "Reading") -> None:
        """Take in what was read elsewhere."""
        self.drafts += other.drafts
        self.skipped += other.skipped
        self.parts += other.parts
        self.files += other.files


def account(reading: Reading, document: MarkdownDocument, path: str, used: str) -> Reading:
    """The reading with a row for each section that has none yet; `used` says what such a section went into.

    A memory of the whole file takes up all sections that nothing else is said of.
    """
    told = {draft.heading for draft in reading.drafts} | {where.partition("#")[2] for where, _why in reading.skipped}
    told |= {where.partition("#")[2] for where, _of in reading.parts}
    places = [place for section in document.sections for place in [section.place]]
    known = set(places)
    # A rule of a section is named after it.
    for heading in list(told):
        while " > " in heading and heading not in known:
            heading = heading.rpartition(" > ")[0]
        told.add(heading)
    for section in document.sections:
        where = f"{path}#{section.place}"
        if section.place in told:
            continue
        if not section.text:
            reading.parts.append((where, "a heading: it names the sections below it"))
        elif reading.drafts:
            reading.parts.append((where, used))
        elif not any(name == path for name, _why in reading.skipped):
            reading.skipped.append((where, "nothing in it that a memory could be made of"))
    reading.files.append(path)
    return reading


def digest_of(value: object) -> str:
    """Sixteen hexadecimal digits of a JSON value's SHA-256."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shorten(text: str, limit: int = MAX_TEXT_CHARS) -> str:
    """At most `limit` characters, with a mark where some were left out; no secret is cut through."""
    text = text.strip()
    if len(text) > limit:
        text = str(admit({"text": text}).fields["text"]).strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + CUT


def shorten_all(items: list[str]) -> list[str]:
    """At most forty items, each shortened, none twice, none empty."""
    kept = [shorten(item, MAX_ITEM_CHARS) for item in dict.fromkeys(items) if item.strip()]
    if len(kept) > MAX_ITEMS:
        kept[MAX_ITEMS - 1 :] = [f"{len(kept) - MAX_ITEMS + 1} more{CUT}"]
    return kept


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line; its first paragraph where none ends there."""
    return first_sentence_of(" ".join(text.strip().split("\n\n")[0].split()))


def find_because(text: str) -> list[str]:
    """The reasons that a text gives behind `because`: the rest of the sentence, or the items of the list there."""
    # In a quotation, such as the name of an option, it gives no reason.
    unquoted = (each for each in _BECAUSE.finditer(text) if text.count('"', 0, each.start()) % 2 == 0)
    found = next(unquoted, None)
    if not found:
        return []
    rest = text[found.end() :].lstrip(" :,")
    if rest[:1] == "\n":
        listed = [part for part in rest.strip("\n").split("\n\n") if part.strip()][:1]
        return items(listed[0]) if listed else []
    head, _mark, below = rest.partition("\n\n")
    reason = first_sentence_of(" ".join(head.split()))
    if reason.endswith(":"):
        listed = items(below.split("\n\n")[0]) if below.lstrip().startswith(("-", "*", "+", "1")) else []
        reason = f"{reason} {'; '.join([each.rstrip('.;,') for each in listed])}" if listed else ""
    is_reason = len(reason) > MIN_REASON_CHARS and not (
        _ELSEWHERE.search(reason) and len(reason.split()) < MAX_POINTER_WORDS
    )
    return [reason] if is_reason else []
