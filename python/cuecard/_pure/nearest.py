"""What is nearest to a prompt: rows of a snapshot compared, by strategy `vectors` and for others (SPEC 24)."""

from math import isqrt

from . import bm25
from .layout import TERMS
from .prompt_terms import ends
from .static_table import DIMENSIONS
from .static_vector import cosine
from .term_words import is_weak_word
from .terms import document_terms
from .vectors import row_of_words, sign_code, vector_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .filters import Acceptance
    from .search import ScorePart
    from .snapshot import Snapshot, SnapshotPart
    from .vectors import Row

# The weights of a prompt's words, of 256.
FULL = 256
WEAK = 154
MAX_PROMPT_WORDS = 1024
# In larger stores too much that is far away has signs like those of a prompt.
MAX_BY_SIGNS = 65_536


def prompt_words(snapshot: "Snapshot", text: str) -> list[tuple[str, int]]:
    """The words of a prompt, each with the weight that its rarity in the snapshot gives it."""
    documents = len(snapshot)
    weighted = []
    for word in vector_words(ends(text))[:MAX_PROMPT_WORDS]:
        terms = document_terms(word)
        rarity = isqrt(bm25.idf(documents, frequency(snapshot, terms[0])) << 8) if terms else 0
        weighted.append((word, rarity * (WEAK if is_weak_word(word) else FULL) >> 8))
    return weighted


def frequency(snapshot: "Snapshot", term: str) -> int:
    """In how many documents a term stands."""
    text = term.encode()
    places = [(part, part.segment.terms().find(text)) for part in snapshot.parts]
    return sum([part.count_living(TERMS, place) for part, place in places if place is not None])


def search_vectors(snapshot: "Snapshot", prompt: str, k: int, acceptance: "Acceptance") -> list[tuple[int, int]]:
    """Position and cosine of the `k` accepted documents nearest to a prompt."""
    return nearest(snapshot, *row_of_words(prompt_words(snapshot, prompt)), k, acceptance)


def vector_parts(snapshot: "Snapshot", position: int, prompt: str) -> "list[ScorePart]":
    """The one part of that score of the document at a position: the cosine, where it is above 0."""
    points = cosine_at(snapshot, position, *row_of_words(prompt_words(snapshot, prompt)))
    return [("semantic", "", "", points)] if points > 0 else []


def nearest(snapshot: "Snapshot", row: "Row", norm: int, k: int, acceptance: "Acceptance") -> list[tuple[int, int]]:
    """Position and cosine of the `k` accepted documents nearest to a row, those with a cosine above 0.

    All are compared; the nearest comes first, equal ones in the order of documents.
    """

    if norm == 0:
        return []

    def ranked(part: "SnapshotPart") -> list[tuple[int, int]]:
        cosines = part.vectors().cosines(range(part.segment.documents()), row, norm)
        return sorted((-points, number) for number, points in enumerate(cosines) if points > 0)

    return [(position, -key) for position, key in _first(snapshot, ranked, k, acceptance)]


def near_by_signs(snapshot: "Snapshot", row: "Row", k: int, acceptance: "Acceptance") -> list[int]:
    """The positions of the `k` accepted documents whose signs differ in the fewest columns from those of a row.

    Equal ones come in the order of documents. Nothing is near a row of zeros, which has norm 0, nor is such a row near
    anything; and nothing is in a store of more than 65,536 documents.
    """
    if len(snapshot) > MAX_BY_SIGNS or not any(row):
        return []
    code = sign_code(bytes([value & 0xFF for value in row]))

    def ranked(part: "SnapshotPart") -> "Iterable[tuple[int, int]]":
        vectors = part.vectors()
        distances = vectors.distances(code)
        for distance in range(DIMENSIONS + 1):
            number = distances.find(distance)
            while number >= 0:
                if vectors.norm(number):
                    yield distance, number
                number = distances.find(distance, number + 1)

    return [position for position, _distance in _first(snapshot, ranked, k, acceptance)]


def cosine_at(snapshot: "Snapshot", position: int, row: "Row", norm: int) -> int:
    """The cosine of the document at a position and a row of this norm; 0 where there is no such document."""
    place = snapshot.place(position)
    if place is None:
        return 0
    vectors, number = snapshot.parts[place[0]].vectors(), place[1]
    other = vectors.norm(number)
    return cosine(row, norm, vectors.row(number), other) if other else 0


def cosines_at(snapshot: "Snapshot", positions: list[int], row: "Row", norm: int) -> list[int]:
    """As `cosine_at`, of the documents at several positions."""
    found = dict.fromkeys(positions, 0)
    for part, view in enumerate(snapshot.parts):
        places = [
            (position, place) for position in positions if (place := snapshot.place(position)) and place[0] == part
        ]
        cosines = view.vectors().cosines([number for _position, (_part, number) in places], row, norm)
        found.update(zip([position for position, _place in places], cosines, strict=True))
    return [found[position] for position in positions]


def _first(
    snapshot: "Snapshot",
    ranked: "Callable[[SnapshotPart], Iterable[tuple[int, int]]]",
    k: int,
    acceptance: "Acceptance",
) -> list[tuple[int, int]]:
    """Position and key of the first `k` accepted documents, by keys, then in the order of documents.

    `ranked` gives keys and numbers of a part's documents in their order.
    """
    found: list[tuple[int, object, int]] = []
    for place, part in enumerate(snapshot.parts):
        taken = 0
        for key, number in ranked(part) if k > 0 else ():
            if number in part.dead or part.status(number) not in acceptance.statuses:
                continue
            if part.takes(number, acceptance):
                order = part.order_key(number) if len(snapshot.parts) > 1 else number
                found.append((key, order, snapshot.position(place, number)))
                taken += 1
                if taken == k:
                    break
    found.sort()
    return [(position, key) for key, _order, position in found[:k]]
