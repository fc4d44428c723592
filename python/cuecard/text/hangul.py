"""Korean words without their particles and endings (SPEC 19.4)."""

from ..basics.tables import read_words

_ENDINGS = frozenset(read_words("words", "hangul_endings"))
_LONGEST = max(map(len, _ENDINGS))

STOP_WORDS = frozenset(read_words("words", "hangul_stop_words"))

# Words that are seldom what a prompt is about, and what the forms of such words begin with.
WEAK_WORDS = frozenset(read_words("words", "hangul_weak_words"))
WEAK_BEGINNINGS = read_words("words", "hangul_weak_beginnings")


def strip_ending(word: str) -> str:
    """The word without the longest ending of the table that leaves two syllables."""
    for length in range(min(_LONGEST, len(word) - 2), 0, -1):
        if word[-length:] in _ENDINGS:
            return word[:-length]
    return word


def is_weak_word(run: str) -> bool:
    """Whether a run of syllables, perhaps with an ending, counts for less in a prompt."""
    return run.startswith(WEAK_BEGINNINGS) or run in WEAK_WORDS or strip_ending(run) in WEAK_WORDS
