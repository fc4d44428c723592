"""The words of decision records in `assets/tables/record_words.txt`: names of parts and fields, statuses, relations.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
import unicodedata
from functools import cache, lru_cache

from ...basics.tables import read_lines
from ..titles import clean_heading

CONTEXT, DECISION, RATIONALE, CONSEQUENCES = "context", "decision", "rationale", "consequences"
OPTIONS, STATUS, LINKS, HISTORY = "options", "status", "links", "history"
# A word that is in several parts counts for the first of them.
PARTS = (STATUS, OPTIONS, RATIONALE, DECISION, CONTEXT, CONSEQUENCES, HISTORY, LINKS)
ACCEPTED, PROPOSED, REJECTED, DEPRECATED, SUPERSEDED = "accepted", "proposed", "rejected", "deprecated", "superseded"
STATES = (ACCEPTED, PROPOSED, REJECTED, DEPRECATED, SUPERSEDED)
# The statuses of a record that has ended.
OVER = (SUPERSEDED, REJECTED, DEPRECATED)

_FILE = "record_words"
REPLACES = "relation supersedes"
# Scripts that put no blanks between words.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
# Parts of a heading that do not change what it names: a number, an addition in brackets, what it is about.
_NUMBERED = re.compile(r"(?<=\w)[ #.-]*\d{1,3}$")
_BRACKETS = re.compile(r"\s*[(\[\uff08][^()\[\]]{0,80}[)\]\uff09]\s*$")
_TAIL = re.compile(r"\s*(?:[:\uff1a]|\s[-\u2013\u2014])\s*")
_OWN = re.compile(r" (?:of|for|to) (?:the|this) (?:adr|decision|proposal|change|record|rfc)$")
_LEAD = re.compile(r"^(?:the|our|a|an|this|final|adr|main|key|overall|technical|business|architectural?|architecture) ")
_AND = re.compile(
    r"\s*(?:&|/|\+|,|、|・|\b(?:and|und|et|y|e|en|i|и)\b|(?<=[\u3040-\u9fff])[と和与與及](?=[\u3040-\u9fff]))\s*"
)
_OPTION = re.compile(r"^(.{2,40}?)[ #]+(?:\d{1,2}|[a-z])$")
_PREPOSITION = re.compile(
    r" (?:of|for|on|to|with|in|about|f\u00fcr|von|zu|de|du|des|para|per|voor|van|dla|\u0434\u043b\u044f) "
)
MAX_HEADING_CHARS = 120


def fold(text: str) -> str:
    """A text in lower case and with single blanks."""
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def _without_accents(text: str) -> str:
    """A folded text without the accents on Latin, Greek and Cyrillic letters."""
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join([char for char in parts if not "\u0300" <= char <= "\u036f"]))


def _rows_of(name: str) -> list[list[str]]:
    return [line.partition(": ")[2].split(" | ") for line in read_lines(_FILE, name)]


@cache
def phrases(name: str) -> frozenset[str]:
    """The phrases of a table in all languages, folded, with accents and without."""
    written = [fold(phrase) for row in _rows_of(name) for phrase in row]
    # Without its accent, the French word for "replaced" would be the one for "replaces".
    taken = phrases(REPLACES) if name.startswith("state ") else frozenset[str]()
    bare = {_without_accents(phrase) for phrase in written} - taken
    return frozenset({*written, *bare})


@cache
def month_numbers() -> dict[str, int]:
    """The number of each month's name, folded."""
    named = [(fold(name), number) for row in _rows_of("months") for number, name in enumerate(row, 1)]
    return {form: number for name, number in named for form in (name, _without_accents(name))}


@cache
def pattern_of(*names: str) -> re.Pattern[str]:
    """A pattern that finds the phrases of tables in a folded text, the longest first, as whole words."""
    found = sorted({phrase for name in names for phrase in phrases(name)}, key=lambda phrase: (-len(phrase), phrase))
    forms = [re.escape(each) if _IS_UNSPACED.search(each) else rf"(?<![\w-]){re.escape(each)}(?!\w)" for each in found]
    return re.compile("|".join(forms))


def state_pattern() -> re.Pattern[str]:
    """A pattern that finds statuses in a folded text."""
    return pattern_of(*[f"state {state}" for state in STATES])


def state_of(phrase: str) -> str:
    """The status that a phrase found by `state_pattern` stands for."""
    return next(state for state in STATES if phrase in phrases(f"state {state}"))


@lru_cache(maxsize=2000)
def part_of(heading: str) -> str:
    """The part that a heading names as a whole; "" if it names none."""
    return split_heading(heading)[0]


@lru_cache(maxsize=2000)
def split_heading(heading: str) -> tuple[str, str]:
    """The part that a heading names as a whole, and the text behind the name: `Decision: use X` names a decision."""
    words = clean_heading(heading)
    if len(words) > MAX_HEADING_CHARS:
        return "", ""
    part = _whole_part(fold(words))
    if part:
        return part, ""
    mark = _TAIL.search(words)
    if mark:
        part = _whole_part(fold(words[: mark.start()]))
        # What stands behind `Results:` may be anything, but a status or a decision can be said in its heading.
        if part and (part in (STATUS, DECISION, OPTIONS) or _IS_UNSPACED.search(words)):
            return part, words[mark.end() :].strip()
    return "", ""


def asks_why(heading: str) -> bool:
    """Whether a heading is a question such as `Why not a queue?`: what answers it is a reason."""
    return bool(pattern_of("why").match(fold(clean_heading(heading))))


def loose_part_of(heading: str) -> str:
    """The part that the beginning of a heading names, if a preposition follows: `Consequences for the mobile app`."""
    words = fold(clean_heading(heading))
    mark = _PREPOSITION.search(words)
    part = _whole_part(words[: mark.start()]) if mark and len(words) <= MAX_HEADING_CHARS else ""
    return part if part not in (STATUS, HISTORY, LINKS) else ""


def _whole_part(words: str) -> str:
    """The part that folded words name as a whole."""
    words = words.strip(" :?\uff1a\uff1f.!*_")
    for _ in range(3):
        found = _known_part(words)
        if found:
            return found
        shorter = _BRACKETS.sub("", words)
        shorter = _LEAD.sub("", _OWN.sub("", shorter))
        option = _OPTION.match(shorter)
        if option and option[1] in phrases(f"part {OPTIONS}"):
            return OPTIONS
        shorter = _NUMBERED.sub("", shorter).strip()
        if shorter == words:
            break
        words = shorter
    pieces = [piece for piece in _AND.split(words) if piece]
    named = [_known_part(_LEAD.sub("", piece)) for piece in pieces]
    return named[0] if len(pieces) > 1 and all(named) else ""


def _known_part(words: str) -> str:
    return next((part for part in PARTS if words in phrases(f"part {part}")), "")
