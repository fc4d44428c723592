"""Stop words of the lexical retriever, and words that get less weight in a prompt (SPEC 19.5)."""

from ...basics.tables import read_words
from . import hangul

STOP_WORDS = frozenset(read_words("words", "stop_words"))
WEAK_WORDS = frozenset(read_words("words", "weak_words"))


def is_weak_word(word: str) -> bool:
    """Whether a word in lower case, or a run of Hangul, gets less weight in a prompt."""
    return word in WEAK_WORDS or ("\uac00" <= word[:1] <= "\ud7a3" and hangul.is_weak_word(word))
