"""Finds out whether a text repeats another one: copied, reordered, with other words between, or in parts (SPEC 45.7).

Texts are compared by their folded letters and not by their words, because many scripts have no blanks between words.
Lengths are counted in letters. A letter that says more counts more: `weigh` has the table.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .folded_text import fold_letters

# A run of letters that two texts have in common counts from this length on.
MIN_RUN = 16
# One common run of this length makes a copy: about nine words. Shorter ones are phrases that many texts have.
LONG_RUN = 48
# So do shorter runs that have this length together, and this share of the shorter of the two texts.
MIN_TOTAL, MIN_SHARE = 40, 0.4
# For short texts, it is enough that nearly all of the shorter text is common.
WHOLE_SHARE = 0.8
# So does this share of the pieces of the shorter text, whose order does not count. It finds texts that are reworded.
PIECES_SHARE, MIN_PIECES = 0.6, 24
# At so many places a seed is looked for in the new text, which keeps the time linear.
MAX_PLACES = 4
# In a memory with at most this number of texts, those that are part of another one are left out.
MAX_TEXTS = 64
_END = "\0"


@dataclass(frozen=True)
class _Sizes:
    """How text of a script is compared: what a letter counts, and the lengths of seeds and pieces in letters."""

    weight: float
    seed: int
    """The length of a seed, which is looked up before a run is measured."""
    step: int
    """How far apart seeds are tried. A run of `MIN_RUN` has a seed at each step."""
    piece: int


_ALPHABET = _Sizes(1, 10, 4, 5)
# Scripts that leave out vowels, or whose vowel signs are left out as marks.
_CONSONANTS = _Sizes(1.5, 7, 3, 4)
_SYLLABLES = _Sizes(2, 5, 2, 3)
_IDEOGRAPHS = _Sizes(3, 4, 1, 2)
# The first character of each range, up to the next row.
_RANGES = (
    ("\0", _ALPHABET),
    ("\u0590", _CONSONANTS),
    ("\u1100", _ALPHABET),
    ("\u1200", _SYLLABLES),
    ("\u1780", _CONSONANTS),
    ("\u1800", _ALPHABET),
    ("\u3040", _SYLLABLES),
    ("\u3130", _ALPHABET),
    ("\u3400", _IDEOGRAPHS),
    ("\ua000", _SYLLABLES),
    ("\uac00", _ALPHABET),
    ("\U00020000", _IDEOGRAPHS),
    ("\U00030000", _ALPHABET),
)
_STARTS = [first for first, _sizes in _RANGES]


def weigh(text: str) -> float:
    """Return how much folded letters count: those of an alphabet 1, those without vowels 1.5, syllables 2, Han 3."""
    return len(text) if text.isascii() else sum([_sizes_of(char).weight for char in text])


class CopiedText:
    """A new text, given as the texts of a memory, that is compared with the texts of other memories."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Take the texts of the new memory. Texts that are part of another one are left out."""
        self._texts = _distinct(texts)
        self._letters = _END.join([fold_letters(text) for text in self._texts])
        self._size = weigh(self._letters.replace(_END, ""))
        self._seeds: dict[str, list[int]] = {}
        for place, char in enumerate(self._letters):
            places = self._seeds.setdefault(self._letters[place : place + _sizes_of(char).seed], [])
            if len(places) < MAX_PLACES:
                places.append(place)
        self._pieces = _pieces_of(self._letters.split(_END))
        self._words: list[int] = []

    def repeats(self, texts: Iterable[str], vouched: Sequence[str] = ()) -> bool:
        """Whether the new text repeats the texts of another memory.

        Runs that occur in `vouched`, which are the folded texts of memories that the user vouches for, do not count.
        """
        others = _distinct(texts)
        letters = [fold_letters(text) for text in others]
        size = min(self._size, sum([weigh(one) for one in letters]))
        if not size:
            return False
        runs: dict[str, None] = {}
        for text, folded in zip(others, letters, strict=True):
            runs.update(dict.fromkeys(self._runs_in(text, folded)))
        lengths = _lengths_of([run for run in runs if not any(run in known for known in vouched)])
        total = sum(lengths)
        if lengths and lengths[0] >= LONG_RUN:
            return True
        if total >= WHOLE_SHARE * size or (total >= MIN_TOTAL and total >= MIN_SHARE * size):
            return bool(lengths)
        return bool(lengths) and self._shares_pieces(letters)

    def _shares_pieces(self, letters: list[str]) -> bool:
        others = _pieces_of(letters)
        fewest = min(len(self._pieces), len(others))
        return fewest >= MIN_PIECES and len(self._pieces & others) >= PIECES_SHARE * fewest

    def _runs_in(self, text: str, letters: str) -> list[str]:
        """The runs of letters that a text has in common with the new text, without those within one word of both."""
        found: list[str] = []
        words: list[int] = []
        place = floor = 0
        while place < len(letters):
            sizes = _sizes_of(letters[place])
            best = (place, place, 0)
            for own in self._seeds.get(letters[place : place + sizes.seed], ()):
                best = max(best, self._extend(letters, place, own, floor), key=lambda one: one[1] - one[0])
            first, last, start = best
            if weigh(letters[first:last]) < MIN_RUN:
                place += sizes.step
                continue
            words = words or _word_starts([text])
            self._words = self._words or _word_starts(self._texts)
            run = letters[first:last]
            is_word = _is_within_word(words, first, last) and _is_within_word(self._words, start, start + len(run))
            if not is_word or weigh(run) > len(run):
                found.append(run)
            place = floor = last
        return found

    def _extend(self, letters: str, place: int, start: int, floor: int) -> tuple[int, int, int]:
        """The bounds of the longest common run through two places, and where it begins in the new text."""
        own, end, last = self._letters, place, start
        while place > floor and start > 0 and letters[place - 1] == own[start - 1]:
            place, start = place - 1, start - 1
        while end < len(letters) and last < len(own) and letters[end] == own[last]:
            end, last = end + 1, last + 1
        return place, end, start


