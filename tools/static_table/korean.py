"""Makes vectors of Korean words: the mean direction and mean length of the English words in `korean.txt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cuecard._pure.text.terms import hangul_word

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read_glosses(path: Path) -> dict[str, list[str]]:
    """The English words of each Korean word, and of its stem if the engine removes an ending from it.

    Raises ValueError if a word is in the file twice.
    """
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    glosses = {word: english.split() for word, english in (line.split("  ") for line in lines)}
    if len(glosses) < len(lines):
        raise ValueError("a word is in the file twice")
    stems = {hangul_word(word): english for word, english in glosses.items()}
    return {**{stem: english for stem, english in stems.items() if len(stem) > 1}, **glosses}


def gloss_vectors(glosses: dict[str, list[str]], vector_of: Callable[[str], np.ndarray]) -> np.ndarray:
    """A vector for each Korean word, in the order of the glosses; `vector_of` returns the vector of an English word."""
    found = []
    for words in glosses.values():
        vectors = np.array([vector_of(word) for word in words], np.float64)
        lengths = np.linalg.norm(vectors, axis=1)
        direction = (vectors / lengths[:, None]).mean(0)
        found.append(direction / np.linalg.norm(direction) * lengths.mean())
    return np.array(found)
