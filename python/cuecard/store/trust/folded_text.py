"""Folds a text to its letters and digits, so that copies are found whatever their blanks, marks and look-alikes are."""

import unicodedata

from ..._backend import read_characters
from ...basics.tables import read_lines

_FILE = "instruction_signs"


def fold_letters(text: str) -> str:
    """Return the letters and digits of a text in one form; everything between them is left out.

    Letters lose their case and their marks, letters of other shapes become plain, and letters that look like ASCII
    letters become those. Katakana become hiragana.
    """
    return text.translate(_letters)


class _Letters(dict[int, str]):
    """A table for `str.translate` that folds each character when it is first needed."""

    def __init__(self) -> None:
        super().__init__()
        self._shapes: dict[str, str] = {}
        self._alike: dict[int, str] = {}

    def __missing__(self, point: int) -> str:
        if not self._shapes:
            self._shapes, self._alike = read_characters(read_lines(_FILE, "characters"))
        char = self._shapes.get(chr(point), chr(point))
        folded = [one for one in unicodedata.normalize("NFKD", char).casefold() if one.isalnum()]
        made = self[point] = "".join([self._plain(one) for one in folded])
        return made

    def _plain(self, char: str) -> str:
        if "\u30a1" <= char <= "\u30f6":
            char = chr(ord(char) - 0x60)
        return self._alike.get(ord(char), char)


_letters = _Letters()
