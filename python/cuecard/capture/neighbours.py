"""The memories nearest to a new one: by the rare words that both have, by their vectors, and by category.

Rules: docs/reference/succession.md, "Similarity".
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from .._backend import engine
from ..basics.tables import read_lines
from ..memory.gist import LABELS, gist_of
from ..store.records.memory import Memory
from ..store.records.record_file import Fields
from ..text.synonyms import find_others
from ..text.terms import document_terms, split_chunks

# At most so many are put before the writer.
MAX_NEIGHBOURS = 3
# A summary tells of a session: it is neither repeated nor replaced by another one.
UNCOMPARED = "session_summary"
# What a term of the title, of the tags and questions, and of the content counts.
TITLE, TAGS, CONTENT = 2.0, 1.5, 1.0
# What a term counts that is not the same and means the same, means nearly the same, or begins alike.
SAME_MEANING, NEAR_MEANING, ALIKE = 0.9, 0.6, 0.6
# Words of so many letters and more are alike where so many at their beginning are the same: `conflicto`, `conflict`.
MIN_ALIKE, ALIKE_PREFIX = 6, 5
# Tuned with `tools/measure_relations.py`: the log odds that two memories are about the same, without and with another
# language between them. Of two languages the words that cannot be compared hide most of what is shared.
SHARED_WORDS, NEAR_WORDS, COSINE = 26.9, 0.7, 10.75
SHARED_WORDS_ABROAD, ABROAD = 40.2, 3.7
SAME_CATEGORY, BIAS = 7.75, -20.1
MIN_SIMILARITY = 0.5
# A memory of a few words counts as one of so many rare ones: a single shared word says little.
MIN_MASS = 9.0
# The vectors are compared of so many that share most, and against the mean of so many.
MAX_COMPARED, MAX_SAMPLE = 40, 400
# A store of few memories has no mean to speak of: so many zero rows are added to it.
ADDED_ROWS = 10
MAX_SHARED_TOLD = 5
MAX_TEXT_CHARS = 4000
_TABLE = "translations"
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KANA = re.compile("[\u3040-\u30ff]")
_KANA_AND_HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True)
class Neighbour:
    """An existing memory that a new one may repeat, replace or contradict."""

    memory: Memory
    similarity: float
    """From 0 to 1; `MIN_SIMILARITY` and more is put before the writer."""
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
        return {
            "id": self.name,
            "path": self.memory.path,
            "title": self.memory.title,
            "excerpt": gist_of(record),
            "date": str(record.get("updated_at") or "")[:10],
            "similarity": round(self.similarity, 2),
            "reason": self.reason,
        }


@dataclass
class _Described:
    """A memory by its terms."""

    weights: dict[str, float]
    """What each term counts by where it stands."""
    language: str
    fields: tuple[str, str, str]
    category: str
    memory: Memory | None = None
    mass: float = 0.0
    row: list[int] | None = field(default=None)

    def vector(self) -> list[int]:
        """Its vector of whole numbers."""
        if self.row is None:
            self.row = engine.document_row(*self.fields)[0]
        return self.row


class Neighbourhood:
    """Memories made ready to be compared with new ones."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._known: list[_Described] = []
        self._places: dict[str, list[int]] = {}
        # The terms that begin alike, each once.
        self._beginnings: dict[str, list[str]] = defaultdict(list)
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Add one more memory; a summary of a session is left out."""
        if memory.category == UNCOMPARED:
            return
        described = _describe(memory.record, memory.category)
        described.memory = memory
        place = len(self._known)
        self._known.append(described)
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
        """The nearest to a record that is not one of them, the nearest first, with at least the similarity `least`."""
        if category == UNCOMPARED or not self._known:
            return []
        new = _describe(record, category)
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
            if similarity >= least and known.memory is not None:
                words = sorted(told[place].items(), key=lambda each: (-each[1], each[0]))[:MAX_SHARED_TOLD]
                shared_words = tuple([word for word, _weight in words])
                is_same = known.category == category
                found.append(Neighbour(known.memory, similarity, shared_words, is_same, is_abroad))
        found.sort(key=lambda each: (-each.similarity, each.memory.path))
        return found[:limit]

    def _share(self, new: _Described) -> tuple[dict[int, float], dict[int, float], dict[int, dict[str, float]]]:
        """Weights by place: of the terms that both have, of those that mean nearly the same, and of single words."""
        exact: dict[int, float] = defaultdict(float)
        near: dict[int, float] = defaultdict(float)
        told: dict[int, dict[str, float]] = defaultdict(dict)
        spelling = _spelling(new.fields)
        for term, weight in new.weights.items():
            rarity = self._rarity(len(self._places.get(term, ())))
            best: dict[int, float] = {}
            for other, share in _related(term).items():
                places = self._places.get(other, ())
                value = share * min(rarity, self._rarity(len(places)))
                for place in places:
                    counted = value * math.sqrt(weight * self._known[place].weights[other])
                    best[place] = max(best.get(place, 0.0), counted)
            alike = {
                place: other for other in self._beginnings.get(_beginning(term), ()) for place in self._places[other]
            }
            value = ALIKE * min(rarity, self._rarity(len(alike)))
            for place, other in alike.items():
                counted = value * math.sqrt(weight * self._known[place].weights[other])
                best[place] = max(best.get(place, 0.0), counted)
            same = dict.fromkeys(self._places.get(term, ()))
            for place in same:
                counted = rarity * math.sqrt(weight * self._known[place].weights[term])
                exact[place] += counted
                told[place][spelling.get(term, term)] = counted
            for place, counted in best.items():
                if place not in same:
                    near[place] += counted
                    told[place].setdefault(spelling.get(term, term), counted)
        return exact, near, told

    def _rarity(self, count: int) -> float:
        """How much a term says that so many memories have: 1 where none has it."""
        size = len(self._known) + 1
        return math.log(1 + size / (count + 0.5)) / math.log(1 + size / 0.5)

    def _mass(self, described: _Described) -> float:
        """What all terms of a memory count together."""
        total = [weight * self._rarity(len(self._places.get(term, ()))) for term, weight in described.weights.items()]
        return max(MIN_MASS, sum(total))

    def _mean(self) -> list[float]:
        """The mean vector: what every memory of a project has in common says nothing."""
        step = -(-len(self._known) // MAX_SAMPLE)
        rows = [known.vector() for known in self._known[::step]]
        return [sum(column) / (len(rows) + ADDED_ROWS) for column in zip(*rows, strict=True)]


def _describe(record: Fields, category: str) -> _Described:
    extension = record.get("cuecard")
    questions = extension.get("questions") if isinstance(extension, dict) else None
    title = "\n".join(_texts(record.get("title")))[:MAX_TEXT_CHARS]
    tags = "\n".join(_texts(record.get("tags")) + _texts(questions))[:MAX_TEXT_CHARS]
    content = record.get("content")
    said = {name: value for name, value in content.items() if name not in LABELS} if isinstance(content, dict) else {}
    body = "\n".join(_texts(said))[:MAX_TEXT_CHARS]
    weights: dict[str, float] = {}
    for text, weight in ((body, CONTENT), (tags, TAGS), (title, TITLE)):
        weights |= dict.fromkeys(document_terms(text), weight)
    return _Described(weights, _language(f"{title}\n{tags}\n{body}"), (title, tags, body), category)


def _texts(value: object) -> list[str]:
    """All texts within a value."""
    if isinstance(value, str):
        return [value]
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return [text for item in items for text in _texts(item)]


def _spelling(texts: Iterable[str]) -> dict[str, str]:
    """For each term the word that it was made of."""
    return {term: chunk for text in texts for chunk in split_chunks(text) for term in reversed(document_terms(chunk))}


def _beginning(term: str) -> str:
    """The letters that a word shares with its form in other languages; "" for short words and other scripts."""
    return term[:ALIKE_PREFIX] if len(term) >= MIN_ALIKE and term.isascii() and term.isalpha() else ""


def _related(term: str) -> dict[str, float]:
    """The terms that mean what a term means, or nearly, and what each counts."""
    found = {other: NEAR_MEANING for other in find_others("near", term).split() if "+" not in other}
    found |= {other: SAME_MEANING for other in find_others("same", term).split() if "+" not in other}
    for group in _translations().get(term, ()):
        found |= dict.fromkeys(group, SAME_MEANING)
    found.pop(term, None)
    return found


@cache
def _translations() -> dict[str, list[frozenset[str]]]:
    """For each term the groups of words that mean the same in other languages."""
    groups: dict[str, list[frozenset[str]]] = defaultdict(list)
    for line in read_lines(_TABLE, "groups"):
        group = frozenset([terms[0] for word in line.split() if (terms := document_terms(word))])
        for term in group:
            groups[term].append(group)
    return groups


@cache
def _frequent_words() -> dict[str, frozenset[str]]:
    rows = [line.split() for line in read_lines(_TABLE, "frequent")]
    return {row[0]: frozenset(row[1:]) for row in rows}


def _language(text: str) -> str:
    """The language of a text, as far as its script and its frequent words tell."""
    if not text.isascii():
        size = len(text)
        if len(_HANGUL.findall(text)) * 5 > size:
            return "ko"
        if len(_KANA_AND_HAN.findall(text)) * 5 > size:
            return "ja" if _KANA.search(text) else "zh"
    words = set(text.lower().split())
    counts = {name: len(words & known) for name, known in _frequent_words().items()}
    return max(counts, key=lambda name: (counts[name], name == "en"))


def _cosine(a: list[int], b: list[int], mean: list[float]) -> float:
    """The cosine of two rows as they differ from a mean."""
    one, other = [x - y for x, y in zip(a, mean, strict=True)], [x - y for x, y in zip(b, mean, strict=True)]
    norms = math.sqrt(sum([x * x for x in one]) * sum([x * x for x in other]))
    return sum([x * y for x, y in zip(one, other, strict=True)]) / norms if norms else 0.0
