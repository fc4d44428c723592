"""The memories nearest to a new one: by the rare words that both have, by their vectors, and by category.

Rules: docs/reference/succession.md, "Similarity".
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ..memory.gist import gist_of
from ..store.records.memory import Memory
from ..store.records.record_file import Fields
from ..text.terms import document_terms
from .memory_terms import MIN_JOINED, MIN_PIECE, PLACEHOLDERS, MemoryTerms, describe_memory, related_terms, translated

# At most so many are put before the writer.
MAX_NEIGHBOURS = 3
# A summary tells of a session: it is neither repeated nor replaced by another one.
UNCOMPARED = "session_summary"
# What a term counts that begins alike, that two words of the other one make, and that is the half of a compound.
ALIKE, JOINED, HALF = 0.6, 0.9, 0.6
# Words of so many letters and more are alike where so many at their beginning are the same: `conflicto`, `conflict`.
MIN_ALIKE, ALIKE_PREFIX = 6, 5
# Fitted to the first set of `tools/measure_relations.py`: the log odds that two memories are about the same, without
# and with another language between them. Of two languages the words that cannot be compared hide most of what is
# shared.
SHARED_WORDS, NEAR_WORDS, COSINE = 11.37, 0.7, 9.19
SHARED_WORDS_ABROAD, ABROAD = 12.54, 3.7
SAME_CATEGORY, BIAS = 4.89, -11.47
MIN_SIMILARITY = 0.5
# Where one memory is shown, the writer is reading anyway: what is shown beside it needs less.
MIN_SIMILARITY_BESIDE = 0.25
# A memory of a few words counts as one of so many rare ones: a single shared word says little.
MIN_MASS = 9.0
# The vectors are compared of so many that share most, and against the mean of so many.
MAX_COMPARED, MAX_SAMPLE = 40, 400
# A store of few memories has no mean to speak of: so many zero rows are added to it.
ADDED_ROWS = 10
MAX_SHARED_TOLD = 5


@dataclass(frozen=True)
class Neighbour:
    """An existing memory that a new one may repeat, replace or contradict."""

    memory: Memory
    similarity: float
    """From 0 to 1; where the nearest has `MIN_SIMILARITY`, it is put before the writer with those beside it."""
    shared: tuple[str, ...]
    """The words of the new memory that tell most of what both have in common."""
    is_same_category: bool
    is_other_language: bool

    @property
    def name(self) -> str:
        """CATEGORY/ID."""
        return f"{self.memory.category}/{self.memory.id}"

    @property
    def reason(self) -> str:
        """Why it is near, in words of the new memory alone."""
        words = ", ".join([f"`{word}`" for word in self.shared])
        parts = [f"shares {words}" if words else "near in meaning"]
        parts += ["the same category"] if self.is_same_category else []
        parts += ["written in another language"] if self.is_other_language else []
        return "; ".join(parts)

    def as_dict(self) -> dict[str, object]:
        """What a question shows of it."""
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
    """Memories made ready to be compared with new ones."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._known: list[MemoryTerms] = []
        self._places: dict[str, list[int]] = {}
        # The terms that begin alike, each once.
        self._beginnings: dict[str, list[str]] = defaultdict(list)
        self._halves: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Add one more memory; a summary of a session is left out."""
        if memory.category == UNCOMPARED:
            return
        described = describe_memory(memory.record, memory.category)
        described.memory = memory
        place = len(self._known)
        self._known.append(described)
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
        """The nearest to a record that is not one of them, the nearest first; none where the nearest has not the
        similarity `least`."""
        if category == UNCOMPARED or not self._known:
            return []
        new = describe_memory(record, category)
        exact, near, told = self._share(new)
        mass = self._mass(new)
        scores: list[tuple[float, int]] = []
        for place in {*exact, *near}:
            known = self._known[place]
            shared = exact[place] + (near[place] * (1 if known.language != new.language else NEAR_WORDS))
            share = math.sqrt(shared / max(mass, self._mass(known)))
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
        """Weights by place: of the terms that both have, of those that mean nearly the same, and of single words."""
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
        """What a term counts in each memory that has another one for it."""
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
        # The term is a half of a compound that another one has, or a compound of halves that others have.
        for half in [other for other in {term, *related} if other in self._halves]:
            count(HALF, self._halves[half], len(self._halves[half]))
        for half in halves:
            for other in translated(half):
                places = self._places.get(other, [])
                count(HALF, [(place, other) for place in places], len(places))
        # The other one writes the term as two words.
        for size in range(MIN_PIECE, len(term) - MIN_PIECE + 1) if term.isalpha() and len(term) >= MIN_JOINED else ():
            one, two = (document_terms(part) for part in (term[:size], term[size:]))
            if len(one) == len(two) == 1 and one[0] in self._places and two[0] in self._places:
                both = sorted({*self._places[one[0]]} & {*self._places[two[0]]})
                count(JOINED, [(place, one[0]) for place in both], len(both))
        return best

    def _rarity(self, count: int) -> float:
        """How much a term says that so many memories have: 1 where none has it."""
        size = len(self._known) + 1
        return math.log(1 + size / (count + 0.5)) / math.log(1 + size / 0.5)

    def _mass(self, described: MemoryTerms) -> float:
        """What all terms of a memory count together."""
        total = [weight * self._rarity(len(self._places.get(term, ()))) for term, weight in described.weights.items()]
        return max(MIN_MASS, sum(total))

    def _mean(self) -> list[float]:
        """The mean vector: what every memory of a project has in common says nothing."""
        step = -(-len(self._known) // MAX_SAMPLE)
        rows = [known.vector() for known in self._known[::step]]
        return [sum(column) / (len(rows) + ADDED_ROWS) for column in zip(*rows, strict=True)]


def _beginning(term: str) -> str:
    """The letters that a word shares with its form in other languages; "" for short words and other scripts."""
    return term[:ALIKE_PREFIX] if len(term) >= MIN_ALIKE and term.isascii() and term.isalpha() else ""


def _cosine(a: list[int], b: list[int], mean: list[float]) -> float:
    """The cosine of two rows as they differ from a mean."""
    one, other = [x - y for x, y in zip(a, mean, strict=True)], [x - y for x, y in zip(b, mean, strict=True)]
    norms = math.sqrt(sum([x * x for x in one]) * sum([x * x for x in other]))
    return sum([x * y for x, y in zip(one, other, strict=True)]) / norms if norms else 0.0
