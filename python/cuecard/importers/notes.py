"""Reads notes of other memory tools in Markdown: Claude Code's auto memory, basic-memory, memsearch.

Rules: docs/reference/import.md, "Other kinds".
"""

import re
from collections import defaultdict

from ..store.records.record_file import Fields
from .draft import NOT_STATED, ImportedDraft, Reading, first_sentence, shorten, shorten_all
from .markdown import MarkdownDocument, items, paragraphs, without_code
from .titles import make_title

AUTO_KIND = "auto-memory"
BASIC_KIND = "basic-memory"
MEMSEARCH_KIND = "memsearch"
_WHY = re.compile(r"^[^\w\n]*why[^\w\n]*:[^\w\n]*(.+)$", re.IGNORECASE | re.MULTILINE)
_APPLY = re.compile(r"^[^\w\n]*how to apply[^\w\n]*:[^\w\n]*(.+)$", re.IGNORECASE | re.MULTILINE)
_OBSERVATION = re.compile(r"^\s*[-*]\s+\[([A-Za-z][\w -]{1,30})\]\s+(.+)$")
_RELATION = re.compile(r"^\s*[-*]\s+[\w -]*\[\[[^\]]+\]\]")
_HASH_TAG = re.compile(r"(?:^|\s)#([A-Za-z][\w/-]*)")
_DAY = re.compile(r"(?:^|/)(\d{4}-\d{2}-\d{2})[^/]*\.md$")
_SESSION = re.compile(r"^(session\b.*|\d{1,2}:\d{2}\b.*)$", re.IGNORECASE)
_TYPES = ("user", "feedback", "project", "reference")
# The memory category that the categories of a note's observations indicate. The first entry that fits counts.
_CATEGORY_OF = (
    ("decision", ("decision", "decided", "choice")),
    ("constraint", ("constraint", "requirement", "limitation", "rule", "policy")),
    ("tech_debt", ("problem", "issue", "bug", "debt", "todo", "risk")),
    ("runbook", ("step", "procedure", "howto", "how-to", "fix", "solution")),
)
_REASONS = ("reason", "rationale", "why", "benefit", "context")


def is_auto_memory(document: MarkdownDocument) -> bool:
    """Whether a document is a note of Claude Code's auto memory."""
    return bool(document.value("name")) and _type_of(document) in _TYPES


def read_auto_memory(document: MarkdownDocument, path: str) -> ImportedDraft | str:
    """The memory of an auto memory note, or the reason why there is no memory.

    Notes of the type `project` become decisions, all others preferences.
    """
    text = document.text
    if not text:
        return "without text"
    why, apply = _WHY.search(text), _APPLY.search(text)
    first = paragraphs(text)[0] if paragraphs(text) else text
    description = document.value("description")
    title = description or document.value("name").replace("-", " ").replace("_", " ")
    reason = shorten(why.group(1), 1000) if why else description or NOT_STATED
    kind = _type_of(document)
    content: Fields
    if kind == "project":
        category = "decision"
        content = {"status": "accepted", "context": description or title, "decision": shorten(text)}
        content["rationale"] = [reason]
        if apply:
            content["consequences"] = [shorten(apply.group(1), 1000)]
    else:
        category = "preference"
        strength = {"feedback": "strong", "user": "default"}.get(kind, "soft")
        content = {"topic": title, "value": shorten(first if why else text), "reason": reason, "strength": strength}
        if apply:
            content["examples"] = {"prefer": [shorten(apply.group(1), 1000)]}
    date = document.value("modified", "metadata.modified", "created")
    return ImportedDraft(category, make_title(title), content, AUTO_KIND, path, "", ("auto-memory", kind), (), date)


def is_basic_memory(document: MarkdownDocument) -> bool:
    """Whether a document is a note of basic-memory: it has a permalink, or several observations."""
    return bool(document.value("permalink")) or len(_observations(document)) > 1


def read_basic_memory(document: MarkdownDocument, path: str) -> ImportedDraft | str:
    """The memory of a basic-memory note, or the reason why there is none. The observations decide the category."""
    title = document.title or path.rpartition("/")[2].removesuffix(".md")
    observations = _observations(document)
    lines = [line for section in document.sections for line in section.lines]
    rest = [line for line in lines if not _OBSERVATION.match(line) and not _RELATION.match(line)]
    body = "\n".join(rest).strip()
    told = [text for texts in observations.values() for text in texts]
    if not told and not body:
        return "without text"
    tags = [tag for line in lines for tag in _HASH_TAG.findall(line)] if observations else []
    category, mine = _of_observations(observations)
    others = [text for text in told if text not in mine]
    reasons = [text for name in _REASONS for text in observations.get(name, [])]
    context = shorten(body, 1000) or (others[0] if others else title)
    content: Fields
    if category == "decision":
        content = {"status": "accepted", "context": context, "decision": shorten("\n".join(mine))}
        content["rationale"] = shorten_all(reasons or others) or [NOT_STATED]
    elif category == "constraint":
        content = {"kind": "technical", "rule": shorten("\n".join(mine)), "impact": shorten_all(others) or [NOT_STATED]}
        content |= {"severity": "medium", "active": True}
    elif category == "tech_debt":
        content = {"status": "open", "priority": "medium", "description": shorten("\n".join(told))}
        content["reason_deferred"] = reasons[0] if reasons else NOT_STATED
    elif category == "runbook":
        content = {"trigger": context, "steps": shorten_all(mine), "verification": NOT_STATED}
    else:
        value = "\n".join([part for part in (body, *told) if part])
        content = {"topic": title, "value": shorten(value), "reason": NOT_STATED, "strength": "default"}
    wanted = tuple(dict.fromkeys([*document.values("tags"), *tags]))
    return ImportedDraft(
        category, make_title(title), content, BASIC_KIND, path, "", wanted, (), document.value("created", "date")
    )


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


def _observations(document: MarkdownDocument) -> dict[str, list[str]]:
    """The texts of a note's observations, by their category in lower case, in the order of the note."""
    found: dict[str, list[str]] = defaultdict(list)
    for section in document.sections:
        for line in without_code(section.lines):
            observation = _OBSERVATION.match(line)
            if observation and observation.group(1).lower() not in ("x", "link"):
                found[observation.group(1).strip().lower()].append(_HASH_TAG.sub("", observation.group(2)).strip())
    return found


def _of_observations(observations: dict[str, list[str]]) -> tuple[str, list[str]]:
    """The memory category for a note, and the observations that belong to it; `("preference", [])` if none does."""
    for category, names in _CATEGORY_OF:
        mine = [text for name, texts in observations.items() if name in names for text in texts]
        if mine:
            return category, mine
    return "preference", []
