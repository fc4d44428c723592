"""Measures what a prompt and a memory have in common by the information of the prompt's words (SPEC 28.1)."""

from ...basics.gate_table import CONSTANTS
from ..memory.stored_document import BODY, QUESTION, TAGS, TITLE
from ..retrieve import bm25
from ..retrieve.lexical import impacts
from ..settings.gate_model import UNIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ..retrieve.hybrid import Query
    from ..retrieve.known_documents import KnownDocuments
    from ..retrieve.prompt_words import PromptWord

# A smaller store counts as a store of this size, so that its words have as much information.
SMALL_STORE = CONSTANTS["small_store"]
# A window of a long prompt has this number of strong words; the next window begins half a window later.
WINDOW = CONSTANTS["window"]
# A memory counts as having a word if it has this share of the word, in 1/256.
HALF = CONSTANTS["half"]


class PromptInformation:
    """The information of each word of a prompt, by its rarity in the memories of a store."""

    def __init__(self, snapshot: "KnownDocuments", query: "Query") -> None:
        """The words come from the query: from the prompt and, if they count, from earlier prompts."""
        self._snapshot = snapshot
        self.documents = max(len(snapshot), SMALL_STORE)
        # The information of a word that no document has.
        self.most = bm25.idf(self.documents, 0)
        self.weights = {term: q for term, q, _word in query.terms}
        looked_up = list(self.weights)[: bm25.MAX_QUERY_TERMS]
        snapshot.frequencies(looked_up)
        # The terms that some document has, with their weights in a store of `documents` documents.
        known = [term for term in looked_up if snapshot.frequency(term)]
        self.known = {term: bm25.weight(self.idf(term), self.weights[term]) for term in known}
        self.words = query.words
        self._pieces: dict[str, int] = {}
        for word in query.words:
            for term in [] if word.is_letters else [term for term, _weight in word.terms if term in word.text]:
                self._pieces[term] = max(word.weight * word.share >> 8, self._pieces.get(term, 0))
        self._parts = [_parts_of(word) for word in query.words]
        found = [(word, place, *self._weigh(word)) for place, word in enumerate(query.words)]
        # The strong words: word, place, information, and whether any document has it.
        self.strong = [row for row in found if not row[0].is_weak]
        self.total = sum([information for _word, _place, information, _known in self.strong])

    def idf(self, term: str) -> int:
        """The inverse document frequency of a term, in 1/256."""
        return bm25.idf(self.documents, self._snapshot.frequency(term))

    def matched(self, place: int, present: "Container[str]") -> int:
        """How much of the word at `place` the terms contain, in 1/256; for a name, by the information of its parts."""
        found = _matched(self.words[place], present)
        parts = self._parts[place]
        if found < 256 or not parts or parts[0] in present:
            return found
        total = sum([self.idf(part) for part in parts[1:]])
        return 256 * sum([self.idf(part) for part in parts[1:] if part in present]) // total

    def named(self, term: str) -> int:
        """The weight of a term in the prompt; for one that is cut out of a piece, that of the piece.

        A piece of a script without blanks has many terms of a low weight. A question with all of them names all of it.
        """
        return max(self.weights.get(term, 0), self._pieces.get(term, 0))

    def of(self, present: "Container[str]") -> list[int]:
        """For each strong word, how much of its information the terms contain."""
        return [information * self.matched(place, present) >> 8 for _word, place, information, _known in self.strong]

    def own_places(self) -> list[int]:
        """The places of the strong words of the prompt itself, not of earlier ones, that some document has."""
        return [place for word, place, _information, is_known in self.strong if is_known and word.share == bm25.FULL]

    def has_any(self, places: list[int], position: int) -> bool:
        """Whether the memory at a position has one of the words at these places."""
        present = impacts(self._snapshot, self._snapshot.documents[position], set(self.known))
        return any(self.matched(place, present) >= HALF for place in places)

    def share(self, found: int) -> int:
        """The share of `found` in the information of all strong words, in 1/1024."""
        return UNIT * found // self.total if self.total else 0

    def _weigh(self, word: "PromptWord") -> tuple[int, bool]:
        """The information of a word, by the idf of its heaviest own term, and whether any document has the word."""
        best, _weight = max(word.own_terms, key=lambda term: (term[1], term[0] in self.known))
        is_known = any(term in self.known for term, _weight in word.terms)
        return (self.idf(best) * word.weight >> 8) * word.share >> 8, is_known


