"""The lexical retriever: finds the best documents for weighted terms, and explains scores (SPEC 21, 22.9)."""

from ..memory.stored_document import BODY, first_field
from ..text.edits import halves, is_near
from ..text.other_words import shipped as other_words
from ..text.prompt_terms import FULL
from ..text.prompt_terms import query_terms as prompt_terms
from ..text.terms import document_terms, lower_ascii
from . import bm25

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..memory.stored_document import StoredDocument
    from ..requests.request import PartValues, Scored, Synonyms
    from ..settings.reader import Descriptions
    from .filters import Acceptance
    from .known_documents import KnownDocuments

# A term, its weight from 1 to 256, and the word of the prompt that the term comes from.
QueryTerm = tuple[str, int, str]

# The impact of a term of the prompt that occurs in the description of a memory's category.
DESCRIPTION_IMPACT = 32
# For a term that no document has, similar terms are searched if it has at least this number of letters (SPEC 22.9).
LIKE_LENGTH = 4
# At most LIKES_MAX terms that begin with such a term are added, each with half the weight.
LIKES_MAX = 16
LIKE = 128
# At most MISSPELLED_MAX unknown terms are compared with terms of similar spelling. They must have MISSPELLED_LENGTH
# letters or more, and their first two letters must be right.
MISSPELLED_MAX = 16
MISSPELLED_LENGTH = 5
RIGHT = 2


def query_terms(snapshot: "KnownDocuments", prompt: str, synonyms: "Synonyms") -> list[QueryTerm]:
    """The terms of a prompt, followed by similar terms for each term that no document has."""
    terms = prompt_terms(prompt, synonyms)
    known = {term for term, _weight, _word in terms}
    snapshot.frequencies(known)
    unknown = [
        (term, word)
        for term, weight, word in terms
        if weight == FULL and _is_plain(term, LIKE_LENGTH) and not snapshot.frequency(term)
    ]
    found: dict[str, str] = {}
    for number, (term, word) in enumerate(unknown):
        vocabulary = snapshot.vocabulary()
        likes = sorted([other for other in vocabulary if other.startswith(term)])[:LIKES_MAX]
        likes += [term[:length] for length in range(LIKE_LENGTH, len(term)) if term[:length] in vocabulary]
        if number < MISSPELLED_MAX:
            likes += _spelled_alike(vocabulary, term, word)
        for other in likes:
            if other not in known:
                found.setdefault(other, word)
    return terms + [(term, LIKE, word) for term, word in found.items()]


def _spelled_alike(vocabulary: set[str], term: str, word: str) -> list[str]:
    """The terms of documents that `term` may be a misspelling of; none if `term` is a known word. Also the terms of two
    halves of `word`, if documents have both."""
    likes: list[str] = []
    if len(term) >= MISSPELLED_LENGTH and not _is_word(term) and not _is_word(lower_ascii(word)):
        others = [other for other in vocabulary if other.startswith(term[:RIGHT]) and _is_plain(other, 1)]
        likes = sorted([other for other in others if is_near(term, other)])[:LIKES_MAX]
    return likes + [half for pair in halves(word) if vocabulary.issuperset(pair) for half in pair]


def _is_plain(term: str, length: int) -> bool:
    return len(term) >= length and term.isascii() and term.isalpha()


def _is_word(word: str) -> bool:
    """Whether a word is a known English word (by the table of word vectors) or a known word of another language."""
    from .static_table import shipped

    return len(shipped().word_rows(word)) == 1 or bool(other_words().find(word))


def weigh(snapshot: "KnownDocuments", terms: list[QueryTerm]) -> dict[str, int]:
    """The weight of each term of a query that any document has (SPEC 21.3)."""
    weighted = [(term, q) for term, q, _word in terms]
    return bm25.weigh(weighted, len(snapshot), snapshot.frequencies([term for term, _q in weighted]))


def impacts(snapshot: "KnownDocuments", document: "StoredDocument", terms: "set[str] | None" = None) -> dict[str, int]:
    """The impact of each term of a document, or only of the document's terms among `terms` (SPEC 21.1)."""
    found = document.terms() if terms is None else document.having(terms)
    if not found:
        return {}
    title, tags, asked, body = document.fields
    counts = {term: (title.get(term, 0), tags.get(term, 0), asked.get(term, 0), body.get(term, 0)) for term in found}
    return bm25.impacts(snapshot.numbers, bm25.AVERAGE_LENGTHS, document.lengths(), counts)


def search_lexical(
    snapshot: "KnownDocuments", terms: list[QueryTerm], k: int, descriptions: "Descriptions", acceptance: "Acceptance"
) -> "list[Scored]":
    """Position and score of the best `k` accepted documents, best first."""
    weights = weigh(snapshot, terms)
    wanted = set(weights)
    bonuses = category_bonuses(weights, descriptions)
    scored = []
    for position, document in enumerate(snapshot.documents):
        score = sum([weights[term] * impact for term, impact in impacts(snapshot, document, wanted).items()])
        if score and acceptance.takes(document):
            bonus = bonuses.get(document.category, 0) if bonuses else 0
            scored.append((-score - bonus, position))
    return [(position, -key) for key, position in sorted(scored)[: max(k, 0)]]


def best_scores(
    snapshot: "KnownDocuments", terms: list[QueryTerm], acceptance: "Acceptance", part: "KnownDocuments"
) -> tuple[int, int]:
    """The best score, without the points for categories, of all accepted documents, and of those that are not in a part
    of the snapshot; 0 if there is none."""
    weights = weigh(snapshot, terms)
    wanted = set(weights)
    best = best_other = 0
    for position, document in enumerate(snapshot.documents):
        if document.having(wanted) and acceptance.takes(document):
            score = sum([weights[term] * impact for term, impact in impacts(snapshot, document, wanted).items()])
            best = max(best, score)
            if part.stored(position) is None:
                best_other = max(best_other, score)
    return best, best_other


def lexical_parts(
    snapshot: "KnownDocuments", position: int, terms: list[QueryTerm], descriptions: "Descriptions"
) -> "list[PartValues]":
    """The parts of the score of the document at a position; they sum to the score."""
    document = snapshot.stored(position)
    if document is None:
        return []
    listed = document.listed()
    words = {term: word for term, _q, word in terms}
    weights = weigh(snapshot, terms)
    found = impacts(snapshot, document, set(weights))
    parts: list[PartValues] = []
    for term, weight in weights.items():
        if term in found:
            parts.append((first_field(listed.get(term, BODY)), words[term], term, weight * found[term]))
    bonuses = category_bonuses(weights, descriptions) if parts else {}
    if document.category in bonuses:
        parts.append(("description", "", document.category, bonuses[document.category]))
    return parts


def category_bonuses(weights: dict[str, int], descriptions: "Descriptions") -> dict[str, int]:
    """The points, other than 0, that the description of a category gives its documents, by category (SPEC 21.3)."""
    bonuses = {}
    for key, text in descriptions:
        described = frozenset(document_terms(text))
        weight = sum([weight for term, weight in weights.items() if term in described])
        if key.isascii() and weight:
            bonuses[key.upper()] = weight * DESCRIPTION_IMPACT
    return bonuses
