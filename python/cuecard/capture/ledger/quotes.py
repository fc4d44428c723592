"""Finds the parts of a prompt that the user quotes from others. Positions count characters.

Rules: docs/reference/ledger.md.
"""

from collections.abc import Sequence

from ...basics.chars import WHITESPACE

FENCE = "```"
MIN_QUOTATION = 25
MANY_LINES = 12
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
    _mark_quotations(text, quoted)
    _mark_pasted(text, lines, quoted)
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


def shorten_quotes(text: str, quoted: Sequence[Span], limit: int) -> tuple[str, list[Span]]:
    """Shorten long quotations, then cut the text to `limit` characters. Returns the text and its new quoted spans."""
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
    kept = (kept + text[place:])[:limit]
    return kept, [(begin, min(end, limit)) for begin, end in spans if begin < limit]


def _mark_fences(text: str, quoted: list[bool]) -> None:
    """Mark the text from each three back-ticks to the next three back-ticks, or to the end of the text."""
    place = text.find(FENCE)
    while place >= 0:
        end = text.find(FENCE, place + 3)
        end = len(text) if end < 0 else end + 3
        _fill(quoted, place, end)
        place = text.find(FENCE, end)


def _mark_quotations(text: str, quoted: list[bool]) -> None:
    """Mark text in quotation marks. Text of up to `MIN_QUOTATION` characters is taken for a name and is not marked."""
    place = 0
    while place < len(text):
        closing = "" if quoted[place] else MARKS.get(text[place], "")
        ends = [end for mark in closing if (end := text.find(mark, place + 1)) >= 0]
        if not ends or quoted[min(ends)]:
            place += 1
            continue
        end = min(ends)
        if end - place > MIN_QUOTATION:
            _fill(quoted, place, end + 1)
        place = end + 1


def _mark_pasted(text: str, lines: Sequence[Span], quoted: list[bool]) -> None:
    """Mark runs of 12 or more lines, which were most likely pasted."""
    run: list[Span] = []
    for begin, end in [*lines, (0, 0)]:
        if text[begin:end].strip(WHITESPACE):
            run.append((begin, end))
            continue
        if len(run) >= MANY_LINES:
            _fill(quoted, run[0][0], run[-1][1])
        run = []


def _lines_of(text: str) -> list[Span]:
    """The span of each line, without its line end."""
    lines, begin = [], 0
    for line in text.split("\n"):
        lines.append((begin, begin + len(line)))
        begin += len(line) + 1
    return lines


def _fill(quoted: list[bool], begin: int, end: int) -> None:
    quoted[begin:end] = [True] * (end - begin)
