"""Titles of imported memories: at most 120 characters, without markup, that say the content.

Rules: docs/reference/import.md, "Instructions".
"""

import re

from ..store.records.record_limits import MAX_TITLE_CHARS
from .markdown import without_markup

_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|fig|dr|mr|st)|\b[A-Z])\.$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。](?:[\"')\]]*)(?=\s+\S)|[\u3002]")
_PICTOGRAPHS = re.compile("[\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff]+")
_NUMBER = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3})*[.):]?|step \d+[.:]?|[ivx]{1,4}[.)])\s+", re.IGNORECASE)
_CLAUSE_END = re.compile(r"\s+[-\u2013\u2014]\s|[;:(,]\s|\s\(|\s(?:because|so that|which|unless|e\.g\.)\s")
# A title cut at a clause must still say something.
MIN_CLAUSE_CHARS = 30
MAX_PLAIN_CHARS = 2000


def first_sentence_of(text: str) -> str:
    """The first sentence of a line; the whole line where none ends in it."""
    for end in _SENTENCE_END.finditer(text):
        sentence = text[: end.end()]
        # A point inside of code ends nothing, and neither does an abbreviation.
        if sentence.count("`") % 2 == 0 and not _ABBREVIATION.search(sentence):
            return sentence
    return text


def clean_heading(heading: str) -> str:
    """A heading as words: without markup, pictographs, number and closing marks."""
    words = " ".join(_PICTOGRAPHS.sub(" ", without_markup(heading)).split())
    return _NUMBER.sub("", words, count=1).strip(" :#*\u2013\u2014-") or words


def make_title(text: str, before: str = "") -> str:
    """The first sentence of a text, behind `before: ` where that is given; cut at a clause, else at a word."""
    line = _PICTOGRAPHS.sub(" ", without_markup(first_sentence_of(" ".join(text[:MAX_PLAIN_CHARS].split()))))
    line = " ".join(line.split()).strip().rstrip(" .:;,!\u3002").removeprefix("[ ] ").removeprefix("[x] ")
    title = f"{before}: {line}" if before and line else line or before
    if before and len(before) > MAX_TITLE_CHARS - MIN_CLAUSE_CHARS and line:
        title = f"{before.rpartition(': ')[2]}: {line}"
    if len(title) <= MAX_TITLE_CHARS:
        return title
    ends = [end.start() for end in _CLAUSE_END.finditer(title) if end.start() <= MAX_TITLE_CHARS]
    least = len(before) + MIN_CLAUSE_CHARS
    at = max([end for end in ends if end >= least], default=0)
    if at:
        cut = title[:at].rstrip(" ,;:(-\u2013\u2014")
        if cut.count("(") == cut.count(")"):
            return cut
    cut = title[: MAX_TITLE_CHARS - 1].rpartition(" ")[0] or title[: MAX_TITLE_CHARS - 1]
    if cut.count("(") > cut.count(")"):
        cut = cut.rpartition("(")[0] if len(cut.rpartition("(")[0]) > MIN_CLAUSE_CHARS else cut
    return cut.rstrip(" ,;:(-.") + "\u2026"


def listing_title(before: str, parts: list[str]) -> str:
    """A title of names: as many as have room."""
    title = before
    for number, part in enumerate([part for part in map(clean_heading, parts) if part]):
        longer = f"{title}{': ' if number == 0 else ', '}{part}"
        if len(longer) > MAX_TITLE_CHARS:
            break
        title = longer
    return title if len(title) <= MAX_TITLE_CHARS else make_title(title)
