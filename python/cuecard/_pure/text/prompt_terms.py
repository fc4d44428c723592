"""Turns a prompt into weighted terms (SPEC 19.7)."""

from .clusters import cluster_pairs, split_clusters
from .languages import function_words
from .letters import HANGUL, LETTER, UNSPACED
from .synonyms import find_others, read_synonyms
from .term_words import STOP_WORDS, is_weak_word
from .terms import (
    MAX_IDEOGRAPHS,
    MAX_TERM_BYTES,
    bigrams,
    fit,
    hangul_word,
    ideograph_words,
    kind_of,
    lower_ascii,
    short_word,
    split_chunks,
    unspaced_word,
    word_terms,
)

MAX_QUERY_TERMS = 1024
# In a text longer than twice this number, only this many characters at each end are read.
END_CHARS = 8192

# Weights in 1/256. A part of an identifier has full weight, because other texts write the parts as single words.
FULL = 256
WEAK = 154
SAME = 128
NEAR = 96
# The weight of a run of at least three syllables or ideographs, and of each pair of neighbours in the run.
RUN = 96


def query_terms(text: str, synonyms: list[list[str]]) -> list[tuple[str, int, str]]:
    """Return the distinct terms of a prompt, each with its weight from 1 to 256 and the chunk that it comes from.

    `synonyms` are groups of words in addition to the built-in groups. At most 1,024 terms are returned, in the order of
    their appearance.
    """
    chunks = split_chunks(ends(text))
    query = _Query(synonyms, function_words(chunks))
    for chunk in chunks:
        if len(query.found) >= MAX_QUERY_TERMS:
            break
        kind = kind_of(chunk)
        if kind == LETTER:
            query.add_word(chunk)
        elif kind == HANGUL:
            query.add_hangul(chunk)
        elif kind == UNSPACED:
            query.add_unspaced(chunk)
        else:
            query.add_ideographs(chunk)
    return [(term, weight, word) for term, (weight, word) in query.found.items()][:MAX_QUERY_TERMS]


def ends(text: str) -> str:
    """Return a long text without its middle: people ask their question before or after a pasted log."""
    return text if len(text) <= 2 * END_CHARS else f"{text[:END_CHARS]}\n{text[-END_CHARS:]}"


class _Query:
    """The terms found so far, and the last two words, with which the next word may form a phrase."""

    def __init__(self, synonyms: list[list[str]], function_words: frozenset[str]) -> None:
        self.found: dict[str, tuple[int, str]] = {}
        self._function_words = function_words
        self._before = ("", "")
        self._synonyms = read_synonyms(synonyms)

    def add_word(self, chunk: str) -> None:
        """Add the terms of a word in letters or of an identifier."""
        whole, parts = word_terms(chunk)
        lower = lower_ascii(chunk)
        if lower in self._function_words:
            whole, parts = "", []
        weight = WEAK if is_weak_word(lower) else FULL
        for term in (whole, *parts):
            if term:
                self._note(term, weight, chunk)
                self._expand(term, weight, chunk)
        first, second = self._before
        word = whole or lower
        if second:
            self._expand(second + word, FULL, chunk)
            if first:
                self._expand(first + second + word, FULL, chunk)
        self._before = (second, word)

    def add_hangul(self, run: str) -> None:
        """Add the terms of a run of Hangul syllables."""
        self._before = ("", "")
        word = hangul_word(run)
        if not word:
            return
        weight = WEAK if is_weak_word(run) else FULL
        if short := short_word(run):
            self._note(short, weight // 2, run)
        self._add_run(word, fit(word), weight, run)
        # The word may still have an unknown ending, so the longest beginning with synonyms is used. No key is longer
        # than a term.
        for length in range(min(len(word), MAX_TERM_BYTES), 1, -1):
            if self._expand(word[:length], weight, run):
                break

    def add_ideographs(self, run: str) -> None:
        """Add the terms of a run of Han and kana."""
        self._before = ("", "")
        for word in ideograph_words(run):
            if len(word) == 1 < len(run):
                self._note(word, RUN, word)
            else:
                self._add_run(word, word if len(word) <= MAX_IDEOGRAPHS else "", FULL, word)
        self._expand(run, FULL, run)

    def add_unspaced(self, run: str) -> None:
        """Add the terms of a run of another script without blanks."""
        self._before = ("", "")
        if len(split_clusters(run)) < 3:
            self._note(run, FULL, run)
        else:
            if word := unspaced_word(run):
                self._note(word, RUN, run)
            for pair in cluster_pairs(run):
                self._note(pair, RUN, run)
        self._expand(run, FULL, run)

    def _add_run(self, word: str, whole: str, weight: int, run: str) -> None:
        if len(word) < 3:
            self._note(word, weight, run)
            return
        share = weight * RUN >> 8
        if whole:
            self._note(whole, share, run)
        for pair in bigrams(word):
            self._note(pair, share, run)

    def _expand(self, key: str, weight: int, word: str) -> bool:
        """Add the synonyms of a term, or of the joined terms of a phrase. Returns whether it has any."""
        same, near, own = find_others("same", key), find_others("near", key), self._synonyms.get(key)
        if same:
            self._note_others(same.split(" "), weight * SAME >> 8, word)
        if near:
            self._note_others(near.split(" "), weight * NEAR >> 8, word)
        if own:
            self._note_others(own, weight * SAME >> 8, word)
        return bool(same or near or own)

    def _note_others(self, members: list[str], weight: int, word: str) -> None:
        for member in members:
            if "+" not in member:
                self._note(member, weight, word)
                continue
            for part in member.split("+"):
                if part not in STOP_WORDS:
                    self._note(part, weight >> 1, word)

    def _note(self, term: str, weight: int, word: str) -> None:
        known = self.found.get(term)
        if known is None or known[0] < weight:
            self.found[term] = (weight, word)
