"""Removes particles and endings from Korean words (SPEC 19.4)."""

from ...basics.tables import read_words

_ENDINGS = frozenset(read_words("words", "hangul_endings"))
_LONGEST = max(map(len, _ENDINGS))

STOP_WORDS = frozenset(read_words("words", "hangul_stop_words"))

# Words that are seldom the subject of a prompt, and the beginnings of the forms of such words.
WEAK_WORDS = frozenset(read_words("words", "hangul_weak_words"))
WEAK_BEGINNINGS = read_words("words", "hangul_weak_beginnings")


def strip_ending(word: str) -> str:
    """Return a word without the longest known ending; at least two syllables stay."""
    for length in range(min(_LONGEST, len(word) - 2), 0, -1):
        if word[-length:] in _ENDINGS:
            return word[:-length]
    return word


def is_weak_word(run: str) -> bool:
    """Whether a run of syllables, with or without an ending, is a word that gets less weight in a prompt."""
    return run.startswith(WEAK_BEGINNINGS) or run in WEAK_WORDS or strip_ending(run) in WEAK_WORDS
