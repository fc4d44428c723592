"""Words that one or two typing errors tell apart, and words written in one (SPEC 22.9)."""

from .stem import stem
from .terms import lower_ascii

# Words of so many letters may differ in two places.
LONG = 9
# Each half of a word written in one has so many letters.
HALF_LENGTH = 4


def is_near(a: str, b: str) -> bool:
    """Whether two words differ in one place, long ones in two at most: by a letter more, another one, or two neighbours
    that have changed places."""
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
    """The terms of both halves of a word of ASCII letters, for each place where it may be two words written in one."""
    letters = lower_ascii(word)
    if not (letters.isascii() and letters.isalpha()):
        return []
    places = range(HALF_LENGTH, len(letters) - HALF_LENGTH + 1)
    return [(stem(letters[:place]), stem(letters[place:])) for place in places]
