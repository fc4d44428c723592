"""Finds terms with nearly the same meaning: for each term, the nearest other terms.

The similarity of two words is the mean of two cosines. One is the cosine of their vectors in the table, which was
trained on text about software, but splits words into pieces. The other is the cosine of the teacher's vectors, which
are computed from whole words. Vectors are whole numbers, so their products are exact in f64 in any order of summation,
and the result is the same on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cuecard._pure.text.stem import stem
from cuecard._pure.text.term_words import STOP_WORDS
from cuecard._pure.text.terms import document_terms

if TYPE_CHECKING:
    from collections import Counter

MAX_WORDS = 25_000
MIN_COUNT = 4
MIN_LETTERS = 3
MAX_ENGLISH = 8
MAX_KOREAN = 4
# In 1/256: the least cosine of related words, a little over 0.5.
MIN_COSINE = 129
LARGEST_COSINE = 255
# Words with a common piece, such as `cach|ing` and `it|ching`, are close in the table for that reason alone. So the
# cosine of their teacher's vectors must be at least this too, in 1/256.
MIN_TAUGHT = 166
# The number of nearest words considered for each word; several may be forms of one term.
_LOOKED_AT = 64
_BLOCK = 512


def frequent_words(pieces: list[str], counts: Counter[str]) -> list[str]:
    """The English words for which related words are found: whole-word pieces, then frequent words of the corpus."""
    whole = [piece for piece in pieces if _is_wanted(piece)]
    known = set(whole)
    often = [word for word, count in counts.items() if count >= MIN_COUNT and _is_wanted(word) and word not in known]
    often.sort(key=lambda word: (-counts[word], word))
    return whole + often[: max(0, MAX_WORDS - len(whole))]


def relate(
    words: list[str], pieces: list[frozenset[int]], by_table: np.ndarray, by_teacher: np.ndarray
) -> dict[str, list[tuple[str, int]]]:
    """For the term of each word, the nearest other terms with their cosines in 1/256, nearest first.

    For each word, `pieces` has its pieces, and `by_table` and `by_teacher` have its vectors as whole numbers.
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
    """The cosines of the vectors from `begin` to `end` with all vectors, in 1/256."""
    vectors = vectors.astype(np.float64)
    lengths = np.sqrt((vectors * vectors).sum(1))
    cosines = vectors[begin:end] @ vectors.T / (lengths[begin:end, None] * lengths)
    return np.minimum(np.floor(256 * cosines), LARGEST_COSINE)


def _choose(found: dict[str, int]) -> list[tuple[str, int]]:
    """The nearest terms, nearest first: at most `MAX_ENGLISH` English and `MAX_KOREAN` Korean terms."""
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    english = [pair for pair in ordered if pair[0].isascii()][:MAX_ENGLISH]
    korean = [pair for pair in ordered if not pair[0].isascii()][:MAX_KOREAN]
    return [pair for pair in ordered if pair in english or pair in korean]


def _is_wanted(word: str) -> bool:
    return len(word) >= MIN_LETTERS and word.isascii() and word.isalpha() and word not in STOP_WORDS


def _term_of(word: str) -> str:
    if word.isascii():
        return stem(word)
    # A Korean stop word has no term.
    return next(iter(document_terms(word)), "")
