"""Measures how similar two memories are: by embedding, by shared runs of three words, and by shared words.

Rules: docs/reference/consolidation.md, "Near-duplicates".
"""

import re
from dataclasses import dataclass

from ..._backend import engine, read_document
from ...basics.cosine import COSINE_ONE, cosine
from ...store.records.memory import Memory

# In two judged projects with 462 memories and no duplicates, no pair of memories reaches either value.
MIN_COSINE = 0.95
MIN_SHINGLES = 0.8
# Short texts often have similar embeddings, so this share of their words must be the same as well.
MIN_WORDS = 0.4
# Texts that share runs of words may be about two subjects, so their embeddings must have this cosine as well.
MIN_COSINE_OF_SHINGLES = 0.85
# Two embeddings with a cosine of `MIN_COSINE` differ in 13 of 128 signs on average, and in fewer than this many.
MAX_SIGNS_APART = 36
SHINGLE_WORDS = 3
_WORD = re.compile(r"\w+(?:['.]\w+)*")


@dataclass(frozen=True)
class Profile:
    """A memory, prepared for comparison."""

    memory: Memory
    row: list[int]
    norm: int
    signs: int
    """One bit for each value of the embedding: 1 if the value is above 0."""
    words: list[str]
    """The words of title and text in lower case, in order, with repetitions."""
    shingles: frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Similarity:
    """The similarity of two memories; every value is a share from 0 to 1."""

    cosine: float
    shingles: float
    """The share of all runs of three words that are in both memories."""
    words: float

    @property
    def is_near_duplicate(self) -> bool:
        """Whether both memories say the same, as far as these values can tell."""
        by_meaning = self.cosine >= MIN_COSINE and self.words >= MIN_WORDS
        return by_meaning or (self.shingles >= MIN_SHINGLES and self.cosine >= MIN_COSINE_OF_SHINGLES)

    def describe(self) -> str:
        """The values as a short text."""
        return f"cosine {self.cosine:.2f}, {self.shingles:.0%} of the runs of three words"


def split_words(text: str) -> list[str]:
    """The words of a text in lower case. `1.5` and `don't` are one word each."""
    return _WORD.findall(text.replace("\u2019", "'").lower())


def make_profile(memory: Memory) -> Profile | None:
    """The profile of a memory; None if it is not a valid memory."""
    document = read_document(memory.category, memory.path, memory.data)
    if isinstance(document, tuple):
        return None
    title, tags, _questions, body = document.fields()
    row, norm = engine.document_row(title, tags, body)
    words = split_words(f"{title}\n{body}")
    runs = range(max(1, len(words) - SHINGLE_WORDS + 1))
    shingles = frozenset([tuple(words[at : at + SHINGLE_WORDS]) for at in runs])
    signs = sum([1 << column for column, value in enumerate(row) if value > 0])
    return Profile(memory, row, norm, signs, words, shingles)


def compare(a: Profile, b: Profile) -> Similarity | None:
    """The similarity of two memories; None if they are certainly not near-duplicates."""
    if _have_other_subjects(a.memory, b.memory) or (a.signs ^ b.signs).bit_count() > MAX_SIGNS_APART:
        return None
    near = cosine(a.row, a.norm, b.row, b.norm) / COSINE_ONE
    if near < MIN_COSINE_OF_SHINGLES:
        return None
    return Similarity(near, _share(a.shingles, b.shingles), _share(frozenset(a.words), frozenset(b.words)))


def _have_other_subjects(a: Memory, b: Memory) -> bool:
    """Whether the titles of two runbooks name different things: their texts often differ in nothing else."""
    if a.category != "runbook" or b.category != "runbook":
        return False
    own, other = ({*split_words(str(memory.record.get("title", "")))} for memory in (a, b))
    return bool(own - other and other - own)


def words_only_in(a: Profile, b: Profile) -> list[str]:
    """The words of `a` that `b` lacks, in order, without repetitions."""
    others = set(b.words)
    return list(dict.fromkeys([word for word in a.words if word not in others]))


def _share(a: "frozenset[object]", b: "frozenset[object]") -> float:
    return len(a & b) / len(a | b) if a or b else 0.0
