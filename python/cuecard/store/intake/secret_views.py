"""Other readings of a text, in which a hidden secret is seen: plain letters, line breaks, long words (SPEC 55)."""

import re
from bisect import bisect_right
from functools import cache

from ...text.letters import SEPARATOR, classify

# What parts words here; wide blanks were made plain ones before.
BLANKS = " \t\r\n"


def plain_letters(text: str) -> str:
    """The text with full-width and mathematical letters as ASCII, and every wide blank as a blank.

    The two characters `\\n` of a string of code become two line ends.

    Every character stays one character, so that what is found here stands at the same place there.
    """
    if not text.isascii() and _WIDE.search(text):
        text = text.translate(_plain_table())
    if "\\" in text:
        text = _ESCAPED_LINE_END.sub("\n\n", text)
    return text


_WIDE = re.compile("[\xa0\u2007\u202f\u3000\uff01-\uff5e\U0001d400-\U0001d7ff]")
_ESCAPED_LINE_END = re.compile(r"\\[nrt]")


@cache
def _plain_table() -> dict[int, str]:
    table = {0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)}
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    # Thirteen alphabets of bold, italic and other letters, then five rows of digits.
    table |= {0x1D400 + place: letters[place % 52] for place in range(13 * 52)}
    table |= {0x1D7CE + place: str(place % 10) for place in range(50)}
    return table | dict.fromkeys([0xA0, 0x2007, 0x202F, 0x3000], " ")


def folded(text: str) -> str:
    """The text with A to Z as a to z, and nothing else changed."""
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def is_letter(char: str) -> bool:
    """Whether a character is A to Z, a to z, or beyond ASCII a part of words (SPEC 19.1)."""
    return char.isalpha() if char.isascii() else classify(char) != SEPARATOR


def is_letter_or_digit(char: str) -> bool:
    """Whether a character is a letter, or 0 to 9."""
    return char.isalnum() if char.isascii() else is_letter(char)


# A line break in the middle of a token, with what editors, strings of code, quotes of mails and lists put around it.
_BREAK = re.compile(
    r"(?P<before>[A-Za-z0-9_+/=.-])"
    r"(?P<gap>[\"'`]?[ \t]{0,8}[+.\\]?[ \t]{0,8}(?:\n[ \t]{0,40}(?:[>#*|+-][ \t]{1,8})?){1,2}[+.]?[ \t]{0,8}[\"'`]?)"
)


def line_breaks(text: str) -> list[tuple[int, int]]:
    """Start and end of every stretch that may split a token, in order and apart."""
    return [match.span("gap") for match in _BREAK.finditer(text)]


# No token that a rule finds by itself is shorter.
LONG_CHARS = 16
_LONG_WORD = re.compile(rf"[^ \t\r\n]{{{LONG_CHARS},}}")


class LongWords:
    """The long words of a text, a line each. Ordinary text has few, so searching them many times costs little."""

    def __init__(self, text: str) -> None:
        """`text` without its short words."""
        parts = []
        self._places: list[int] = []
        self._starts: list[int] = []
        size = 1
        for match in _LONG_WORD.finditer(text):
            parts.append(match[0])
            self._places.append(size)
            self._starts.append(match.start())
            size += len(match[0]) + 1
        self.text = "\n" + "".join([f"{part}\n" for part in parts])

    def shift(self, place: int) -> int:
        """What is added to a place in the words for that in the text."""
        number = bisect_right(self._places, place) - 1
        return self._starts[number] - self._places[number]

    def place_of(self, position: int) -> int:
        """Where a position of the text is in the words; the next word where it is in none."""
        number = bisect_right(self._starts, position) - 1
        if number < 0:
            return 0
        end = self._places[number + 1] - 1 if number + 1 < len(self._places) else len(self.text)
        return min(self._places[number] + position - self._starts[number], end)
