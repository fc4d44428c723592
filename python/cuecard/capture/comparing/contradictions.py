"""Finds statements that contradict each other. A missed contradiction is better here than a false contradiction.

Rules: docs/reference/consolidation.md, "Contradictions".
"""

import re
from collections import defaultdict
from dataclasses import dataclass

from ..._backend import KEYWORD_STOP_WORDS as STOP_WORDS
from ...basics.tables import read_words
from ...store.records.memory import Memory
from .similarity import split_words

_FILE = "contradictions"
NEGATIONS = frozenset(read_words(_FILE, "negations"))
OPPOSITES = tuple([frozenset(pair.split("/")) for pair in read_words(_FILE, "opposites")])
NUMBERS = frozenset(read_words(_FILE, "numbers"))
# Two statements are compared if their subjects share at least this many words and this share of all their words. A
# contradiction of numbers alone needs the higher share.
MIN_SHARED = 2
MIN_SHARE = 0.6
MIN_SHARE_OF_NUMBERS = 0.8
# If a word is in more statements than this, only the first statements are compared.
MAX_STATEMENTS_OF_WORD = 200
# At most this many sentences of a memory are read. The title is the first of them.
MAX_STATEMENTS = 12
_SENTENCE_END = re.compile(r"(?<=[.!?;。])\s+|\n+")
_POLAR = NEGATIONS.union(*OPPOSITES)
# The main content field of each category. Runbooks and session summaries are left out: they describe situations.
_CLAIMS = {"decision": "decision", "constraint": "rule", "preference": "value", "tech_debt": "description"}
# Text in parentheses is ignored: `(if you do not ...)` denies nothing.
_ASIDE = re.compile(r"\([^()]*\)")


@dataclass(frozen=True)
class Statement:
    """A sentence of a memory, as sets of words."""

    text: str
    subject: frozenset[str]
    """The words of the subject: without stop words, numbers, negations and words that have an opposite."""
    polar: frozenset[str]
    numbers: frozenset[str]
    negations: int


class Claims:
    """The statements of memories, indexed by the words of their subjects."""

    def __init__(self) -> None:
        self._claims: list[tuple[Memory, Statement]] = []
        self._of_word: dict[str, list[int]] = defaultdict(list)

    def add(self, memory: Memory) -> None:
        """Add the statements of a memory."""
        for statement in statements(memory):
            for word in statement.subject:
                self._of_word[word].append(len(self._claims))
            self._claims.append((memory, statement))

    def find_opposed(self, memory: Memory) -> list[tuple[Memory, str]]:
        """The added memories that contradict `memory`, each with the reason, in the order in which they were added."""
        found: dict[str, tuple[int, Memory, str]] = {}
        for statement in statements(memory):
            shared: dict[int, int] = defaultdict(int)
            for word in statement.subject:
                for number in self._of_word.get(word, [])[:MAX_STATEMENTS_OF_WORD]:
                    shared[number] += 1
            for number in sorted(shared):
                other, against = self._claims[number]
                if shared[number] < MIN_SHARED or other.path in found or other.path == memory.path:
                    continue
                why = oppose(against, statement)
                if why:
                    found[other.path] = number, other, f"{why} in `{against.text}` and `{statement.text}`"
        return [(other, why) for _number, other, why in sorted(found.values(), key=lambda each: each[0])]


def statements(memory: Memory) -> list[Statement]:
    """The title of a memory, and the sentences of its main content field, such as `rule` of a constraint.

    Empty for runbooks and session summaries.
    """
    claim = _CLAIMS.get(memory.category)
    if claim is None:
        return []
    content = memory.record.get("content")
    text = content.get(claim) if isinstance(content, dict) else ""
    sentences = [memory.title, *_SENTENCE_END.split(text if isinstance(text, str) else "")]
    return [_read(sentence) for sentence in dict.fromkeys(sentences[:MAX_STATEMENTS]) if sentence.strip()]


def oppose(a: Statement, b: Statement) -> str:
    """Why two statements cannot both be true; "" if their words show no contradiction."""
    shared, union = a.subject & b.subject, a.subject | b.subject
    if len(shared) < MIN_SHARED or len(shared) < MIN_SHARE * len(union):
        return ""
    opposite = opposite_words(a.polar, b.polar)
    if opposite:
        return opposite
    if a.negations % 2 != b.negations % 2:
        return "only one of the two is negated"
    if len(shared) >= MIN_SHARE_OF_NUMBERS * len(union) and len(shared) > MIN_SHARED:
        return other_numbers(a.numbers, b.numbers)
    return ""


def opposite_words(a: frozenset[str], b: frozenset[str]) -> str:
    """The first pair of opposite words with one word in `a` and the other in `b`, as text; "" if there is none."""
    for pair in OPPOSITES:
        of_a, of_b = a & pair, b & pair
        if len(of_a) == len(of_b) == 1 and of_a != of_b:
            return f"`{min(of_a)}` against `{min(of_b)}`"
    return ""


def other_numbers(a: frozenset[str], b: frozenset[str]) -> str:
    """The numbers that only `a` has and the numbers that only `b` has, as text; "" if one side has none."""
    of_a, of_b = sorted(a - b), sorted(b - a)
    return f"`{' '.join(of_a)}` against `{' '.join(of_b)}`" if of_a and of_b else ""


def is_number(word: str) -> bool:
    """Whether a word is a number, a version, or a name that contains a digit."""
    return word in NUMBERS or any(char.isdigit() for char in word)


def count_negations(words: list[str]) -> int:
    """The number of negations among words."""
    return sum([word in NEGATIONS or word.endswith("n't") for word in words])


def _read(sentence: str) -> Statement:
    words = split_words(_ASIDE.sub(" ", sentence))
    said = frozenset(words)
    numbers = frozenset([word for word in said if is_number(word)])
    subject = frozenset([_root(word) for word in said - STOP_WORDS - _POLAR - numbers if not word.endswith("n't")])
    return Statement(sentence, subject, said & _POLAR, numbers, count_negations(words))


def _root(word: str) -> str:
    """A word without a plural `s`."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
