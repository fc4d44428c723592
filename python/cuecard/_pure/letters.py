"""What belongs to words: letters beyond ASCII, without their marks, and the scripts without blanks (SPEC 19.1)."""

from .chars import fold, within

HANGUL = "hangul"
IDEOGRAPHS = "ideographs"
LETTER = "letter"
SEPARATOR = "separator"

# Han and kana, by their first and last code points.
_IDEOGRAPH_RANGES = (
    (0x3005, 0x3007),
    (0x3041, 0x3096),
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def classify(char: str) -> str:
    """The kind of a character beyond ASCII: one of the four names above."""
    point = ord(char)
    if 0xAC00 <= point <= 0xD7A3:
        return HANGUL
    if point >= 0x3005 and within(_IDEOGRAPH_RANGES, point):
        return IDEOGRAPHS
    from .unicode_tables import WORDS

    return LETTER if within(WORDS, point) else SEPARATOR


def plain(char: str) -> str:
    """A letter beyond ASCII in lower case without its marks; nothing where it is such a mark.

    Where that is ASCII a capital stays one: names are cut at capitals.
    """
    if "\u0300" <= char <= "\u036f":
        return ""
    if not _plain:
        from .unicode_tables import PLAIN

        _plain.update(PLAIN)
    # Only the dotted capital I becomes more than one character: the other one is a mark.
    lower = fold(char)[0]
    letter = chr(_plain.get(ord(lower), ord(lower)))
    return letter.upper() if lower != char and letter.isascii() else letter


def is_hiragana(char: str) -> bool:
    """Whether a character is of the script that Japanese writes its endings in."""
    return "\u3041" <= char <= "\u309f"


_plain: dict[int, int] = {}
