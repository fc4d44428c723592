"""Computes scores of word translations from texts and their translations: IBM's model 1, in both directions."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    # The distinct words of an English text, and the distinct words of its translation.
    Pair = tuple[Sequence[str], Sequence[str]]

ROUNDS = 4
# A pair is ignored if the product of its two numbers of words is larger: it says little about single words.
MAX_PRODUCT = 900
MIN_SHARE = 1e-3
MIN_SCORE = 0.08
MOST = 6


def align(pairs: list[Pair]) -> dict[str, dict[str, float]]:
    """For each foreign word, its English words with scores up to 1, best first.

    The score is the geometric mean of the translation probabilities in both directions.
    """
    pairs = [pair for pair in pairs if pair[0] and pair[1] and len(pair[0]) * len(pair[1]) <= MAX_PRODUCT]
    there, back = _shares(pairs), _shares([(other, english) for english, other in pairs])
    found = {}
    for word, shares in there.items():
        scores = {english: math.sqrt(share * back.get(english, {}).get(word, 0)) for english, share in shares.items()}
        best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST]
        found[word] = {english: score for english, score in best if score > MIN_SCORE}
    return found


def _shares(pairs: list[Pair]) -> dict[str, dict[str, float]]:
    """For each word of the second texts, the probability of each word of the first texts as its translation."""
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    for english, other in pairs:
        for word in other:
            shares[word].update(dict.fromkeys(english, 1.0))
    for _ in range(ROUNDS):
        counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for english, other in pairs:
            for first in english:
                total = sum(shares[word].get(first, 1e-9) for word in other) + 1e-3
                for word in other:
                    counts[word][first] += shares[word].get(first, 1e-9) / total
        shares = {}
        for word, found in counts.items():
            total = sum(found.values())
            shares[word] = {first: count / total for first, count in found.items() if count / total > MIN_SHARE}
    return shares
