"""Reads notes of basic-memory: a memory for each observation, and the rules and facts of the text beside them.

Rules: docs/reference/import.md, "Other kinds".
"""

import re
from collections import Counter

from ..draft import Reading
from ..instructions import read_instructions
from ..markup.markdown import MarkdownDocument, parse, plain, without_code
from ..statements import Statement, is_too_short, times

KIND = "basic-memory"
_ITEM = re.compile(r"^\s*[-*+]\s+(.+)$")
_OBSERVATION = re.compile(r"^\[([^\[\]()]{1,60})\]\s+(\S.*)$")
# `[x]`, `[ ]` and `[/]` mark tasks, and `[00:12:30]` a place in a recording.
_TASK = re.compile(r"^\[(?:[xX]|[^\w\[\]]?)\]\s")
_TIME = re.compile(r"^\[\d{1,3}:\d{2}[\d:.,\s-]*\]")
_LINK = re.compile(r"^(?:[\w -]{1,60}\s)?\[\[[^\]]+\]\]")
_HASH_TAG = re.compile(r"(?:^|\s)#([^\W\d_][\w/-]*)")
_CONTEXT = re.compile(r"\s\(([^()]{3,200})\)\s*$")
# The category of a memory for the category of an observation. Others are decided by the text.
_CATEGORIES = {
    "decision": "decision decided choice".split(),
    "constraint": "constraint requirement limitation policy".split(),
    "preference": "preference style convention".split(),
    "tech_debt": "problem issue bug debt todo risk \u98ce\u9669".split(),
}
_CATEGORY_OF = {name: category for category, names in _CATEGORIES.items() for name in names}


def is_basic_memory(document: MarkdownDocument) -> bool:
    """Whether a document is a note of basic-memory: it has a permalink, or several observations."""
    return bool(document.value("permalink")) or len(_observations(document)) > 1


def read_basic_memory(document: MarkdownDocument, path: str, raw: str) -> Reading:
    """The memories of a note. Tasks, and links to other notes, give a row each for all of them."""
    title = document.title or path.rpartition("/")[2].removesuffix(".md")
    reading = Reading(files=[path])
    counts = Counter(kind for section in document.sections for kind in _others(section.lines))
    date = document.value("modified", "created", "date")
    given = tuple(document.values("tags"))
    for name, text in _observations(document):
        tags = tuple(dict.fromkeys([*given, *_HASH_TAG.findall(text)]))
        said = _HASH_TAG.sub("", text).strip()
        context = _CONTEXT.search(said)
        told = plain(said[: context.start()] if context else said)
        statement = Statement(
            told, title, _CATEGORY_OF.get(name.lower(), ""), context.group(1) if context else "", tags, date
        )
        where = f"{name} > {statement.key}"
        if is_too_short(told):
            reading.skipped.append((f"{path}#{where}", "too short to say something by itself"))
        else:
            reading.drafts.append(statement.draft(KIND, path, where))
    reading.skipped += [(path, times(what, count)) for what, count in counts.items()]
    reading.add(read_instructions(parse(_without_items(raw)), path, raw, KIND))
    return reading


def _observations(document: MarkdownDocument) -> list[tuple[str, str]]:
    """The observations of a note outside of code, each with its category."""
    found = []
    for section in document.sections:
        for line in without_code(section.lines):
            item = _ITEM.match(line)
            observation = _OBSERVATION.match(item.group(1)) if item and not _kind_of(item.group(1)) else None
            if observation:
                found.append((observation.group(1).strip(), observation.group(2)))
    return found


def _others(lines: list[str]) -> list[str]:
    """What the items are that are neither observations nor text."""
    items = [item.group(1) for line in without_code(lines) for item in [_ITEM.match(line)] if item]
    return [kind for item in items if (kind := _kind_of(item))]


def _kind_of(item: str) -> str:
    if _TASK.match(item):
        return "a task: it says what is to be done"
    if _LINK.match(item):
        return "a link to another note"
    return "a line of a recording" if _TIME.match(item) else ""


def _without_items(raw: str) -> str:
    """The text of a note without its observations, tasks and links."""
    kept, is_code = [], False
    for line in raw.splitlines():
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        item = None if is_code else _ITEM.match(line)
        if not (item and (_kind_of(item.group(1)) or _OBSERVATION.match(item.group(1)))):
            kept.append(line)
    return "\n".join(kept)
