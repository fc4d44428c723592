"""The words of a prompt with their terms, and the terms that these bring (SPEC 27.1)."""

from ..memory.stored_document import LEFT_OUT
from ..text.letters import LETTER
from ..text.other_words import english_terms
from ..text.prompt_terms import FULL, RUN, WEAK
from ..text.term_words import is_weak_word
from ..text.terms import kind_of, lower_ascii
from .lexical import QueryTerm, impacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings.reader import Settings
    from .known_documents import KnownDocuments

# At most RELATED_MAX related terms with a cosine of at least RELATED_MIN are added, with RELATED/256 of their cosine.
RELATED_MAX = 5
RELATED_MIN = 141
RELATED = 128
# The weight of a word's English translation is this share, in 1/256, of how well the translation fits.
TRANSLATED = 128
# The share of a weight that is left after a hop in the concept graph, in 1/256, if the graph has the weight 1.
GRAPH_DECAY = 192


class PromptWord:
    """A word of the prompt: its weight, whether it is a weak word, and its terms with their weights."""

    def __init__(self, text: str, share: int, *, is_letters: bool, is_weak: bool) -> None:
        """`share` is 256 for a word of the prompt itself, and less for a word of an earlier prompt."""
        self.text = text
        self.is_letters = is_letters
        self.is_weak = is_weak
        self.share = share
        self.terms: list[tuple[str, int]] = []
        # The greatest weight that a term of the word can have, 1 to 256.
        self.weight = WEAK if self.is_weak else FULL
        # The weight of a pair of syllables in the word.
        self.run_weight = RUN if self.is_letters else RUN * self.weight >> 8

    @property
    def own_terms(self) -> list[tuple[str, int]]:
        """The terms that are parts of a word of Hangul, Han or kana; all terms for other words or if none is a part."""
        own = [] if self.is_letters else [term for term in self.terms if term[0] in self.text]
        return own or self.terms


class PromptReader:
    """Collects the terms and words of a prompt and its history, and the weighted words of the prompt's vector."""

    def __init__(self) -> None:
        # The weight of each term, and the word that it comes from.
        self.terms: dict[str, tuple[int, str]] = {}
        self.words: list[PromptWord] = []
        self.weighted_words: list[tuple[str, int]] = []
        self._places: dict[str, PromptWord] = {}

    def add_to_word(self, text: str, term: str, weight: int) -> None:
        """Add a term to the word with this text, which is made if it is new."""
        if text not in self._places:
            is_letters, is_weak = kind_of(text) == LETTER, is_weak_word(lower_ascii(text))
            self._places[text] = PromptWord(text, FULL, is_letters=is_letters, is_weak=is_weak)
            self.words.append(self._places[text])
        self._places[text].terms.append((term, weight))


def add_related(terms: list[QueryTerm]) -> list[QueryTerm]:
    """The terms, followed by terms with nearly the same meaning as a term of full weight or as a whole run."""
    from .static_table import shipped

    known = {term for term, _weight, _word in terms}
    added: dict[str, tuple[int, str]] = {}
    for term, weight, word in terms:
        is_run = weight == RUN and len(term) > 2 and kind_of(term) != LETTER and word.startswith(term)
        if weight != FULL and not is_run:
            continue
        for other, cosine in shipped().related(term)[:RELATED_MAX]:
            found = cosine * RELATED >> 8
            if cosine >= RELATED_MIN and other not in known and found > added.get(other, (0, ""))[0]:
                added[other] = (found, word)
    for word, other, share in english_terms(dict.fromkeys([word for _term, _weight, word in terms])):
        found = share * TRANSLATED >> 8
        if other not in known and found > added.get(other, (0, ""))[0]:
            added[other] = (found, word)
    return terms + [(term, weight, word) for term, (weight, word) in added.items()]


def add_concepts(snapshot: "KnownDocuments", terms: list[QueryTerm], settings: "Settings") -> list[QueryTerm]:
    """The terms, followed by terms that occur together with them in memories and come from no word of the prompt."""
    from .concept_graph import HOPS, expand, make_graph

    documents = [document for document in snapshot.documents if document is not LEFT_OUT]
    edges = make_graph([impacts(snapshot, document) for document in documents])
    query = [(term, weight) for term, weight, _word in terms]
    found = expand(edges, query, HOPS, GRAPH_DECAY * settings.graph_weight >> 10)
    return terms + [(term, min(FULL, max(1, weight)), "") for term, weight in found]
