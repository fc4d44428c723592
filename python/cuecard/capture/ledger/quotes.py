"""Finds the parts of a prompt that the user quotes from others. Positions count characters.

Rules: docs/reference/ledger.md.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from ..._backend import is_substantial
from ...basics.chars import WHITESPACE
from .substance import forwards_mail, hands_text, mail_head, quotes_others
from .wishes import says_remember

FENCE = "```"
MIN_QUOTATION = 25
MANY_LINES = 12
# At most this many of the user's own lines stand directly above or below pasted ones, without an empty line between.
MAX_OWN_LINES = 3
# A longer line is no remark about what is pasted. It also bounds the time that a hostile text takes.
MAX_OWN_CHARS = 1000
MAX_QUOTED, QUOTED_HEAD, QUOTED_TAIL = 400, 300, 80
ELLIPSIS = " ... "
# Opening quotation marks, each with its closing marks.
MARKS = {
    '"': '"',
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\xab": "\xbb",
    "\xbb": "\xab",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}

# The straight mark opens and closes. It opens nothing behind a letter or number (`15" screens`) or before a blank, and
# closes nothing before a letter. Alone (`split at " here`) it does neither. Scripts without blanks have none beside it.
_LETTER = "[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]"
_ALONE = '(?<=[ \t])"[ \t]|(?<=`)"`|(?<=\')"\''
_OPENS = re.compile(f'(?!{_ALONE})(?<!{_LETTER})"(?![ \t])')
_CLOSES = re.compile(f'(?!{_ALONE})"(?!{_LETTER})')

# The longest sentence that is searched for words which introduce a quotation.
MAX_LEAD_CHARS = 200
_SENTENCE_END = re.compile("[.!?;\u3002\uff01\uff1f]\\s*")
_COLON = re.compile(f":(?=[\\s{''.join(MARKS)}]|$)|\uff1a", re.MULTILINE)
# This many different lines such as `From: a@b.example` in a row begin a mail.
MAIL_HEADS = 2
# The line before a mail that was answered.
_ANSWERED = re.compile(
    r"(?:on|am|el|le)\b.{6,100}\b(?:wrote|schrieb.{0,40}|escribi\u00f3|a \u00e9crit)\s?:$", re.IGNORECASE
)
# A list item, and the signs of code and output, which no line of prose has.
_LIST_ITEM = re.compile(r"\s*(?:[-*\u2022]|\d{1,3}[.)]|[a-z][.)])\s\S", re.IGNORECASE)
_CODE = re.compile(r"[{}<>|$\\=;]|://|\w\(|\s{2,}|^\W")
# At least this share of the characters of prose are letters and blanks.
PROSE_SHARE = 0.85

# The position of the first character, and the position behind the last one.
Span = tuple[int, int]


def find_quotes(text: str) -> list[Span]:
    """The quoted parts of a text, in order, without overlaps."""
    quoted = [False] * len(text)
    _mark_fences(text, quoted)
    lines = _lines_of(text)
    for begin, end in lines:
        if text[begin:end].lstrip(WHITESPACE).startswith(">"):
            _fill(quoted, begin, end)
    _mark_mail(text, lines, quoted)
    _mark_pasted(text, lines, quoted)
    _mark_introduced(text, lines, quoted)
    _mark_quotations(text, quoted)
    spans: list[Span] = []
    for place, is_quoted in enumerate(quoted):
        if is_quoted and spans and spans[-1][1] == place:
            spans[-1] = (spans[-1][0], place + 1)
        elif is_quoted:
            spans.append((place, place + 1))
    return spans


def own_words(text: str, quoted: Sequence[Sequence[int]]) -> str:
    """The user's own words: the text with each quoted part replaced by a blank."""
    own, place = [], 0
    for begin, end in quoted:
        if begin < place or begin >= len(text):
            continue
        own += [text[place:begin], " "]
        place = end
    return "".join([*own, text[place:]])


def without_middle(text: str, limit: int) -> str:
    """A text of at most `limit` characters: its beginning and its end. Words at the cut are left out whole.

    What a user says about a long text that is pasted stands above or below it.
    """
    if len(text) <= limit:
        return text
    half = (limit - len(ELLIPSIS)) // 2
    head, tail = re.sub(r"\S{1,200}$", "", text[:half]), re.sub(r"^\S{1,200}", "", text[len(text) - half :])
    return head + ELLIPSIS + tail


def shorten_quotes(text: str, quoted: Sequence[Span], limit: int) -> tuple[str, list[Span]]:
    """Shorten long quotations, then cut the text to `limit` characters in its middle.

    Returns the text and its new quoted spans.
    """
    kept, spans, place = "", [], 0
    for begin, end in quoted:
        kept += text[place:begin]
        first = len(kept)
        if end - begin > MAX_QUOTED:
            kept += text[begin : begin + QUOTED_HEAD] + ELLIPSIS + text[end - QUOTED_TAIL : end]
        else:
            kept += text[begin:end]
        spans.append((first, len(kept)))
        place = end
    kept += text[place:]
    if len(kept) <= limit:
        return kept, spans
    half = (limit - len(ELLIPSIS)) // 2
    left_out = len(kept) - 2 * half
    heads = [(begin, min(end, half)) for begin, end in spans if begin < half]
    moved = [(max(begin - left_out, half), end - left_out) for begin, end in spans if end > half + left_out]
    tails = [(begin + len(ELLIPSIS), end + len(ELLIPSIS)) for begin, end in moved]
    return kept[:half] + ELLIPSIS + kept[len(kept) - half :], heads + tails


