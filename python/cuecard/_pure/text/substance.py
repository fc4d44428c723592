"""Tells of a typed prompt whether it counts for the ledger, and whether it may be a wish to remember (SPEC 30.5)."""

import re

from ...basics.chars import WHITESPACE
from ...basics.tables import read_words
from .cues import find_cues, split_words
from .letters import HANGUL, IDEOGRAPHS, SEPARATOR, UNSPACED, classify

MIN_WORDS = 5
MIN_SIGNS = 6
REMEMBER = ("remember", "remember place", "remember anywhere")
# These numbers of words and letters are enough too: some languages say in three words what takes six in English.
MIN_LONG_WORDS = 3
MIN_LETTERS = 22

_BLANK = re.compile(f"[{re.escape(WHITESPACE)}]")


def is_substantial(text: str) -> bool:
    """Whether a prompt is not small talk, and has five words, three long ones, or six characters without blanks.

    The characters are those of scripts that put no blanks between words. A syllable of Hangul counts as two letters.
    """
    words = sum(any(map(_is_of_word, word)) for word in _BLANK.split(text))
    is_enough = (
        words >= MIN_WORDS
        or (words >= MIN_LONG_WORDS and sum(map(_letters_of, text)) >= MIN_LETTERS)
        or sum(map(_is_without_blanks, text)) >= MIN_SIGNS
    )
    return is_enough and "chat" not in find_cues(text)


def may_say_remember(text: str) -> bool:
    """Whether a prompt has a verb with which users ask to remember something, at any place."""
    joined = join_words(text)
    return any(phrase in joined for table in REMEMBER for phrase in read_words("capture_phrases", table))


def join_words(text: str) -> str:
    """The words of a text with a `+` before and after each word, which is the form of the entries in the tables."""
    return "+" + "".join([word + "+" for word in split_words(text)])


def _letters_of(char: str) -> int:
    if char.isascii():
        return int(char.isalpha())
    kind = classify(char)
    return 0 if kind == SEPARATOR else 2 if kind == HANGUL else 1


def _is_of_word(char: str) -> bool:
    return char.isalnum() if char.isascii() else classify(char) != SEPARATOR


def _is_without_blanks(char: str) -> bool:
    return not char.isascii() and classify(char) in (IDEOGRAPHS, UNSPACED)
