"""Finds the memories most similar to a new memory, by shared rare words, by embeddings and by category.

Rules: docs/reference/succession.md, "Similarity".
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ..._backend import document_terms, gist_of
from ...store.records.memory import Memory
from ...store.records.record_file import Fields
from ...store.records.unsaid import PLACEHOLDERS
from .memory_terms import MIN_JOINED, MIN_PIECE, MemoryTerms, describe_memory, related_terms, translated

# The most memories that the writer is asked about.
MAX_NEIGHBOURS = 3
# Session summaries are not compared: a summary neither repeats nor replaces another.
UNCOMPARED = "session_summary"
# The share of a term's weight that counts if the other memory has a term with the same beginning, has the term as two
# words, or has a part of the compound.
ALIKE, JOINED, HALF = 0.6, 0.9, 0.6
# Words of at least this many letters match if their first five are the same: `conflicto`, `conflict`.
MIN_ALIKE, ALIKE_PREFIX = 6, 5
# Weights of a logistic regression fitted to the first set and the policies of `tools/measure_relations.py`: the log
# odds that two memories are about the same subject. The `ABROAD` values are for memories in different languages, which
# share fewer words.
SHARED_WORDS, NEAR_WORDS, COSINE = 12.54, 0.7, 10.16
SHARED_WORDS_ABROAD, ABROAD = 16.2, 5.15
SAME_CATEGORY, BIAS = 3.85, -14.25
MIN_SIMILARITY = 0.5
# If one memory has `MIN_SIMILARITY`, all memories with at least this similarity are shown to the writer too.
MIN_SIMILARITY_BESIDE = 0.15
# A short memory is treated as one with this many rare terms, since a single shared word says little.
MIN_MASS = 9.0
# The embeddings of the `MAX_COMPARED` best matches are compared, after the mean of about `MAX_SAMPLE` memories is
# subtracted.
MAX_COMPARED, MAX_SAMPLE = 40, 400
# The mean of a few memories says little: this many zero rows are added to it.
ADDED_ROWS = 10
MAX_SHARED_TOLD = 5


@dataclass(frozen=True)
class Neighbour:
    """An existing memory that a new memory may repeat, replace or contradict."""

    memory: Memory
    similarity: float
    """From 0 to 1. Neighbours are only reported if the best of them has at least `MIN_SIMILARITY`."""
    shared: tuple[str, ...]
    """The words of the new memory that contribute most to the similarity."""
    is_same_category: bool
    is_other_language: bool

    @property
    def name(self) -> str:
        """CATEGORY/ID."""
        return self.memory.name

    @property
    def reason(self) -> str:
        """Why the memory is similar, using only words of the new memory."""
        words = ", ".join([f"`{word}`" for word in self.shared])
        parts = [f"shares {words}" if words else "near in meaning"]
        parts += ["the same category"] if self.is_same_category else []
        parts += ["written in another language"] if self.is_other_language else []
        return "; ".join(parts)

    def as_dict(self) -> dict[str, object]:
        """The JSON object that shows the memory in a question to the writer."""
        record = self.memory.record
        gist = gist_of(record)
        return {
            "id": self.name,
            "path": self.memory.path,
            "title": self.memory.title,
            "excerpt": "" if gist in PLACEHOLDERS else gist,
            "date": str(record.get("updated_at") or "")[:10],
            "similarity": round(self.similarity, 2),
            "reason": self.reason,
        }


class Neighbourhood:
    """Existing memories, indexed so that new memories can be compared with them."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._known: list[MemoryTerms] = []
        self._places: dict[str, list[int]] = {}
        # The mass of each known memory by its position, as far as it was asked for since the last memory was added.
        self._masses: dict[int, float] = {}
        # For each beginning of a word, the terms that have it, without duplicates.
        self._beginnings: dict[str, list[str]] = defaultdict(list)
        self._halves: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Add a memory; a session summary is ignored."""
        if memory.category == UNCOMPARED:
            return
        described = describe_memory(memory.record, memory.category)
        described.memory = memory
        place = len(self._known)
        self._known.append(described)
        self._masses.clear()
        for half, compounds in described.halves().items():
            self._halves[half] += [(place, compound) for compound in compounds]
        for term in described.weights:
            places = self._places.get(term)
            if places is not None:
                places.append(place)
                continue
            self._places[term] = [place]
            beginning = _beginning(term)
            if beginning:
                self._beginnings[beginning].append(term)

    def find(
        self, record: Fields, category: str, limit: int = MAX_NEIGHBOURS, least: float = MIN_SIMILARITY
    ) -> list[Neighbour]:
        """The memories most similar to a new record, the best first.

        Empty if no memory has at least the similarity `least`.
        """
        if category == UNCOMPARED or not self._known:
            return []
        new = describe_memory(record, category)
        exact, near, told = self._share(new)
        mass = self._mass(new)
        scores: list[tuple[float, int]] = []
        for place in {*exact, *near}:
            known = self._known[place]
            if place not in self._masses:
                self._masses[place] = self._mass(known)
            shared = exact[place] + (near[place] * (1 if known.language != new.language else NEAR_WORDS))
            share = math.sqrt(shared / max(mass, self._masses[place]))
            is_abroad = known.language != new.language
            score = (SHARED_WORDS_ABROAD if is_abroad else SHARED_WORDS) * share + (ABROAD if is_abroad else 0)
            scores.append((score + BIAS + (SAME_CATEGORY if known.category == category else 0), place))
        scores.sort(key=lambda each: (-each[0], each[1]))
        mean = self._mean()
        found = []
        for score, place in scores[: max(MAX_COMPARED, limit)]:
            known = self._known[place]
            is_abroad = known.language != new.language
            near_in_meaning = 0.0 if is_abroad else COSINE * max(0.0, _cosine(new.vector(), known.vector(), mean))
            similarity = 1 / (1 + math.exp(-(score + near_in_meaning)))
            if similarity >= min(least, MIN_SIMILARITY_BESIDE) and known.memory is not None:
                words = sorted(told[place].items(), key=lambda each: (-each[1], each[0]))[:MAX_SHARED_TOLD]
                shared_words = tuple([word for word, _weight in words])
                is_same = known.category == category
                found.append(Neighbour(known.memory, similarity, shared_words, is_same, is_abroad))
        found.sort(key=lambda each: (-each.similarity, each.memory.path))
        return found[:limit] if found and found[0].similarity >= least else []

    def _share(self, new: MemoryTerms) -> tuple[dict[int, float], dict[int, float], dict[int, dict[str, float]]]:
        """Three weights for each known memory, by its position in `_known`.

        The first is the weight of the terms that the memory shares with `new`, the second the weight of its terms that
        are related to terms of `new`, and the third the weight of each word of `new` that is shared or related.
        """
        exact: dict[int, float] = defaultdict(float)
        near: dict[int, float] = defaultdict(float)
        told: dict[int, dict[str, float]] = defaultdict(dict)
        spelling = new.spelling()
        halves: dict[str, list[str]] = defaultdict(list)
        for half, compounds in new.halves().items():
            for compound in compounds:
                halves[compound].append(half)
        for term, weight in new.weights.items():
            same = self._places.get(term, [])
            rarity = self._rarity(len(same))
            for place in same:
                counted = rarity * math.sqrt(weight * self._known[place].weights[term])
                exact[place] += counted
                told[place][spelling.get(term, term)] = counted
            for place, counted in self._find_near(term, weight, rarity, halves.get(term, [])).items():
                if term not in self._known[place].weights:
                    near[place] += counted
                    told[place].setdefault(spelling.get(term, term), counted)
        for term, weight in new.joined().items():
            for place in self._places.get(term, ()):
                if term not in new.weights:
                    counted = JOINED * self._rarity(1) * math.sqrt(weight * self._known[place].weights[term])
                    near[place] += counted
                    told[place].setdefault(term, counted)
        return exact, near, told

    def _find_near(self, term: str, weight: float, rarity: float, halves: list[str]) -> dict[int, float]:
        """The weight of a term in each memory that has a related term, by the memory's position in `_known`."""
        best: dict[int, float] = {}

        def count(share: float, found: Iterable[tuple[int, str]], among: int) -> None:
            value = share * min(rarity, self._rarity(among))
            for place, other in found:
                counted = value * math.sqrt(weight * self._known[place].weights[other])
                best[place] = max(best.get(place, 0.0), counted)

        related = related_terms(term)
        for other, share in related.items():
            places = self._places.get(other, [])
            count(share, [(place, other) for place in places], len(places))
        alike = [
            (place, other) for other in self._beginnings.get(_beginning(term), ()) for place in self._places[other]
        ]
        count(ALIKE, alike, len({place for place, _other in alike}))
        # The term is part of a compound in another memory, or the term is a compound whose parts are in other memories.
        for half in [other for other in {term, *related} if other in self._halves]:
            count(HALF, self._halves[half], len(self._halves[half]))
        for half in halves:
            for other in translated(half):
                places = self._places.get(other, [])
                count(HALF, [(place, other) for place in places], len(places))
        # Another memory writes the term as two words.
        for size in range(MIN_PIECE, len(term) - MIN_PIECE + 1) if term.isalpha() and len(term) >= MIN_JOINED else ():
            one, two = (document_terms(part) for part in (term[:size], term[size:]))
            if len(one) == len(two) == 1 and one[0] in self._places and two[0] in self._places:
                both = sorted({*self._places[one[0]]} & {*self._places[two[0]]})
                count(JOINED, [(place, one[0]) for place in both], len(both))
        return best

    def _rarity(self, count: int) -> float:
        """The rarity of a term that `count` memories have, from 0 to 1. It is 1 if no memory has the term."""
        size = len(self._known) + 1
        return math.log(1 + size / (count + 0.5)) / math.log(1 + size / 0.5)

    def _mass(self, described: MemoryTerms) -> float:
        """The total weight of a memory's terms, at least `MIN_MASS`."""
        total = [weight * self._rarity(len(self._places.get(term, ()))) for term, weight in described.weights.items()]
        return max(MIN_MASS, sum(total))

    def _mean(self) -> list[float]:
        """The mean embedding. It is subtracted: what all memories of a project share does not tell them apart."""
        step = -(-len(self._known) // MAX_SAMPLE)
        rows = [known.vector() for known in self._known[::step]]
        return [sum(column) / (len(rows) + ADDED_ROWS) for column in zip(*rows, strict=True)]


def _beginning(term: str) -> str:
    """The first letters of a word, which related words of other languages often share.

    "" for a short word, and for a word with other characters than A to Z.
    """
    return term[:ALIKE_PREFIX] if len(term) >= MIN_ALIKE and term.isascii() and term.isalpha() else ""


def _cosine(a: list[int], b: list[int], mean: list[float]) -> float:
    """The cosine of two embeddings after the mean is subtracted from both."""
    one, other = [x - y for x, y in zip(a, mean, strict=True)], [x - y for x, y in zip(b, mean, strict=True)]
    norms = math.sqrt(sum([x * x for x in one]) * sum([x * x for x in other]))
    return sum([x * y for x, y in zip(one, other, strict=True)]) / norms if norms else 0.0
