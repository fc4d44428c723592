"""Tells of a typed prompt whether it counts for the ledger, and whether it may be a wish to remember (SPEC 30.5)."""

import re

from ...basics.chars import WHITESPACE
from ...basics.tables import read_words
from .cues import find_cues, split_words
from .letters import IDEOGRAPHS, SEPARATOR, UNSPACED, classify

MIN_WORDS = 5
MIN_SIGNS = 6
REMEMBER = ("remember", "remember place", "remember anywhere")

_BLANK = re.compile(f"[{re.escape(WHITESPACE)}]")


def is_substantial(text: str) -> bool:
    """Whether a prompt is not small talk, and has at least five words, or six characters of a script without blanks."""
    words = sum(any(map(_is_of_word, word)) for word in _BLANK.split(text))
    signs = sum(map(_is_without_blanks, text))
    return (words >= MIN_WORDS or signs >= MIN_SIGNS) and "chat" not in find_cues(text)


def may_say_remember(text: str) -> bool:
    """Whether a prompt has a verb with which users ask to remember something, at any place."""
    joined = join_words(text)
    return any(phrase in joined for table in REMEMBER for phrase in read_words("capture_phrases", table))


def join_words(text: str) -> str:
    """The words of a text with a `+` before and after each word, which is the form of the entries in the tables."""
    return "+" + "".join([word + "+" for word in split_words(text)])


def _is_of_word(char: str) -> bool:
    return char.isalnum() if char.isascii() else classify(char) != SEPARATOR


def _is_without_blanks(char: str) -> bool:
    return not char.isascii() and classify(char) in (IDEOGRAPHS, UNSPACED)
