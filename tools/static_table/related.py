"""Terms that mean nearly the same: for each term the nearest others.

How near two words are is the mean of two cosines: of their vectors by the table, which learned from text about software
but knows words by their pieces, and of those by the teacher, which takes words whole. Vectors are whole numbers: so are
their products in f64, in whatever order a library adds, and the result is the same on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cuecard.text.stem import stem
from cuecard.text.term_words import STOP_WORDS
from cuecard.text.terms import document_terms

if TYPE_CHECKING:
    from collections import Counter

MAX_WORDS = 25_000
MIN_COUNT = 4
MIN_LETTERS = 3
MAX_ENGLISH = 8
MAX_KOREAN = 4
# In 1/256: more than 0.5.
MIN_COSINE = 129
LARGEST_COSINE = 255
# Words with a piece in common are near one another by the table for that alone: `cach|ing` and `it|ching`. They must be
# so by the teacher, too; in 1/256.
MIN_TAUGHT = 166
# Words nearest to a word that are looked at; some are forms of one term.
_LOOKED_AT = 64
_BLOCK = 512


def frequent_words(pieces: list[str], counts: Counter[str]) -> list[str]:
    """The English words that get neighbours: whole-word pieces, then frequent words of the corpus."""
    whole = [piece for piece in pieces if _is_wanted(piece)]
    known = set(whole)
    often = [word for word, count in counts.items() if count >= MIN_COUNT and _is_wanted(word) and word not in known]
    often.sort(key=lambda word: (-counts[word], word))
    return whole + often[: max(0, MAX_WORDS - len(whole))]


def relate(
    words: list[str], pieces: list[frozenset[int]], by_table: np.ndarray, by_teacher: np.ndarray
) -> dict[str, list[tuple[str, int]]]:
    """For each word, as a term, the terms of the nearest others with their cosines in 1/256, the nearest first.

    Of each word the pieces, and vectors of whole numbers by the table and by the teacher.
    """
    terms = [_term_of(word) for word in words]
    nearest: dict[str, dict[str, int]] = {}
    for begin in range(0, len(words), _BLOCK):
        end = begin + _BLOCK
        taught = _cosines(by_teacher, begin, end)
        means = ((_cosines(by_table, begin, end) + taught) // 2).astype(np.int16)
        for place, order in enumerate(np.argsort(-means, axis=1, kind="stable")[:, :_LOOKED_AT]):
            number = begin + place
            found = nearest.setdefault(terms[number], {})
            for other in order:
                cosine = int(means[place, other])
                is_shared = not pieces[number].isdisjoint(pieces[other])
                is_near = cosine >= MIN_COSINE and (taught[place, other] >= MIN_TAUGHT or not is_shared)
                if is_near and terms[other] not in ("", terms[number]):
                    found[terms[other]] = max(cosine, found.get(terms[other], 0))
    return {term: _choose(found) for term, found in nearest.items() if found and term}


def _cosines(vectors: np.ndarray, begin: int, end: int) -> np.ndarray:
    """The cosines of some vectors to all, in 1/256."""
    vectors = vectors.astype(np.float64)
    lengths = np.sqrt((vectors * vectors).sum(1))
    cosines = vectors[begin:end] @ vectors.T / (lengths[begin:end, None] * lengths)
    return np.minimum(np.floor(256 * cosines), LARGEST_COSINE)


def _choose(found: dict[str, int]) -> list[tuple[str, int]]:
    """The nearest of each language, together in their order."""
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    english = [pair for pair in ordered if pair[0].isascii()][:MAX_ENGLISH]
    korean = [pair for pair in ordered if not pair[0].isascii()][:MAX_KOREAN]
    return [pair for pair in ordered if pair in english or pair in korean]


def _is_wanted(word: str) -> bool:
    return len(word) >= MIN_LETTERS and word.isascii() and word.isalpha() and word not in STOP_WORDS


def _term_of(word: str) -> str:
    if word.isascii():
        return stem(word)
    # A Korean stop word has none.
    return next(iter(document_terms(word)), "")
