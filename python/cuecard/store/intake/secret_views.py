"""Views of a text that make hidden secrets visible: plain letters, line breaks, long words.

Rules: docs/reference/secrets.md.
"""

import re
from bisect import bisect_right
from functools import cache

from ..._backend import SEPARATOR, classify

# The characters that separate words. `plain_letters` has already replaced wide blanks with plain blanks.
BLANKS = " \t\r\n"


def plain_letters(text: str) -> str:
    """Return the text with full-width and mathematical letters as ASCII, and with every wide blank as a blank.

    The two characters `\\n` of an escaped line end become two line ends. Every character is replaced by one character,
    so that a position in the result is the same position in the text.
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
    # Thirteen alphabets of bold, italic and other mathematical letters, then five sets of digits.
    table |= {0x1D400 + place: letters[place % 52] for place in range(13 * 52)}
    table |= {0x1D7CE + place: str(place % 10) for place in range(50)}
    return table | dict.fromkeys([0xA0, 0x2007, 0x202F, 0x3000], " ")


def folded(text: str) -> str:
    """Return the text with A to Z in lower case, and every other character unchanged."""
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def is_letter(char: str) -> bool:
    """Whether a character is an ASCII letter, or a character beyond ASCII that is part of words (SPEC 19.1)."""
    return char.isalpha() if char.isascii() else classify(char) != SEPARATOR


def is_letter_or_digit(char: str) -> bool:
    """Whether a character is a letter, or 0 to 9."""
    return char.isalnum() if char.isascii() else is_letter(char)


# A line break in the middle of a token, with the characters that editors, string literals, quoted mails and lists put
# around it.
_BREAK = re.compile(
    r"(?P<before>[A-Za-z0-9_+/=.-])"
    r"(?P<gap>[\"'`]?[ \t]{0,8}[+.\\]?[ \t]{0,8}(?:\n[ \t]{0,40}(?:[>#*|+-][ \t]{1,8})?){1,2}[+.]?[ \t]{0,8}[\"'`]?)"
)


def line_breaks(text: str) -> list[tuple[int, int]]:
    """Return start and end of every gap that may split a token. The gaps are in order and do not overlap."""
    return [match.span("gap") for match in _BREAK.finditer(text)]


# A token that a rule can find without a name before it has at least this many characters.
LONG_CHARS = 16
_LONG_WORD = re.compile(rf"[^ \t\r\n]{{{LONG_CHARS},}}")


class LongWords:
    """The long words of a text, one per line. Ordinary text has few, so searching them many times costs little."""

    def __init__(self, text: str) -> None:
        """Collect the long words of `text`."""
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
        """Return the number to add to a position in the words to get the position in the text."""
        number = bisect_right(self._places, place) - 1
        return self._starts[number] - self._places[number]

    def place_of(self, position: int) -> int:
        """Return the position in the words for a position in the text; outside of words, the end of the last word."""
        number = bisect_right(self._starts, position) - 1
        if number < 0:
            return 0
        end = self._places[number + 1] - 1 if number + 1 < len(self._places) else len(self.text)
        return min(self._places[number] + position - self._starts[number], end)
