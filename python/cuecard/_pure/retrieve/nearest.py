"""Finds the documents nearest to a prompt by vectors, for the strategy `vectors` and others (SPEC 24.5, 24.7, 24.8)."""

from math import isqrt

from ...basics.cosine import cosine, dot
from ..text.languages import function_words
from ..text.prompt_terms import FULL, WEAK, ends
from ..text.term_words import is_weak_word
from ..text.terms import document_terms, split_chunks
from . import bm25
from .vectors import bytes_of, row_of_words, sign_code, values_of_bytes, vector_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..requests.request import PartValues
    from .filters import Acceptance
    from .known_documents import KnownDocuments
    from .vectors import Row

# The cosines, in 1/4096, of a row with a memory's content and with its nearest question (None without questions).
Cosines = tuple[int, "int | None"]

MAX_PROMPT_WORDS = 1024
# In larger stores too many unrelated documents have sign codes near that of a prompt.
MAX_BY_SIGNS = 65_536


def prompt_words(snapshot: "KnownDocuments", text: str) -> list[tuple[str, int]]:
    """The words of a prompt, each once and with a weight by its rarity in the snapshot."""
    weighted = []
    text = ends(text)
    left_out = function_words(split_chunks(text))
    counted = [word for word in dict.fromkeys(vector_words(text)) if word not in left_out]
    words = [(word, document_terms(word)) for word in counted[:MAX_PROMPT_WORDS]]
    frequencies = snapshot.frequencies([terms[0] for _word, terms in words if terms])
    for word, terms in words:
        rarity = isqrt(bm25.idf(len(snapshot), frequencies[terms[0]]) << 8) if terms else 0
        weighted.append((word, rarity * (WEAK if is_weak_word(word) else FULL) >> 8))
    return weighted


def search_vectors(snapshot: "KnownDocuments", prompt: str, k: int, acceptance: "Acceptance") -> list[tuple[int, int]]:
    """Position and cosine of the `k` accepted documents nearest to a prompt, only those with a cosine above 0.

    The nearest comes first; equally near documents are in document order.
    """
    row, norm = row_of_words(prompt_words(snapshot, prompt))
    accepted = [position for position, document in enumerate(snapshot.documents) if acceptance.takes(document)]
    found = sorted([(-best_cosine(cosines_at(snapshot, position, row, norm)), position) for position in accepted])
    return [(position, -key) for key, position in found[: max(k, 0)] if key < 0]


def vector_parts(snapshot: "KnownDocuments", position: int, prompt: str) -> "list[PartValues]":
    """The parts of a document's score in the strategy `vectors`: only its cosine; empty if that is not above 0."""
    points = best_cosine(cosines_at(snapshot, position, *row_of_words(prompt_words(snapshot, prompt))))
    return [("semantic", "", "", points)] if points > 0 else []


def near_by_signs(snapshot: "KnownDocuments", row: "Row", k: int, acceptance: "Acceptance") -> list[int]:
    """The positions of the `k` accepted documents that differ from a row in the signs of the fewest columns; of a
    document's own row and the rows of its questions, the nearest counts.

    Equally near documents are in document order. Rows of zeros are never found. The result is empty for a row of zeros,
    and in a store of more than 65,536 documents.
    """
    if len(snapshot) > MAX_BY_SIGNS or not any(row):
        return []
    code = sign_code(bytes_of(row))
    found = [
        (min([(sign_code(row) ^ code).bit_count() for row in rows]), position)
        for position, document in enumerate(snapshot.documents)
        if (rows := [row for row in document.rows if any(row)]) and acceptance.takes(document)
    ]
    return [position for _distance, position in sorted(found)[: max(k, 0)]]


def cosines_at(snapshot: "KnownDocuments", position: int, row: "Row", norm: int) -> Cosines:
    """The cosines of the document at a position with a row of this norm; 0 if there is no such document."""
    document = snapshot.stored(position)
    others = [values_of_bytes(other) for other in document.rows] if document else []
    content, *questions = [cosine(row, norm, other, isqrt(256 * dot(other, other))) for other in others] or [0]
    return content, max(questions, default=None)


def best_cosine(cosines: Cosines) -> int:
    """The greater of the two cosines."""
    content, question = cosines
    return content if question is None else max(content, question)
