"""The lexical retriever over a snapshot: the best documents for weighted terms, and why (SPEC 21)."""

from .layout import TERM_POSTINGS
from .postings import find_byte
from .prefixes import expand_prefixes
from .prompt_terms import query_terms as prompt_terms
from .segment import search as search_segments
from .segment import weigh
from .terms import document_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .filters import Acceptance
    from .search import Descriptions, Scored, ScorePart, Synonyms
    from .snapshot import Snapshot

# Term, weight of 1 to 256, piece of the prompt.
QueryTerm = tuple[str, int, str]

# What a term of the prompt in the description of a memory's category counts, as an impact.
DESCRIPTION_IMPACT = 32


def query_terms(snapshot: "Snapshot", prompt: str, synonyms: "Synonyms") -> list[QueryTerm]:
    """All that is looked for."""
    return expand_prefixes(snapshot, prompt_terms(prompt, synonyms))


def search_lexical(
    snapshot: "Snapshot", terms: list[QueryTerm], k: int, descriptions: "Descriptions", acceptance: "Acceptance"
) -> "list[Scored]":
    """Position and score of the best `k` accepted documents, best first."""
    query = [(term, q) for term, q, _word in terms]
    parts = snapshot.parts
    bonuses = category_bonuses(snapshot, query, descriptions)
    found = search_segments(
        [part.segment for part in parts],
        query,
        k,
        [[bonuses.get(name, 0) for name in part.names()] for part in parts] if bonuses else None,
        lambda place, number: (
            parts[place].status(number) in acceptance.statuses and parts[place].takes(number, acceptance)
        ),
        lambda place, number: parts[place].order_key(number),
    )
    return [(snapshot.position(place, number), score) for place, number, score in found]


def lexical_parts(
    snapshot: "Snapshot", position: int, terms: list[QueryTerm], descriptions: "Descriptions"
) -> "list[ScorePart]":
    """The parts of the score of the document at a position; they sum to it."""
    place = snapshot.place(position)
    document = snapshot.stored(position)
    line = document.parts() if document else None
    if place is None or line is None:
        return []
    _category, title, _path, tags = line
    in_title, in_tags = document_terms(title), document_terms("\n".join(tags))
    part = snapshot.parts[place[0]]
    words = {term: word for term, _q, word in terms}
    query = [(term, q) for term, q, _word in terms]
    segments = [each.segment for each in snapshot.parts]
    section = part.segment.section(TERM_POSTINGS)
    parts: list[ScorePart] = []
    for term, weight, entries in weigh(segments, query, [each.dead for each in snapshot.parts]):
        impact = find_byte(section, entries[place[0]], place[1])
        if impact:
            field = "title" if term in in_title else "tag" if term in in_tags else "body"
            parts.append((field, words[term], term, weight * impact))
    category = part.name_of(place[1])
    bonuses = category_bonuses(snapshot, query, descriptions) if parts else {}
    if category is not None and category in bonuses:
        parts.append(("description", "", category, bonuses[category]))
    return parts


def category_bonuses(
    snapshot: "Snapshot", terms: list[tuple[str, int]], descriptions: "Descriptions"
) -> dict[str, int]:
    """What the descriptions of categories add to their documents (SPEC 21.3); by name, none of 0."""
    if not descriptions:
        return {}
    segments = [part.segment for part in snapshot.parts]
    matched = weigh(segments, terms, [part.dead for part in snapshot.parts])
    bonuses = {}
    for key, text in descriptions:
        described = frozenset(document_terms(text))
        weight = sum(weight for term, weight, _entries in matched if term in described)
        if key.isascii() and weight:
            bonuses[key.upper()] = weight * DESCRIPTION_IMPACT
    return bonuses
