"""Recognises what users and agents say about ending and saving, in several languages (docs/reference/ledger.md)."""

from ..._backend import join_words
from ...basics.tables import read_words

# An apology is only searched for in this many characters at the beginning.
FIRST_CHARS = 80


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
    joined = join_words(text)
    return any(phrase in joined for phrase in _phrases(table))


def _phrases(table: str) -> tuple[str, ...]:
    return read_words("capture_phrases", table)
