"""Reads notes of other memory tools in Markdown: Claude Code's auto memory and memsearch.

Rules: docs/reference/import.md, "Other kinds".
"""

import re
from collections import defaultdict

from ...store.records.record_file import Fields
from ..draft import NOT_STATED, ImportedDraft, Reading, first_sentence, shorten, shorten_all
from ..markup.markdown import MarkdownDocument, items, paragraphs
from ..subjects import topics_of
from ..titles import make_title

AUTO_KIND = "auto-memory"
MEMSEARCH_KIND = "memsearch"
_WHY = re.compile(r"^[^\w\n]*why[^\w\n]*:[^\w\n]*(.+)$", re.IGNORECASE | re.MULTILINE)
_APPLY = re.compile(r"^[^\w\n]*how to apply[^\w\n]*:[^\w\n]*(.+)$", re.IGNORECASE | re.MULTILINE)
_DAY = re.compile(r"(?:^|/)(\d{4}-\d{2}-\d{2})[^/]*\.md$")
_SESSION = re.compile(r"^(session\b.*|\d{1,2}:\d{2}\b.*)$", re.IGNORECASE)
# A verb in a name shows that the name is a statement, such as `never-mock-the-database`.
_VERB = re.compile(
    r"\b(?:is|are|has|have|can|cannot|must|should|never|always|not|no|use|uses|need|needs|keep|avoid|prefer|prefers|do"
    r"|dont|run|ask|check|before|after|without|over|only)\b",
    re.IGNORECASE,
)
MIN_TITLE_WORDS = 3
_TYPES = ("user", "feedback", "project", "reference")


def is_auto_memory(document: MarkdownDocument) -> bool:
    """Whether a document is a note of Claude Code's auto memory."""
    return bool(document.value("name")) and _type_of(document) in _TYPES


def read_auto_memory(document: MarkdownDocument, path: str) -> ImportedDraft | str:
    """The memory of an auto memory note, or the reason why there is no memory.

    A note about the project that gives a reason is a decision. One without a reason, and one that says where something
    is, is a fact. All others are preferences.
    """
    text = document.text
    if not text:
        return "without text"
    why, apply = _WHY.search(text), _APPLY.search(text)
    first = paragraphs(text)[0] if paragraphs(text) else text
    description = document.value("description")
    title = _title_of(document.value("name"), description)
    reason = shorten(why.group(1), 1000) if why else NOT_STATED
    kind = _type_of(document)
    content: Fields
    if kind == "project" and why:
        category = "decision"
        content = {"status": "accepted", "context": description or title, "decision": shorten(text)}
        content["rationale"] = [reason]
        if apply:
            content["consequences"] = [shorten(apply.group(1), 1000)]
    elif kind in ("project", "reference"):
        category = "constraint"
        content = {"kind": "technical", "rule": shorten(text), "impact": [reason], "severity": "low", "active": True}
    else:
        category = "preference"
        strength = "strong" if kind == "feedback" else "default"
        content = {"topic": title, "value": shorten(first if why else text), "reason": reason, "strength": strength}
        if apply:
            content["examples"] = {"prefer": [shorten(apply.group(1), 1000)]}
    date = document.value("modified", "metadata.modified", "created")
    return ImportedDraft(category, make_title(title), content, AUTO_KIND, path, "", topics_of(title), (), date)


def _title_of(name: str, description: str) -> str:
    """The title of a note: its name if that is a statement or a phrase, else its description.

    A description often only tells what happened. A name in the form of a file's name may be too short to be a title.
    """
    words = re.sub(r"[-_]+", " ", name) if " " not in name else name
    is_statement = bool(_VERB.search(words)) and len(words.split()) > MIN_TITLE_WORDS
    is_phrase = " " in name and len(name.split()) >= MIN_TITLE_WORDS
    title = words if is_statement or is_phrase or not description else description
    return title[:1].upper() + title[1:]


def is_memsearch(document: MarkdownDocument, path: str) -> bool:
    """Whether a document has memsearch's notes of a day: its name is a date, and headings are sessions or times."""
    return bool(_DAY.search(path)) and any(_SESSION.match(section.heading) for section in document.sections)


def read_memsearch(document: MarkdownDocument, path: str) -> Reading:
    """A session summary for each session of a day. All sections of a session are joined."""
    found = _DAY.search(path)
    day = found.group(1) if found else ""
    parts: dict[str, list[str]] = defaultdict(list)
    for section in document.sections:
        session = next((name for name in (*section.above, section.heading) if _SESSION.match(name)), "")
        if session:
            parts[session] += items(section.text)
    reading = Reading()
    for session, lines in parts.items():
        done = shorten_all(lines)
        if not done:
            reading.skipped.append((f"{path}#{session}", "without text"))
            continue
        content: Fields = {"goal": done[0], "outcome": "partial", "completed": done, "next_actions": []}
        title = f"{day} {session}: {shorten(first_sentence(done[0]), 80)}"
        reading.drafts.append(
            ImportedDraft("session_summary", title, content, MEMSEARCH_KIND, path, session, ("memsearch",), (), day)
        )
    return reading


def _type_of(document: MarkdownDocument) -> str:
    return document.value("metadata.type", "type").lower()
