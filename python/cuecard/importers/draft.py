"""A memory in the form in which it is read from a source, before the store has checked it."""

import hashlib
import json
import re
from dataclasses import dataclass, field

from ..basics.time_limit import check_time
from ..store.intake.intake import admit
from ..store.records.prohibitions import propose_forbids
from ..store.records.record_file import Fields
from ..store.records.record_limits import MAX_TITLE_CHARS
from .markup.markdown import MAX_PARAGRAPH_CHARS, MarkdownDocument, items
from .titles import first_sentence_of

# At most this many characters of a text and of a list item, and at most this many items, are kept.
MAX_TEXT_CHARS = 4000
MAX_ITEM_CHARS = 1000
MAX_ITEMS = 40
# The store leaves a field with this text out.
NOT_STATED = "not stated in the source"
CUT = "\u2026"
_MODULE = "import: "
_IS_CUT = re.compile(rf"{CUT}(?: \(the rest is in [^\n]+\))?$")
_SENTENCE_END = re.compile(r"[.!?](?=\s)")
_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
TOO_LONG = f"a paragraph of more than {MAX_PARAGRAPH_CHARS >> 10} KiB"
# Why a part of a source is left out in which an agent would find nothing either.
IS_TEMPLATE = "a template"
BOILERPLATE = "boilerplate: it says what the file is"
MIN_REASON_CHARS = 8
# With fewer words, `because it is best (see below)` is a pointer and not a reason.
MAX_POINTER_WORDS = 9
# `because` at the beginning of a sentence gives the reason for this sentence only, so it is skipped.
_BECAUSE = re.compile(
    r"(?<!\bonly )(?<!\bjust )(?<!\bnot )(?<=[a-z0-9,)\"'`\u2019\u201d\u00bb] )"
    r"(?:because\b(?!\s+of\b)|parce qu(?:e\b|['\u2019])|(?:weil|porque|omdat|poniewa\u017c)\b)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"\bsee (?:above|below)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ImportedDraft:
    """A memory from a source. `kind`, `path` and `heading` identify the memory in the source."""

    category: str
    title: str
    content: Fields
    kind: str
    path: str
    heading: str = ""
    tags: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    date: str = ""
    """The date in the source, as it is written there."""
    is_over: str = ""
    """Why the memory is no longer valid according to its source; "" if it is valid."""
    confidence: float | None = None
    replaces: tuple[str, ...] = ()
    """The file names or numbers of the records that this record supersedes according to its source."""
    facts: Fields = field(default_factory=dict)
    """What the source says about the text and no field of the memory can hold; stored with the provenance."""
    sections: tuple[tuple[str, str], ...] = ()
    """The headings and texts of the parts of the source, as they are written there."""
    rules: tuple[str, ...] = ()
    """The rules in a text of several, from which `forbids` is proposed; empty if the main field is one rule."""
    points_at: str | None = None
    """The heading in its file that the memory names instead of copying it, "" for the whole file; None if it copies."""
    pointer: Fields | None = None
    """The pointer that is stored: path, heading, SHA-256, size and time of the file."""

    @property
    def key(self) -> tuple[str, str, str]:
        """The values that identify the draft when the source is read again."""
        return self.kind, self.path, self.heading

    def record(self) -> Fields:
        """The record that is written to the store, with its provenance."""
        source: Fields = {"kind": self.kind, "path": self.path, "heading": self.heading, "digest": self.digest()}
        if self.date:
            source["date"] = self.date
        source.update(self.facts)
        extension: Fields = {"origin": "import", "source": source}
        if self.anchors:
            extension["anchors"] = list(self.anchors)
        if self.sections:
            extension["sections"] = [{"heading": heading, "text": text} for heading, text in self.sections]
        if self.pointer:
            extension["pointer"] = self.pointer
        forbids = self._forbids()
        if forbids:
            extension["forbids"] = forbids
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

    @property
    def statement(self) -> str:
        """What the main field says; "" for a category whose main field is no single rule or description."""
        name = {"constraint": "rule", "preference": "value", "tech_debt": "description"}.get(self.category, "")
        said = self.content.get(name, "")
        return said if isinstance(said, str) else ""

    def _forbids(self) -> list[str]:
        """What the rule of a constraint or preference forbids. A pointer only says what its document is about."""
        is_rule = self.category in ("constraint", "preference") and self.points_at is None
        found = propose_forbids("\n".join(self.rules) or self.statement) if is_rule else []
        lines = self.statement.splitlines()
        rows = "\n".join([line for line in lines if line.lstrip().startswith("|")])
        if not rows:
            return found
        # A name in the cell of a table may be a value of anything, such as `unsafe-inline` of a header.
        prose = "\n".join([line for line in lines if not line.lstrip().startswith("|")])
        return [entry for entry in found if not _is_only_in(rows, prose, entry)]

    def cuts(self) -> list[str]:
        """The names of fields that were cut because they were too long."""
        found = []
        for name, value in self.content.items():
            texts = value if isinstance(value, list) else [value]
            if any(isinstance(text, str) and _IS_CUT.search(text) for text in texts):
                found.append(name)
        return found

    def digest(self) -> str:
        """The digest of everything that was read from the source."""
        read: list[object] = [self.category, self.title, self.tags, self.anchors, self.content, self.date, self.is_over]
        # Only what is there counts, so that the digests of other memories stay.
        read += [self.facts] if self.facts else []
        read += [self.sections] if self.sections else []
        read += [self.pointer.get("sha256")] if self.pointer else []
        return digest_of(read)


@dataclass
class Reading:
    """The drafts read from a source, and report rows for the sections without a draft."""

    drafts: list[ImportedDraft] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """The places of sections that were left out, each with the reason."""
    parts: list[tuple[str, str]] = field(default_factory=list)
    """The places of sections whose text is in the memory of another section, each with a name for that memory."""
    files: list[str] = field(default_factory=list)
    """Markdown files that were read completely. A memory of a section that such a file lacks is reported as gone."""
    documents: list[str] = field(default_factory=list)
    """The same for files that were read as ordinary documents, and for their pointers."""

    def add(self, other: "Reading") -> None:
        """Add the drafts and rows of another `Reading`."""
        self.drafts += other.drafts
        self.skipped += other.skipped
        self.parts += other.parts
        self.files += other.files
        self.documents += other.documents


def account(reading: Reading, document: MarkdownDocument, path: str, used: str) -> Reading:
    """Add a report row for each section of a document that has no draft and no row; return `reading`.

    If `reading` has drafts, such a section became part of the memory that `used` names. If not, it was skipped.
    """
    is_skipped = any(name == path for name, _why in reading.skipped)
    reading.skipped += [(f"{path}#{place}", TOO_LONG) for place in document.too_long]
    told = {draft.heading for draft in reading.drafts}
    # A file's name may have the sign, too.
    told |= {where.removeprefix(f"{path}#") for where, _why in (*reading.skipped, *reading.parts) if where != path}
    places = [place for section in document.sections for place in [section.place]]
    known = set(places)
    # The heading of a rule's draft begins with the heading of its section.
    for heading in list(told):
        while " > " in heading and heading not in known:
            heading = heading.rpartition(" > ")[0]
        told.add(heading)
    for section in document.sections:
        check_time()
        where = f"{path}#{section.place}"
        if section.place in told:
            continue
        if not section.text:
            reading.parts.append((where, "a heading: it names the sections below it"))
        elif reading.drafts:
            reading.parts.append((where, used))
        elif not is_skipped:
            reading.skipped.append((where, "nothing in it that a memory could be made of"))
    reading.files.append(path)
    return reading


def digest_of(value: object) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a JSON value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shorten(text: str, limit: int = MAX_TEXT_CHARS) -> str:
    """A text of at most `limit` characters, cut behind a sentence or a word, with an ellipsis if it was cut.

    Secrets are replaced before the cut.
    """
    text = text.strip()
    if len(text) > limit:
        text = _admitted(text)
    if len(text) <= limit:
        return text
    begin = text[: limit - len(CUT) - 1]
    ends = [found.end() for found in _SENTENCE_END.finditer(begin) if 2 * found.end() > limit]
    words = begin.rpartition(" ")[0]
    return f"{begin[: ends[-1]]} {CUT}" if ends else (words if 2 * len(words) > limit else begin).rstrip() + CUT


def shorten_blocks(text: str, path: str, limit: int = MAX_TEXT_CHARS) -> str:
    """A text of at most `limit` characters. If it was cut, its end says where the rest is.

    It is cut between paragraphs, or between the lines of a first paragraph that is too long by itself. No piece
    of code is cut: it is there as a whole or not at all. `path` is the file that has the text.
    """
    text = text.strip()
    if len(text) <= limit or len(text := _admitted(text)) <= limit:
        return text
    tail = f"\n\n{CUT} (the rest is in {path})"
    room = limit - len(tail)
    # A first paragraph that is too long is cut between its lines, and a first line within it.
    kept = _beginning(text, "\n\n", room) or _beginning(text, "\n", room)
    return (kept or shorten(text.split("\n")[0], room).removesuffix(CUT).rstrip()) + tail


def _beginning(text: str, between: str, room: int) -> str:
    """As many whole parts of a text as fit, without code that is not complete and without a line that leads on."""
    kept: list[str] = []
    is_code = False
    for part in text.split(between):
        room -= len(part) + len(between) * bool(kept)
        if room < 0:
            break
        kept.append(part)
        is_code ^= len(_FENCE.findall(part)) % 2 == 1
    while is_code and kept:
        # The code that was begun is not complete.
        is_code ^= len(_FENCE.findall(kept.pop())) % 2 == 1
    while kept and kept[-1].rstrip("*_ ").endswith(":"):
        # It leads to what is left out.
        kept.pop()
    return between.join(kept).rstrip()


def _admitted(text: str) -> str:
    """A text of several lines as the store keeps it."""
    content = admit({"content": {"text": text}}).fields["content"]
    return str(content["text"] if isinstance(content, dict) else text).strip()


def shorten_all(items: list[str]) -> list[str]:
    """At most `MAX_ITEMS` items, each shortened, without empty items and repetitions."""
    kept = [shorten(item, MAX_ITEM_CHARS) for item in dict.fromkeys(items) if item.strip()]
    if len(kept) > MAX_ITEMS:
        kept[MAX_ITEMS - 1 :] = [f"{len(kept) - MAX_ITEMS + 1} more{CUT}"]
    return kept


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line; the first paragraph if it has no sentence end."""
    return first_sentence_of(" ".join(text.strip().split("\n\n")[0].split()))


def _is_aside(before: str) -> bool:
    return before.count('"') % 2 == 1 or before.count("(") > before.count(")")


def find_because(text: str) -> list[str]:
    """The reasons after `because` in a text: the rest of the sentence, or the items of the list that follows."""
    # `because` in a quotation, such as the name of an option, gives no reason.
    # In brackets it gives the reason of what stands there.
    told = (each for each in _BECAUSE.finditer(text) if not _is_aside(text[: each.start()]))
    found = next(told, None)
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


def _is_only_in(rows: str, prose: str, entry: str) -> bool:
    """Whether an entry of `forbids` is a module that only the rows of tables name."""
    name = entry.removeprefix(_MODULE)
    return entry.startswith(_MODULE) and name in rows and name not in prose
