"""Classifies characters beyond ASCII and removes the marks of letters (SPEC 19.1)."""

from ...basics.chars import fold, within
from ...basics.tables import read_rows

HANGUL = "hangul"
IDEOGRAPHS = "ideographs"
LETTER = "letter"
SEPARATOR = "separator"
UNSPACED = "unspaced"


def classify(char: str) -> str:
    """Return the kind of a character beyond ASCII: `HANGUL`, `IDEOGRAPHS`, `LETTER`, `SEPARATOR` or `UNSPACED`.

    `UNSPACED` are the letters and marks of Thai, Lao, Burmese and Khmer.
    """
    point = ord(char)
    if 0xAC00 <= point <= 0xD7A3:
        return HANGUL
    if point >= 0x3005 and within(read_rows("characters", "ideographs"), point):
        return IDEOGRAPHS
    if point >= 0xE01 and within(read_rows("characters", "unspaced"), point):
        return UNSPACED
    return LETTER if within(read_rows("characters", "words"), point) else SEPARATOR


def plain(char: str) -> str:
    """Return a letter beyond ASCII in lower case and without its marks; "" for a combining mark.

    If the result is an ASCII letter, a capital stays a capital, because identifiers are split at capitals.
    """
    if "\u0300" <= char <= "\u036f":
        return ""
    if not _plain:
        _plain.update([(marked, letter) for marked, letter in read_rows("characters", "plain")])
    # Only the dotted capital I becomes two characters in lower case; the second is a mark.
    lower = fold(char)[0]
    letter = chr(_plain.get(ord(lower), ord(lower)))
    return letter.upper() if lower != char and letter.isascii() else letter


def is_hiragana(char: str) -> bool:
    """Whether a character is hiragana, the script of Japanese endings and particles."""
    return "\u3041" <= char <= "\u309f"


def is_katakana(char: str) -> bool:
    """Whether a character is katakana, the Japanese script for words from other languages."""
    return "\u30a1" <= char <= "\u30ff" or "\u31f0" <= char <= "\u31ff"


_plain: dict[int, int] = {}