class Evidence:
    """The parts of a prompt that a memory contains, or several memories of one subject together."""

    def __init__(self, prompt: PromptInformation, snapshot: "KnownDocuments", positions: "Sequence[int]") -> None:
        """Compute all values. Shares are in 1/1024; information is in 1/256, the unit of idf."""
        present: dict[str, int] = {}
        fields: dict[str, int] = {}
        # The share of the prompt in the best question, and its product with the share of that question in the prompt.
        self.question = (0, 0)
        self.has_questions = False
        for position in positions:
            document = snapshot.documents[position]
            listed = document.listed()
            own = impacts(snapshot, document, set(prompt.known))
            for term, impact in own.items():
                present[term] = max(impact, present.get(term, 0))
                fields[term] = fields.get(term, 0) | listed.get(term, BODY)
            self.has_questions |= max(listed.values(), default=0) >= QUESTION
            self.question = max(self.question, _best_question(prompt, own, listed), key=lambda one: one[1])
        # The score of the lexical retriever.
        self.points = sum([prompt.known[term] * impact for term, impact in present.items()])
        in_title = {term for term, bits in fields.items() if bits & TITLE}
        in_head = {term for term, bits in fields.items() if bits & (TITLE | TAGS)}
        anywhere, title = prompt.of(present), prompt.of(in_title)
        self.anywhere, self.title = sum(anywhere), sum(title)
        # The number of words of the prompt in title and tags.
        self.head_words = sum([prompt.matched(place, in_head) >= HALF for place in range(len(prompt.words))])
        informations = [information for _word, _place, information, _known in prompt.strong]
        self.window = _best_window(informations, anywhere)


def _best_question(prompt: PromptInformation, present: "Container[str]", listed: dict[str, int]) -> tuple[int, int]:
    """The share of the prompt in the best question of a memory, and its product with the share of the question."""
    best = 0, 0
    bit, last = QUESTION, max(listed.values(), default=0)
    while bit <= last:
        terms = [term for term, bits in listed.items() if bits & bit]
        found = prompt.share(sum(prompt.of({term for term in terms if term in present})))
        product = found * _named(prompt, terms) >> 10
        if product > best[1]:
            best = found, product
        bit <<= 1
    return best


def _named(prompt: PromptInformation, terms: list[str]) -> int:
    """How much of the information of the terms is in the prompt, in 1/1024."""
    total = sum([prompt.idf(term) for term in terms])
    named = sum([prompt.idf(term) * prompt.named(term) >> 8 for term in terms])
    return UNIT * named // total if total else 0


def _best_window(informations: list[int], found: list[int]) -> int:
    """The greatest share of found information over all windows, in 1/1024."""
    best, last = 0, max(len(found) - WINDOW, 0)
    for begin in dict.fromkeys([*range(0, last + 1, WINDOW // 2), last]):
        total = sum(informations[begin : begin + WINDOW])
        if total:
            best = max(best, UNIT * sum(found[begin : begin + WINDOW]) // total)
    return best


def _parts_of(word: "PromptWord") -> list[str]:
    """The term of a name, then the terms of its parts; empty for a plain word."""
    own = [term for term, weight in word.terms if weight == word.weight] if word.is_letters else []
    return own if len(own) > 1 else []


def _matched(word: "PromptWord", present: "Container[str]") -> int:
    """How much of a word the terms contain, in 1/256. Syllable pairs add up; of other terms only the best counts."""
    runs = best = 0
    for term, weight in word.terms:
        if term in present:
            if weight == word.run_weight:
                runs += weight
            best = max(best, weight)
    return min(256, (max(runs, best) << 8) // word.weight)
