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
# What surrounds a word in a note.
AROUND = "`\"',;:.()"
# Stands for a word that may be a secret.
LEFT_OUT = "[left out]"
MAX_NOTE_CHARS = 500
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
        or any(map(_is_possible_secret, chunks))
        or _has_assignment(text)
        or _has_phrase(chunks)
    )


def legible_note(note: str) -> str:
    """Return a note for a log as one line of at most 500 characters, without the words that may be secrets (SPEC 14.4).

    It may repeat what somebody typed.
    """
    words = "".join([" " if char < " " or char == "\x7f" else char for char in note]).split(" ")
    return " ".join([LEFT_OUT if _may_be_secret(word) else word for word in words])[:MAX_NOTE_CHARS]


def _may_be_secret(word: str) -> bool:
    """Whether a word of a note may be a secret. Paths are no secrets."""
    inner = word.strip(AROUND)
    is_url = "://" in inner
    if ("/" in inner and not is_url) or inner.endswith(".json"):
        return False
    # The names of settings have dots between short words, and an address has parts as well.
    parts = inner.replace("/", ".").replace(":", ".") if is_url else inner
    return any(map(_is_possible_secret, parts.split("."))) or _has_user(inner)


def _is_possible_secret(chunk: str) -> bool:
    has_digit = any("0" <= char <= "9" for char in chunk)
    has_letter = any(char >= "\x80" or char.isalpha() for char in chunk)
    is_long = has_digit and has_letter and len(chunk) >= MIN_CHARS
    return is_long or _has_user(chunk) or _LONG_RUN.search(chunk) is not None


def _has_user(chunk: str) -> bool:
    """Whether a chunk is an address with a user, who may have a password."""
    return "@" in chunk.partition("://")[2]


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
