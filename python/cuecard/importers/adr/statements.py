"""Reads a status out of the words in which a record states it.

Rules: docs/reference/import.md, "Records of decisions".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...basics.time_limit import check_time
from ..markup.markdown import plain, without_markup
from ..titles import sentences_of
from .dates import find_date
from .words import ACCEPTED, OVER, PROPOSED, REJECTED, REPLACES, fold, pattern_of, phrases, state_of, state_pattern

# How far into a sentence a status may stand, if the sentence does not name the record.
MAX_WORDS_BEFORE, MAX_CHARS_BEFORE = 2, 24
# Between the name of the record and its status.
MAX_WORDS_BETWEEN = 8
# A line with so many statuses that are told apart by marks is left over from a template.
MIN_TEMPLATE_STATES = 3
MAX_UNIT_CHARS = 2000

_BOLD_ALONE = re.compile(r"\W{0,3}(\*\*|__)[^*_]{3,40}\1[.!]?")
_STRUCK = re.compile(r"~~.*?~~|<(s|del|strike)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_UNTICKED = re.compile(
    r"(?:(?:[-*+][ \t]+)?\[ ?\](?!\()|\u2610|\u2b1c|\U0001f532|\u25cb|(?<!\w)\( \))[^\n\[\u2610-\u2612\u2705\u2b1c(]*"
)
_TICKED = re.compile(r"\[[xX]\](?!\()|\u2611|\u2705|\u2714|\u2612|\([xX]\)")
_ARROW = re.compile(r"\s*(?:->|=>|-->|\u2192|\u21d2|\u279c|\u27a1\ufe0f?|\u2794)\s*")
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,2}[.)])\s+")
_BREAK = re.compile(r"(?:<br\s*/?>|(?<! ) {2,}$|\\$)", re.IGNORECASE)
_CHOICE = re.compile(r"\s*(?:[|/,;\u3001]|\bor\b)\s*")
_SEMICOLON = re.compile(r"[;\uff1b]\s*")
_CLAUSE = re.compile(
    r"\s[-/\u2013\u2014]\s|[,;.\uff0c\uff1b\u3002\u3001()\uff08\uff09](?:\s+|(?=[^\x00-\x7f])|(?<=[()])|$)"
)
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
# What a status refers to: links, files, addresses, records by number, dates.
_REFERENCE = re.compile(
    r"!?\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])?|https?://\S+|\S+\.(?:mdx?|rst|adoc|asciidoc)\b"
    r"|\b(?:adrs?|rfcs?|decisions?|records?|madr)[-_ #]*\d[\d.-]*|#\d+"
    r"|\d{4}[-/.\u5e74]\s?\d{1,2}[-/.\u6708]\s?\d{1,2}\u65e5?"
    r"|[(\uff08][^()\uff08\uff09]*[)\uff09]|\b\d{1,4}\b",
    re.IGNORECASE,
)
_BADGE = re.compile(r"/badge/[^)\s]*?-([\w%]+?)-\w+[)\s?.]")
_WORD = re.compile(r"[\w'-]+")


@dataclass(frozen=True)
class Stated:
    """A status that a statement gives to a record, and the date beside it."""

    state: str
    date: str = ""


def read_statements(lines: Sequence[str]) -> str:
    """The status that some lines state; "" if they state none.

    The first statement counts. A later line that has no other words than a status, or a sentence that names the record,
    counts if it says that the record has moved on.
    """
    text = _STRUCK.sub(" ", "\n".join(lines))
    if _TICKED.search(text):
        text = _UNTICKED.sub("\n", text)
    else:
        text = "\n".join([line for line in text.split("\n") if not re.match(r"\s*[-*+]\s+\[ \]", line)])
    found: list[Stated] = []
    for unit in units_of(text.split("\n")):
        check_time()
        stated = _read_unit(unit)
        if stated and (not found or is_status_line(unit) or _names_record(unit)):
            found.append(Stated(stated, find_date(unit)))
            found += [Stated(state, find_date(clause)) for clause, state in _later_clauses(unit)]
    return latest(found)


def latest(found: Sequence[Stated]) -> str:
    """The status that holds among several: that of the latest date, else the one that is furthest on."""
    if not found:
        return ""
    if len(found) > 1 and all(each.date for each in found):
        newest = max(each.date for each in found)
        return [each.state for each in found if each.date == newest][-1]
    state = found[0].state
    for each in found[1:]:
        is_back = state in OVER and each.state not in OVER and state != REJECTED
        state = state if is_back or (state == ACCEPTED and each.state == PROPOSED) else each.state
    return state


def units_of(lines: Iterable[str]) -> list[str]:
    """Paragraphs and items, each on one line. A line that is a status by itself begins a new one."""
    units: list[list[str]] = [[]]
    for line in lines:
        bare = line.strip().lstrip("> ")
        if not bare or bare.startswith("|"):
            units.append([])
            continue
        is_own = is_status_line(bare) and not bare[0].islower()
        is_after = bool(units[-1]) and is_status_line(units[-1][-1]) and is_status_line(bare)
        if _ITEM.match(line) or line.lstrip().startswith("#") or is_own or is_after:
            units.append([])
        units[-1].append(_ITEM.sub("", bare).lstrip("# "))
        if _BREAK.search(line):
            units.append([])
    return [" ".join(unit)[:MAX_UNIT_CHARS] for unit in units if unit]


# Each line is asked about several times: for the status, for what it supersedes and for its links.
@lru_cache(maxsize=4096)
def is_status_line(text: str) -> bool:
    """Whether a line has no other words than a status, what it refers to, and words between them."""
    words = _without_references(text)
    rest, count = state_pattern().subn(" ", words)
    return bool(count) and not _WORD.search(pattern_of("linking", "not", "not yet").sub(" ", rest))


def states_record_over(text: str) -> bool:
    """Whether a unit outside of a field says that the record has ended."""
    stated = _read_unit(text)
    return stated in OVER and (_names_record(text) or (is_status_line(text) and bool(_REFERENCE.search(text))))


def marks_record_over(unit: str) -> bool:
    """Whether a unit is nothing but the mark in bold that the record has ended: `**Reverted**`."""
    return bool(_BOLD_ALONE.fullmatch(unit)) and is_status_line(unit) and _read_unit(unit) in OVER


def _without_references(text: str) -> str:
    return fold(without_markup(_REFERENCE.sub(" ", _BADGE.sub(" ", text))))


def _names_record(text: str) -> bool:
    """Whether the status in a text is said of the record itself: `this decision has been superseded`."""
    words = fold(plain(text))
    name = pattern_of("self").search(words)
    state = state_pattern().search(words, name.end()) if name else None
    return bool(name and state and len(_WORD.findall(words[name.end() : state.start()])) <= MAX_WORDS_BETWEEN)


def _read_unit(unit: str) -> str:
    """The status that a paragraph or an item states; "" if it states none."""
    badge = _BADGE.search(unit)
    if badge and state_pattern().search(fold(badge[1].replace("%20", " "))):
        return state_of(state_pattern().findall(fold(badge[1].replace("%20", " ")))[0])
    chosen = _chosen_of_template(unit)
    if chosen is not None:
        return chosen
    steps = [step for step in _ARROW.split(unit) if step.strip()]
    for step in reversed(steps) if len(steps) > 1 else steps:
        sentences = sentences_of(" ".join(plain(step).split()))
        for part in [part for sentence in sentences for part in _parts_of(sentence)]:
            stated = _read_sentence(part)
            if stated:
                return stated
    return ""


def _parts_of(sentence: str) -> list[str]:
    """The part of a sentence before its first semicolon, and the later ones that have no other words than a status."""
    first, *others = _SEMICOLON.split(sentence)
    return [first, *[part for part in others if is_status_line(part)]]


def _later_clauses(unit: str) -> list[tuple[str, str]]:
    """The clauses behind the first one that only say that the record has ended: `accepted, now superseded`."""
    is_template = _chosen_of_template(unit) is not None
    clauses = [] if is_template else [clause for clause in _CLAUSE.split(plain(unit)) if clause.strip()]
    read = [(clause, _read_sentence(clause)) for clause in clauses[1:] if is_status_line(clause)]
    return [(clause, state) for clause, state in read if state in OVER]


def _chosen_of_template(unit: str) -> str | None:
    """The marked status of a line that lists statuses; "" if none is marked, None if the line is no such list."""
    pieces = [piece for piece in _CHOICE.split(plain(_ARROW.sub(" ", unit)).strip("{}[]<>() ")) if piece]
    folded = [_without_references(piece).strip(" .*_`\u2026") for piece in pieces]
    states = [state for piece in folded if (state := _state_alone(piece))]
    rest = [piece for piece in folded if piece and not _state_alone(piece)]
    is_list = len({*states}) >= MIN_TEMPLATE_STATES and not rest and bool(re.search(r"[|/]|\bor\b", unit))
    if not is_list:
        return None
    marked = [state for bold in _BOLD.finditer(unit) if (state := _state_alone(_without_references(bold[2])))]
    return marked[0] if len(marked) == 1 else ""


def _state_alone(words: str) -> str:
    found = state_pattern().search(words)
    if not found or not is_status_line(words):
        return ""
    return state_of(found[0])


def _read_sentence(sentence: str) -> str:
    """The first status in a sentence that is said of the record."""
    full = fold(plain(sentence))
    words = _without_references(sentence)
    # A sentence that stands in brackets as a whole has no other words.
    words = words if state_pattern().search(words) else full
    relation = pattern_of(REPLACES, "relation amends", "relation amended by").search(words)
    name = pattern_of("self").search(words)
    is_partly = bool(pattern_of("partly").search(full))
    for found in state_pattern().finditer(words):
        if relation and relation.start() < found.start():
            # What follows is said of another record.
            break
        before = words[: found.start()]
        near = before[name.end() :] if name and name.end() <= found.start() else ""
        is_early = len(_WORD.findall(before)) <= MAX_WORDS_BEFORE and len(before) <= MAX_CHARS_BEFORE
        is_of_record = (
            bool(name) and len(_WORD.findall(near)) <= MAX_WORDS_BETWEEN and name is not None and name.start() <= 30
        )
        if not (is_early or is_of_record) or replaces_another(found[0], full):
            continue
        state = _after_negation(state_of(found[0]), before)
        if state and not (state in OVER and is_partly):
            return state
    return ""


def replaces_another(phrase: str, sentence: str) -> bool:
    """Whether a verb that has one form for both says that this record replaces another: German `Ersetzt ADR-3`."""
    if phrase not in phrases(REPLACES):
        return False
    return bool(re.search(rf"{re.escape(phrase)}\s*(?:\[|#?\d|adr|rfc|die|den|das|\u4e86)", sentence))


def _after_negation(state: str, before: str) -> str:
    """What a status means behind words such as `not` and `not yet`; "" if it means nothing."""
    last = " ".join(before.split()[-3:])
    if _ends_with("formerly", last) and not pattern_of("self").search(before):
        return ""
    if _ends_with("not yet", last):
        return PROPOSED if state in (ACCEPTED, PROPOSED) else ""
    if _ends_with("not", last):
        return {ACCEPTED: REJECTED, PROPOSED: ""}.get(state, "")
    return state


def _ends_with(table: str, words: str) -> bool:
    """Whether some words end with a phrase of a table."""
    return any(found.end() >= len(words) for found in pattern_of(table).finditer(words))
