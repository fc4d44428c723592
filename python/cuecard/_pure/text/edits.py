"""Finds misspelled words: words with one or two typing errors, and two words written as one (SPEC 22.9)."""

from .stem import stem
from .terms import lower_ascii

# Words with at least this many letters may have two typing errors.
LONG = 9
# Each half of two words written as one has at least this many letters.
HALF_LENGTH = 4


def is_near(a: str, b: str) -> bool:
    """Whether two words differ by at most one typing error, or two errors if both are long.

    An error is an added, missing or different letter, or two neighbouring letters in the wrong order.
    """
    most = 2 if min(len(a), len(b)) >= LONG else 1
    if abs(len(a) - len(b)) > most:
        return False
    before: list[int] = []
    row = list(range(len(b) + 1))
    for place, letter in enumerate(a, 1):
        last, before, row = before, row, [place]
        for column, other in enumerate(b, 1):
            edits = min(before[column] + 1, row[-1] + 1, before[column - 1] + (letter != other))
            if place > 1 and column > 1 and letter == b[column - 2] and a[place - 2] == other:
                edits = min(edits, last[column - 2] + 1)
            row.append(edits)
        if min(row) > most:
            return False
    return row[-1] <= most


def halves(word: str) -> list[tuple[str, str]]:
    """Return the terms of both halves of a word, for each place where two words may have been written as one.

    A word with other characters than ASCII letters has no halves.
    """
    letters = lower_ascii(word)
    if not (letters.isascii() and letters.isalpha()):
        return []
    places = range(HALF_LENGTH, len(letters) - HALF_LENGTH + 1)
    return [(stem(letters[:place]), stem(letters[place:])) for place in places]
