"""Gives half-width characters, Hangul letters and the vowel "am" their usual forms, and composes texts (SPEC 2.5)."""

from ...basics.tables import read_rows
from .compose import FIRST_SYLLABLE, LAST, VOWELS, compose

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Hangul letters by their place in a syllable, in the order of the syllables.
LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
TAILS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"

_HALF_WIDTH = "[\uff65-\uffdc]"
# A consonant behind a vowel ends the syllable, unless a vowel follows it.
_LETTERS = f"([{LEADS}])([\u314f-\u3163])(?:([{TAILS}])(?![\u314f-\u3163]))?"
# The two parts of the vowel "am", perhaps with a tone mark between them.
_AM = "\u0e4d([\u0e48-\u0e4b\u0ec8-\u0ecb]?)\u0e32|\u0ecd([\u0e48-\u0e4b\u0ec8-\u0ecb]?)\u0eb2"


def full_forms(text: str) -> str:
    """The composed text, with half-width katakana and Hangul in their usual forms, and with Hangul letters joined to
    syllables."""
    if text.isascii():
        return text
    if any(_has_other_form(char) for char in set(text)):
        # Loaded late, because few texts have such characters.
        import re

        text = re.sub(_HALF_WIDTH, _widen, text)
        text = re.sub(_AM, _join_am, re.sub(_LETTERS, _join_letters, text))
    return compose(text)


def _has_other_form(char: str) -> bool:
    """Whether a character is half-width, a vowel of Hangul, or the sign that begins a Thai or Lao "am"."""
    return "\uff65" <= char <= "\uffdc" or "\u314f" <= char <= "\u3163" or char in "\u0e4d\u0ecd"


def _widen(found: "re.Match[str]") -> str:
    if not _wide:
        _wide.update([(chr(half), chr(wide)) for half, wide in read_rows("composition", "wide_forms")])
    return _wide.get(found[0], found[0])


def _join_letters(found: "re.Match[str]") -> str:
    """The syllable of Hangul letters."""
    lead, vowel, tail = LEADS.index(found[1]), ord(found[2]) - 0x314F, TAILS.index(found[3]) + 1 if found[3] else 0
    return chr(FIRST_SYLLABLE + (lead * VOWELS + vowel) * LAST + tail)


def _join_am(found: "re.Match[str]") -> str:
    """The vowel of its two parts; a tone mark between them goes before it."""
    return found[1] + "\u0e33" if found[1] is not None else found[2] + "\u0eb3"


_wide: dict[str, str] = {}
