"""Splits texts into the engine's words, and words into the pieces of the teacher's vocabulary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cuecard._pure.text.identifier import split_identifier
from cuecard._pure.text.letters import LETTER
from cuecard._pure.text.terms import kind_of, split_chunks

if TYPE_CHECKING:
    from pathlib import Path

CONTINUATION = "##"


def read_vocabulary(path: Path) -> dict[str, int]:
    """The pieces of letters and digits, with their numbers in the teacher's vocabulary."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {piece: number for number, piece in enumerate(lines) if re.fullmatch(r"(##)?[a-z0-9]+", piece)}


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; names in code are split into their words."""
    words = []
    for chunk in split_chunks(text):
        if kind_of(chunk) == LETTER:
            whole, parts = split_identifier(chunk)
            words += parts or [whole]
    return words


class Splitter:
    """Splits words into pieces. A piece is given by its place (its position in a vocabulary)."""

    def __init__(self, pieces: list[str]) -> None:
        """`pieces` is the vocabulary, in the order of the rows."""
        self._places = {piece: place for place, piece in enumerate(pieces)}
        self._known: dict[str, list[int]] = {}

    def split_text(self, text: str) -> list[int]:
        """The places of all pieces in a text."""
        return [place for word in words_of(text) for place in self.split_word(word)]

    def split_word(self, word: str) -> list[int]:
        """The places of a word's pieces: from left to right, always the longest piece that matches."""
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._split(word)
        return found

    def _split(self, word: str) -> list[int]:
        if word in self._places:
            return [self._places[word]]
        found = []
        begin = 0
        while begin < len(word):
            prefix = CONTINUATION if begin else ""
            ends = range(len(word), begin, -1)
            end = next((end for end in ends if prefix + word[begin:end] in self._places), None)
            if end is not None:
                found.append(self._places[prefix + word[begin:end]])
            begin = end or begin + 1
        return found