def _mark_fences(text: str, quoted: list[bool]) -> None:
    """Mark the text from each three back-ticks to the next three back-ticks, or to the end of the text."""
    place = text.find(FENCE)
    while place >= 0:
        end = text.find(FENCE, place + 3)
        end = len(text) if end < 0 else end + 3
        _fill(quoted, place, end)
        place = text.find(FENCE, end)


def _mark_mail(text: str, lines: Sequence[Span], quoted: list[bool]) -> None:
    """Mark a pasted mail, from the lines above it to the end of the text."""
    heads, first = set[str](), 0
    for begin, end in lines:
        line = text[begin:end].strip(WHITESPACE)
        head = mail_head(line)
        first = first if head and heads else begin
        heads = heads | {head} if head else set()
        if len(heads) == MAIL_HEADS or forwards_mail(line) or _ANSWERED.match(line):
            _fill(quoted, first, len(text))
            return


def _mark_introduced(text: str, lines: Sequence[Span], quoted: list[bool]) -> None:
    """Mark what a colon introduces as the words of others, or as a text to translate or to correct.

    A wish to remember makes such words the user's own.
    """
    for number, (begin, end) in enumerate(lines):
        colon = None if quoted[begin : begin + 1] == [True] else _COLON.search(text, begin, end)
        while colon:
            lead = _SENTENCE_END.split(text[max(begin, colon.start() - MAX_LEAD_CHARS) : colon.start()])[-1]
            is_material, is_said = hands_text(lead), quotes_others(lead)
            if (is_material or is_said) and not says_remember(lead):
                rest = text[colon.end() : end].strip(WHITESPACE)
                if is_material:
                    _fill(quoted, colon.end(), len(text))
                elif not rest:
                    _fill_paragraph(lines[number + 1 :], text, quoted)
                elif rest[0] not in MARKS:
                    _fill(quoted, colon.end(), end)
                break
            colon = _COLON.search(text, colon.end(), end)


def _fill_paragraph(lines: Sequence[Span], text: str, quoted: list[bool]) -> None:
    """Mark the first lines up to an empty one, without empty ones before them."""
    first = None
    for begin, end in lines:
        if text[begin:end].strip(WHITESPACE):
            first = begin if first is None else first
            _fill(quoted, first, end)
        elif first is not None:
            return


def _mark_quotations(text: str, quoted: list[bool]) -> None:
    """Mark text in quotation marks, unless it is what the user wishes to be remembered.

    Text of up to `MIN_QUOTATION` characters is taken for a name and is not marked.
    """
    openings = {found.start() for found in _OPENS.finditer(text)}
    closings = [found.start() for found in _CLOSES.finditer(text)]
    place = 0
    while place < len(text):
        closing = "" if quoted[place] else MARKS.get(text[place], "")
        if closing == '"':
            first = bisect_right(closings, place)
            ends = closings[first : first + 1] if place in openings else []
        else:
            ends = [end for mark in closing if (end := text.find(mark, place + 1)) >= 0]
        if not ends or quoted[min(ends)]:
            place += 1
            continue
        end = min(ends)
        if end - place > MIN_QUOTATION and not _is_wished(text, place):
            _fill(quoted, place, end + 1)
        place = end + 1


def _is_wished(text: str, place: int) -> bool:
    """Whether a colon and a wish to remember stand before a quotation, on its line."""
    lead = text[max(text.rfind("\n", 0, place) + 1, place - MAX_LEAD_CHARS) : place].rstrip(WHITESPACE)
    return lead.endswith((":", "\uff1a")) and says_remember(lead)


def _mark_pasted(text: str, lines: Sequence[Span], quoted: list[bool]) -> None:
    """Mark runs of 12 or more lines of which most are neither list items nor prose.

    Lines that are marked already belong to no run. The user's own lines directly above and below stay unmarked.
    """
    run: list[Span] = []
    for begin, end in [*lines, (0, 0)]:
        if text[begin:end].strip(WHITESPACE) and not quoted[begin]:
            run.append((begin, end))
            continue
        if len(run) >= MANY_LINES and 2 * sum(_is_written(text[each[0] : each[1]]) for each in run) < len(run):
            above = _count_own(text, run[: MAX_OWN_LINES + 1])
            below = _count_own(text, run[: -MAX_OWN_LINES - 2 : -1])
            _fill(quoted, run[above][0], run[-1 - below][1])
        run = []


def _count_own(text: str, lines: Sequence[Span]) -> int:
    """How many lines, from the first on, the user has written about a pasted text that goes on behind them.

    0 if all of them may be the user's, because they are then prose that is pasted.
    """
    for own, (begin, end) in enumerate(lines):
        line = text[begin:end]
        is_remark = len(line) <= MAX_OWN_CHARS and ((is_substantial(line) and _is_prose(line)) or says_remember(line))
        if not is_remark:
            return own
    return 0


def _is_written(line: str) -> bool:
    """Whether a line is a list item or prose."""
    return _LIST_ITEM.match(line) is not None or (" " in line.rstrip(WHITESPACE) and _is_prose(line))


def _is_prose(line: str) -> bool:
    """Whether nearly all of a line are letters, and nothing in it is a sign of code."""
    line = line.rstrip(WHITESPACE)
    words = sum(char.isalpha() or char in " ,." for char in line)
    return words >= PROSE_SHARE * len(line) and _CODE.search(line) is None


def _lines_of(text: str) -> list[Span]:
    """The span of each line, without its line end."""
    lines, begin = [], 0
    for line in text.split("\n"):
        lines.append((begin, begin + len(line)))
        begin += len(line) + 1
    return lines


def _fill(quoted: list[bool], begin: int, end: int) -> None:
    quoted[begin:end] = [True] * (end - begin)
