"""Composes characters, so that texts which look alike are alike (SPEC 2.5)."""

from ...basics.chars import within
from ...basics.tables import read_rows

FIRST_SYLLABLE = 0xAC00
VOWELS = 21
# The number of places for the last consonant of a syllable, one of which is empty.
LAST = 28
_LEADS = 19
_FIRST_LEAD = 0x1100
_FIRST_VOWEL = 0x1161
_NO_TAIL = 0x11A7


def compose(text: str) -> str:
    """The text in the form that Unicode calls NFC, in which canonically equivalent texts are equal."""
    if text.isascii() or not any(_is_unsettled(char) for char in set(text)):
        return text
    composed: list[str] = []
    # The place of the last character of class 0, and the class of the character before the current one.
    starter, before = -1, 0
    for char, of_char in _in_order(text):
        if starter >= 0 and (before == 0 or before < of_char):
            both = _pair(composed[starter], char)
            if both:
                composed[starter] = both
                continue
        if of_char == 0:
            starter = len(composed)
        before = of_char
        composed.append(char)
    return "".join(composed)


def _is_unsettled(char: str) -> bool:
    """Whether composition may change a character, or join it with the character before it."""
    # Characters before the combining marks, Han and Hangul syllables are never changed by what follows or precedes.
    if char < "\u0300" or "\u3400" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3":
        return False
    return within(read_rows("composition", "unsettled"), ord(char))


def _in_order(text: str) -> list[tuple[str, int]]:
    """The characters that the text stands for, with their combining classes, by which those of a run are sorted."""
    chars: list[tuple[str, int]] = []
    marks: list[tuple[str, int]] = []
    for char in text:
        for part in _decompose(char):
            of_part = 0 if part < "\u0300" else _class_of(part)
            if of_part:
                marks.append((part, of_part))
                continue
            if marks:
                chars += sorted(marks, key=_second)
                marks = []
            chars.append((part, 0))
    return chars + sorted(marks, key=_second)


def _second(row: tuple[str, int]) -> int:
    return row[1]


def _decompose(char: str) -> str:
    """The characters that a character stands for."""
    if not _parts:
        for composed, *points in read_rows("composition", "decompositions"):
            _parts[chr(composed)] = [chr(point) for point in points if point]
    return "".join([_decompose(part) for part in _parts[char]]) if char in _parts else char


def _class_of(char: str) -> int:
    if not _classes:
        for first, last, of_run in read_rows("composition", "combining"):
            _classes.update([(chr(point), of_run) for point in range(first, last + 1)])
    return _classes.get(char, 0)


def _pair(first: str, second: str) -> str:
    """The character that a pair of characters becomes; "" if there is none."""
    lead, vowel = ord(first) - _FIRST_LEAD, ord(second) - _FIRST_VOWEL
    if 0 <= lead < _LEADS and 0 <= vowel < VOWELS:
        return chr(FIRST_SYLLABLE + (lead * VOWELS + vowel) * LAST)
    syllable, tail = ord(first) - FIRST_SYLLABLE, ord(second) - _NO_TAIL
    if 0 <= syllable < _LEADS * VOWELS * LAST and syllable % LAST == 0 and 0 < tail < LAST:
        return chr(ord(first) + tail)
    if not _composed:
        for one, other, both in read_rows("composition", "compositions"):
            _composed[chr(one) + chr(other)] = chr(both)
    return _composed.get(first + second, "")


_parts: dict[str, list[str]] = {}
_classes: dict[str, int] = {}
_composed: dict[str, str] = {}
