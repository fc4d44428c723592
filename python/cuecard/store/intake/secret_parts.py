"""Finds secrets in pieces: a token that is split over lines or list items, and a token inside an id.

Rules: docs/reference/secrets.md.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cache

from .secret_candidate import Span
from .secret_rules import Rule, secret_table
from .secret_search import find_secrets
from .secret_values import changes, is_machine_made
from .secret_views import line_breaks

# A piece of a token after a line break must look random. A shorter piece is too short to judge.
MIN_PIECE_CHARS = 4
# The minimum if the text before the piece is already a complete token.
MIN_MORE_CHARS = 8
# Too many words begin with a shorter literal.
MIN_LITERAL_CHARS = 3
_START = "[^A-Za-z0-9](?P<secret>"
MIN_SLUG_CHARS = 16
MIN_CHANGES = 4

# Over how many lines a token may be split, and how many places of a literal are examined in one memory.
MAX_LINES = 8
MAX_PLACES = 64
MAX_LINE_CHARS = 512

_PIECE = re.compile(r"[A-Za-z0-9_+/=.:-]+")
_SLUG_PART = re.compile(r"[a-z0-9]+")


def find_broken(texts: Sequence[str], rules: Iterable[Rule]) -> dict[int, list[Span]]:
    """Find tokens of vendors' formats with a line break inside; the end of a list item also counts as a line break.

    Returns the spans of the pieces, by the number of the text that each piece is in.
    """
    record_text = "\n".join(texts)
    if "\n" not in record_text:
        return {}
    begun = [
        (rule, place)
        for rule in rules
        if rule.check == "exact" and rule.pattern.startswith(_START)
        for literal in rule.literals
        if len(literal) >= MIN_LITERAL_CHARS
        for place in _places(record_text, literal)
    ]
    breaks = line_breaks(record_text) if begun else []
    tokens = [_broken_token(record_text, breaks, rule, place) for rule, place in begun]
    spans = [token for token in tokens if token]
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + 1)
    found: dict[int, list[Span]] = {}
    for span in spans:
        for place, start in enumerate(starts[:-1]):
            cut_start, cut_end = max(span.start, start), min(span.end, start + len(texts[place]))
            if cut_start < cut_end:
                found.setdefault(place, []).append(Span(cut_start - start, cut_end - start, span.kind))
    return found


def _places(text: str, literal: str) -> list[int]:
    places: list[int] = []
    place = text.find(literal)
    while place >= 0 and len(places) < MAX_PLACES:
        places.append(place)
        place = text.find(literal, place + 1)
    return places


def _broken_token(text: str, breaks: list[tuple[int, int]], rule: Rule, place: int) -> Span | None:
    """Return the token that begins at position `place` and continues after line breaks; None if there is none.

    The lines are joined one after another, and the longest token that a rule accepts is returned.
    """
    number = bisect_left(breaks, (place, place))
    lines = [text[max(0, place - 1) : breaks[number][0]]] if number < len(breaks) else []
    if not lines or len(lines[0]) > MAX_LINE_CHARS or not _PIECE.fullmatch(lines[0][place > 0 :]):
        return None
    whole = find_secrets(lines[0], [rule])
    best = None
    for last in range(number, min(len(breaks), number + MAX_LINES)):
        start = breaks[last][1]
        piece = _PIECE.match(text, start, start + MAX_LINE_CHARS)
        least = MIN_MORE_CHARS if whole or best else MIN_PIECE_CHARS
        if not piece or len(piece[0]) < least or not _is_random_piece(piece[0]):
            break
        joint = sum(map(len, lines))
        lines.append(piece[0])
        for span in find_secrets("".join(lines), [rule]):
            if span.start <= 1 and span.end > joint:
                best = Span(place, start + span.end - joint, span.kind)
        if last + 1 < len(breaks) and breaks[last + 1][0] != piece.end():
            break
    return best


def _is_random_piece(piece: str) -> bool:
    """Whether a piece does not look like a word: it has digits among its letters, or capitals after its beginning."""
    has_capitals = any(map(str.isupper, piece[1:]))
    return has_capitals or (any(map(str.isdigit, piece)) and (is_machine_made(piece) or piece.isdigit()))


def find_in_slug(slug: str) -> list[Span]:
    """Find tokens that became part of an id, as in `rotate-ghp-16c7e4...`."""
    spans: list[Span] = []
    for beginning, kind in _slug_beginnings():
        if beginning not in slug:
            continue
        for match in re.finditer(f"(?:^|-)({beginning})", slug):
            end = _random_end(slug, match.end())
            if end is not None:
                spans.append(Span(match.start(1), end, kind))
    for part in _SLUG_PART.finditer(slug):
        is_hash = re.fullmatch(r"[0-9a-f]+", part[0])
        if len(part[0]) >= 20 and not is_hash and changes(part[0]) >= MIN_CHANGES:
            spans.append(Span(*part.span(), "high-entropy"))
    return spans


@cache
def _slug_beginnings() -> list[tuple[str, str]]:
    """Return the slugs of the literals in vendors' formats, each with the kind of its rule."""
    beginnings = []
    for rule in secret_table().rules:
        if rule.check not in ("exact", "doubtful") or rule.is_folded:
            continue
        for literal in rule.literals:
            beginning = re.sub(r"[^a-z0-9]+", "-", literal.lower()).strip("-")
            if len(beginning) >= 2:
                beginnings.append((beginning + ("" if literal[-1].isalnum() else "-"), rule.kind))
    return beginnings


def _random_end(slug: str, start: int) -> int | None:
    """Return the end of the random part that begins at `start` in a slug; None if that part is too short."""
    size = 0
    end = None
    skipped = 0
    for part in _SLUG_PART.finditer(slug, start):
        if any(map(str.isdigit, part[0])) or (len(part[0]) > 12 and is_machine_made(part[0])):
            size += len(part[0])
            end, skipped = part.end(), 0
        else:
            skipped += 1
            if skipped > 1:
                break
    return end if size >= MIN_SLUG_CHARS else None