def _sizes_of(char: str) -> _Sizes:
    return _ALPHABET if char.isascii() else _RANGES[bisect_right(_STARTS, char) - 1][1]


def _distinct(texts: Iterable[str]) -> list[str]:
    """Texts without those that are part of another one, such as a title that repeats the statement."""
    found = sorted(dict.fromkeys(texts), key=len, reverse=True)
    if len(found) > MAX_TEXTS:
        return found
    kept: list[str] = []
    for text in found:
        if text and not any(text in other for other in kept):
            kept.append(text)
    return kept


def _lengths_of(runs: Iterable[str]) -> list[float]:
    """The lengths of runs, the longest first; what a run has in common with longer ones is not counted again."""
    lengths, known = [], set[str]()
    for run in sorted(runs, key=weigh, reverse=True):
        pieces = _pieces_of([run])
        lengths.append(weigh(run) * len(pieces - known) / len(pieces))
        known |= pieces
    return lengths


def _pieces_of(letters: Sequence[str]) -> set[str]:
    found = set()
    for text in letters:
        for place, char in enumerate(text):
            piece = text[place : place + _sizes_of(char).piece]
            if len(piece) == _sizes_of(char).piece:
                found.add(piece)
    return found


def _word_starts(texts: Sequence[str]) -> list[int]:
    """The places at which words begin in folded texts that are joined with one character between them."""
    starts, place = [], 0
    for text in texts:
        for word in text.split():
            starts.append(place)
            place += len(fold_letters(word))
        place += len(_END)
    return starts


def _is_within_word(starts: Sequence[int], first: int, last: int) -> bool:
    """Whether no word begins behind the first and before the last place."""
    behind = bisect_right(starts, first)
    return behind == len(starts) or starts[behind] >= last
