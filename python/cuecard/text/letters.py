"""What belongs to words: letters beyond ASCII, without their marks, and the scripts without blanks (SPEC 19.1)."""

from ..basics.chars import fold, within
from ..basics.tables import read_rows

HANGUL = "hangul"
IDEOGRAPHS = "ideographs"
LETTER = "letter"
SEPARATOR = "separator"


def classify(char: str) -> str:
    """The kind of a character beyond ASCII: one of the four names above."""
    point = ord(char)
    if 0xAC00 <= point <= 0xD7A3:
        return HANGUL
    if point >= 0x3005 and within(read_rows("characters", "ideographs"), point):
        return IDEOGRAPHS
    return LETTER if within(read_rows("characters", "words"), point) else SEPARATOR


def plain(char: str) -> str:
    """A letter beyond ASCII in lower case without its marks; nothing where it is such a mark.

    Where that is ASCII a capital stays one: names are cut at capitals.
    """
    if "\u0300" <= char <= "\u036f":
        return ""
    if not _plain:
        _plain.update([(marked, letter) for marked, letter in read_rows("characters", "plain")])
    # Only the dotted capital I becomes more than one character: the other one is a mark.
    lower = fold(char)[0]
    letter = chr(_plain.get(ord(lower), ord(lower)))
    return letter.upper() if lower != char and letter.isascii() else letter


def is_hiragana(char: str) -> bool:
    """Whether a character is of the script that Japanese writes its endings in."""
    return "\u3041" <= char <= "\u309f"


def is_katakana(char: str) -> bool:
    """Whether a character is of the script that Japanese writes words from other languages in."""
    return "\u30a1" <= char <= "\u30ff" or "\u31f0" <= char <= "\u31ff"


_plain: dict[int, int] = {}
