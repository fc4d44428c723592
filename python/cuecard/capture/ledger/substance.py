"""Decides whether a prompt is substantial, and recognises phrases of several languages (SPEC 56.6, 56.7)."""

import re

from ..._backend import IDEOGRAPHS, SEPARATOR, classify, find_cues
from ..._backend import words_of as split_words
from ...basics.chars import WHITESPACE
from ...basics.tables import read_words

MIN_WORDS = 5
MIN_SIGNS = 6
# Scripts without blanks between words, in addition to Han and kana: Thai and Lao, Burmese, Khmer.
WITHOUT_BLANKS = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"))
# An apology is only searched for in this many characters at the beginning.
FIRST_CHARS = 80

_SENTENCE_END = re.compile("[.!?:;\n,\u3002\uff01\uff0c]")
_BLANK = re.compile(f"[{re.escape(WHITESPACE)}]")


def is_substantial(own_words: str) -> bool:
    """Whether a prompt is not small talk, and has at least five words, or six characters of a script without blanks."""
    words = sum(any(map(_is_of_word, word)) for word in _BLANK.split(own_words))
    signs = sum(map(_is_without_blanks, own_words))
    return (words >= MIN_WORDS or signs >= MIN_SIGNS) and "chat" not in find_cues(own_words)


def says_remember(own_words: str) -> bool:
    """Whether the user asks to remember something."""
    begins, anywhere = _phrases("remember"), _phrases("remember anywhere")
    said = [_join(sentence) for sentence in _SENTENCE_END.split(own_words)]
    return any(sentence.startswith(begins) or any(phrase in sentence for phrase in anywhere) for sentence in said)


def says_handover(own_words: str) -> bool:
    """Whether the user hands the work over or stops for the day."""
    return _has(own_words, "hands_over")


def is_apology(text: str) -> bool:
    """Whether an agent's message begins with an apology or admits that the user is right."""
    return _has(text[:FIRST_CHARS], "apology")


def says_nothing_to_save(text: str) -> bool:
    """Whether an agent says that there is nothing to save."""
    return _has(text, "nothing")


def _has(text: str, table: str) -> bool:
    joined = _join(text)
    return any(phrase in joined for phrase in _phrases(table))


def _join(text: str) -> str:
    return "+" + "".join([word + "+" for word in split_words(text)])


def _phrases(table: str) -> tuple[str, ...]:
    return read_words("capture_phrases", table)


def _is_of_word(char: str) -> bool:
    return char.isalnum() if char.isascii() else classify(char) != SEPARATOR


def _is_without_blanks(char: str) -> bool:
    if char.isascii():
        return False
    return classify(char) == IDEOGRAPHS or any(first <= char <= last for first, last in WITHOUT_BLANKS)
