"""Tells whether a text may have a secret, so that it is not stored (SPEC 38.1).

This is a cheap upper bound. Where texts are redacted, `store.intake` finds the secrets themselves.
"""

import re

from ...basics.chars import WHITESPACE, fold
from ...basics.tables import read_words
from .substance import join_words

# A chunk of this many characters with digits and letters may be a secret.
MIN_CHARS = 8
# As many short words in a row may be a recovery phrase.
PHRASE_WORDS = 12
SHORTEST, LONGEST = 3, 8
QUOTES = " \"'`"
# So many ASCII letters and digits in a row may be a secret as well.
_LONG_RUN = re.compile("[A-Za-z0-9]{20}")
_BLANKS = {ord(char): " " for char in WHITESPACE}


def may_have_secret(text: str) -> bool:
    """Whether a text may have a secret.

    It may if it has a long chunk of digits and letters, a word for a secret, an address with a user, or many short
    words in a row.
    """
    joined = join_words(text)
    chunks = [chunk for chunk in text.translate(_BLANKS).split(" ") if chunk]
    return (
        any(name in joined for name in read_words("secret_words", "names"))
        or "-----BEGIN" in text
        or any(map(is_possible_secret, chunks))
        or _has_assignment(text)
        or _has_phrase(chunks)
    )


def is_possible_secret(chunk: str) -> bool:
    """Whether a chunk without white space may be a secret."""
    has_digit = any("0" <= char <= "9" for char in chunk)
    has_letter = any(char >= "\x80" or char.isalpha() for char in chunk)
    has_user = "@" in chunk.partition("://")[2]
    return (has_digit and has_letter and len(chunk) >= MIN_CHARS) or has_user or _LONG_RUN.search(chunk) is not None


def _has_assignment(text: str) -> bool:
    words = read_words("secret_words", "assigned")
    starts = fold(text).replace("\uff1a", ":").replace("=", ":").split(":")[:-1]
    return any(before.rstrip(QUOTES).endswith(words) for before in starts)


def _has_phrase(chunks: list[str]) -> bool:
    row = 0
    for chunk in chunks:
        is_word = SHORTEST <= len(chunk) <= LONGEST and chunk.isascii() and chunk.isalpha() and chunk.islower()
        row = row + 1 if is_word else 0
        if row == PHRASE_WORDS:
            return True
    return False
