"""Estimates from words and signs how much the entries of a ledger have to teach (docs/reference/ledger.md, point 7)."""

from collections.abc import Iterable
from functools import lru_cache

from ..._backend import join_words
from ...basics.tables import read_words
from .ledger_lines import Entry, corrections_of, is_substantial_prompt, own_words_of

FILE = "lasting_words"
# The points for words of a table, and what takes points away. `tools/measure_capture.py --curve` measures them.
POINTS = {"lasts": 3, "obliges": 2, "prefers": 2, "decides": 1, "reasons": 1}
CORRECTS, ASKS, LONG = 1, -3, -5
QUESTION = -5
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
# In so many characters at the beginning, words of `corrects` count.
FIRST_CHARS = 40
# A prompt with more characters or lines is rather a task or a paste than a statement.
MAX_CHARS, MAX_LINES = 500, 7
# The weight of a prompt with at least so many points. One with less than the first has none.
WEIGHTS = ((6, 8), (3, 5), (1, 2), (0, 1))
# What the agent found out: a command that passed at last, a file that was put back.
FOUND_OUT = 8
# The most that an entry weighs that corrects nothing.
MOST = 8


def weight_of(entry: Entry, correction: int) -> int:
    """How much an entry has to teach; `correction` is the weight of one that corrects the agent or answers it."""
    if corrections_of(entry):
        return correction
    if entry["k"] in ("passed", "reverted"):
        return FOUND_OUT
    if not is_substantial_prompt(entry):
        return 0
    points = _points(own_words_of(entry))
    return next((weight for least, weight in WEIGHTS if points >= least), 0)


def weigh(entries: Iterable[Entry], correction: int) -> int:
    """The sum of the weights of some entries."""
    return sum([weight_of(entry, correction) for entry in entries])


def speaks_of_user(entry: Entry) -> bool:
    """Whether the user says in an entry how they want to work in every project ("I always want ...")."""
    return is_substantial_prompt(entry) and _has(join_words(own_words_of(entry)), "of the user")


@lru_cache(1024)
def _points(own_words: str) -> int:
    text = own_words.strip()
    words = join_words(text)
    points = sum([value for table, value in POINTS.items() if _has(words, table)])
    points += CORRECTS * _has(words[:FIRST_CHARS], "corrects")
    points += ASKS * words.startswith(read_words(FILE, "asks"))
    points += QUESTION * text.endswith(QUESTION_MARKS)
    return points + LONG * (len(text) > MAX_CHARS or text.count("\n") >= MAX_LINES)


def _has(words: str, table: str) -> bool:
    return any(phrase in words for phrase in read_words(FILE, table))
