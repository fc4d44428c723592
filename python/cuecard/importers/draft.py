"""A memory as it is read from a source, before the store has seen it."""

import hashlib
import json
from dataclasses import dataclass, field

from ..store.intake.intake import admit
from ..store.records.record_file import Fields
from ..store.records.record_limits import MAX_TITLE_CHARS

# What a text, and a list, of a source comes to at most.
MAX_TEXT_CHARS = 4000
MAX_ITEM_CHARS = 1000
MAX_ITEMS = 40
NOT_STATED = "not stated in the source"


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

    def digest(self) -> str:
        """The digest of all that the source says."""
        return digest_of([self.category, self.title, self.tags, self.anchors, self.content, self.date, self.is_over])


@dataclass
class Reading:
    """What was read from a source, and what of it was left aside, with the reason."""

    drafts: list[ImportedDraft] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)


def digest_of(value: object) -> str:
    """Sixteen hexadecimal digits of a JSON value's SHA-256."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shorten(text: str, limit: int = MAX_TEXT_CHARS) -> str:
    """At most `limit` characters, with a mark where some were left out; no secret is cut through."""
    text = text.strip()
    if len(text) > limit:
        text = str(admit({"text": text}).fields["text"]).strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def shorten_all(items: list[str]) -> list[str]:
    """At most forty items, each shortened, none twice, none empty."""
    return [shorten(item, MAX_ITEM_CHARS) for item in dict.fromkeys(items) if item.strip()][:MAX_ITEMS]


def first_sentence(text: str) -> str:
    """The first sentence of a text, on one line; its first paragraph where none ends there."""
    line = " ".join(text.strip().split("\n\n")[0].split())
    end = line.find(". ")
    return line[: end + 1] if end > 0 else line
