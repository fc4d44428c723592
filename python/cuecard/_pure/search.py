"""From a prompt to the best documents of a snapshot, by strategy, and why (SPEC 21, 22.3 to 22.7)."""

from .filters import ACTIVE_ONLY, Acceptance, Filters
from .keyword import LAST_PRIORITY, PRIORITIES, Query, explain_entry
from .keyword_lookup import score_words
from .segment import search as search_segments
from .segment import weigh
from .strategy import find_strategy, revision_of
from .tokenize import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .snapshot import Snapshot, SnapshotPart

Descriptions = list[tuple[str, str]]
Synonyms = list[list[str]]
# Kind, piece of the prompt, what it matched, points.
Part = tuple[str, str, str, int]
Scored = tuple[int, int]

# What a term of the prompt in the description of a memory's category counts, as an impact.
DESCRIPTION_IMPACT = 32


def search(
    snapshot: "Snapshot",
    prompt: str,
    strategy: str,
    k: int,
    descriptions: Descriptions,
    synonyms: Synonyms,
    filters: Filters | None = None,
) -> list[Scored]:
    """Position and score of the best `k` accepted documents, best first. Raises UsageError for a strategy."""
    acceptance = Acceptance(filters or ACTIVE_ONLY)
    name = find_strategy(strategy)
    if name == "bm25":
        return _search_lexical(snapshot, prompt, k, descriptions, synonyms, acceptance)
    if name == "tfidf":
        return _search_tf_idf(snapshot, prompt, k, descriptions, synonyms, acceptance)
    query = Query(prompt, revision_of(strategy), descriptions)
    return _search_keyword(snapshot, query, k, acceptance)


def explain(
    snapshot: "Snapshot",
    position: int,
    prompt: str,
    strategy: str,
    descriptions: Descriptions,
    synonyms: Synonyms,
) -> list[Part]:
    """The parts of the score of the document at a position; they sum to it. IndexError outside.

    For `tfidf` they are the ranks among the active documents, whatever a search has filtered.
    """
    revision, name = revision_of(strategy), find_strategy(strategy)
    document = snapshot.stored(position)
    parts = document.parts() if document else None
    if parts is None:
        raise IndexError("snapshot position out of range")
    category, title, _path, tags = parts
    if name == "tfidf":
        return _explain_ranks(snapshot, position, prompt, descriptions, synonyms)
    if name == "bm25":
        return _explain_lexical(snapshot, position, prompt, descriptions, synonyms)
    query = Query(prompt, revision, descriptions)
    return explain_entry(query, category, frozenset(tokenize(title, "current")), frozenset(tags))


def order_keyword(snapshot: "Snapshot", hits: list[Scored]) -> list[Scored]:
    """Hits of the keyword leg, whose scores have changed, in its order: by score, priority of the category, then as
    they came (SPEC 8.3)."""

    def key(hit: Scored) -> tuple[int, int]:
        place = snapshot.place(hit[0])
        category = snapshot.parts[place[0]].category(place[1]) if place else ""
        return -hit[1], PRIORITIES.get(category, LAST_PRIORITY)

    return sorted(hits, key=key)


def _search_keyword(snapshot: "Snapshot", query: Query, k: int, acceptance: Acceptance) -> list[Scored]:
    """The shortlist of SPEC 7.4 over the accepted documents."""
    if not query.tokens:
        return []
    best: list[tuple[int, int, object, int]] = []
    for place, part in enumerate(snapshot.parts):
        scores = score_words(part.segment, query)
        if query.describes_unmatched and any(query.description_points.values()):
            scores = {number: scores.get(number, 0) for number in range(part.segment.documents())}
        ranked = []
        for number, points in scores.items():
            if number in part.dead or part.status(number) not in acceptance.statuses:
                continue
            category = part.category(number)
            score = points + query.description_points.get(category, 0)
            if score:
                ranked.append((-score, PRIORITIES.get(category, LAST_PRIORITY), number))
        ranked.sort()
        taken: list[tuple[int, int, int]] = []
        for score, priority, number in ranked:
            if len(taken) == k:
                break
            if _takes(part, number, acceptance):
                taken.append((score, priority, number))
        for score, priority, number in taken:
            key = _order_key(part, number) if len(snapshot.parts) > 1 else number
            best.append((score, priority, key, snapshot.position(place, number)))
    best.sort()
    return [(position, -score) for score, _priority, _key, position in best[:k]]


def _search_lexical(
    snapshot: "Snapshot",
    prompt: str,
    k: int,
    descriptions: Descriptions,
    synonyms: Synonyms,
    acceptance: Acceptance,
) -> list[Scored]:
    terms = [(term, q) for term, q, _word in _query_terms(snapshot, prompt, synonyms)]
    parts = snapshot.parts
    bonuses = _bonuses(snapshot, terms, descriptions)
    found = search_segments(
        [part.segment for part in parts],
        terms,
        k,
        [[bonuses.get(name, 0) for name in part.names()] for part in parts] if bonuses else None,
        lambda place, number: (
            parts[place].status(number) in acceptance.statuses and _takes(parts[place], number, acceptance)
        ),
        lambda place, number: _order_key(parts[place], number),
    )
    return [(snapshot.position(place, number), score) for place, number, score in found]


def _search_tf_idf(
    snapshot: "Snapshot",
    prompt: str,
    k: int,
    descriptions: Descriptions,
    synonyms: Synonyms,
    acceptance: Acceptance,
) -> list[Scored]:
    from .tf_idf import fuse

    points = fuse(_rankings(snapshot, prompt, descriptions, synonyms, acceptance))
    ranked = sorted(points, key=lambda position: (-points[position], _position_key(snapshot, position), position))
    return [(position, points[position]) for position in ranked[:k]]


def _rankings(
    snapshot: "Snapshot", prompt: str, descriptions: Descriptions, synonyms: Synonyms, acceptance: Acceptance
) -> list[list[int]]:
    """What the keyword leg and the vectors each find, best first."""
    from .tf_idf import POOL, cosines

    terms = [(term, q) for term, q, _word in _query_terms(snapshot, prompt, synonyms)]
    by_vector: list[tuple[int, object, int]] = []
    found = cosines([part.segment for part in snapshot.parts], terms)
    for place, (part, scores) in enumerate(zip(snapshot.parts, found, strict=True)):
        ranked = sorted([(-score, number) for number, score in scores.items()])
        taken = 0
        for score, number in ranked:
            if taken == POOL:
                break
            if part.status(number) in acceptance.statuses and _takes(part, number, acceptance):
                key = _order_key(part, number) if len(snapshot.parts) > 1 else number
                by_vector.append((score, key, snapshot.position(place, number)))
                taken += 1
    by_vector.sort()
    query = Query(prompt, "current", descriptions)
    by_keyword = _search_keyword(snapshot, query, POOL, acceptance)
    return [
        [position for position, _score in by_keyword],
        [position for _score, _key, position in by_vector[:POOL]],
    ]


def _explain_ranks(
    snapshot: "Snapshot", position: int, prompt: str, descriptions: Descriptions, synonyms: Synonyms
) -> list[Part]:
    from .tf_idf import fuse

    rankings = _rankings(snapshot, prompt, descriptions, synonyms, Acceptance(ACTIVE_ONLY))
    parts = []
    for leg, ranking in zip(("keyword", "tfidf"), rankings, strict=True):
        if position in ranking:
            points = fuse([ranking])[position]
            parts.append((leg, "", f"rank {ranking.index(position) + 1}", points))
    return parts


def _explain_lexical(
    snapshot: "Snapshot", position: int, prompt: str, descriptions: Descriptions, synonyms: Synonyms
) -> list[Part]:
    from .layout import TERM_POSTINGS
    from .postings import read_list
    from .terms import document_terms

    place = snapshot.place(position)
    document = snapshot.stored(position)
    line = document.parts() if document else None
    if place is None or line is None:
        return []
    _category, title, _path, tags = line
    in_title, in_tags = document_terms(title), document_terms("\n".join(tags))
    part = snapshot.parts[place[0]]
    query = _query_terms(snapshot, prompt, synonyms)
    words = {term: word for term, _q, word in query}
    terms = [(term, q) for term, q, _word in query]
    segments = [each.segment for each in snapshot.parts]
    parts: list[Part] = []
    for term, weight, entries in weigh(segments, terms, [each.dead for each in snapshot.parts]):
        for posting in read_list(part.segment.section(TERM_POSTINGS), entries[place[0]], part.segment.documents()):
            if posting >> 8 == place[1]:
                field = "title" if term in in_title else "tag" if term in in_tags else "body"
                parts.append((field, words[term], term, weight * (posting & 0xFF)))
    category = part.name_of(place[1])
    bonus = _bonuses(snapshot, terms, descriptions).get(category, 0) if parts and category is not None else 0
    if bonus and category is not None:
        parts.append(("description", "", category, bonus))
    return parts


def _query_terms(snapshot: "Snapshot", prompt: str, synonyms: Synonyms) -> list[tuple[str, int, str]]:
    """Term, weight and piece of the prompt of all that is looked for."""
    from .prefixes import expand_prefixes
    from .prompt_terms import query_terms

    return expand_prefixes([part.segment for part in snapshot.parts], query_terms(prompt, synonyms))


def _bonuses(snapshot: "Snapshot", terms: list[tuple[str, int]], descriptions: Descriptions) -> dict[str, int]:
    """What the descriptions of categories add to their documents (SPEC 21.3); by name, none of 0."""
    if not descriptions:
        return {}
    from .terms import document_terms

    segments = [part.segment for part in snapshot.parts]
    matched = weigh(segments, terms, [part.dead for part in snapshot.parts])
    bonuses = {}
    for key, text in descriptions:
        described = frozenset(document_terms(text))
        weight = sum(weight for term, weight, _entries in matched if term in described)
        if key.isascii() and weight:
            bonuses[key.upper()] = weight * DESCRIPTION_IMPACT
    return bonuses


def _takes(part: "SnapshotPart", number: int, acceptance: Acceptance) -> bool:
    """Whether the filters beyond the status accept a document."""
    if acceptance.is_by_status:
        return True
    document = part.document(number)
    return document is not None and acceptance.takes(document)


def _order_key(part: "SnapshotPart", number: int) -> tuple[str, str, int, str]:
    document = part.document(number)
    return document.order_key() if document else ("", "", 0, "")


def _position_key(snapshot: "Snapshot", position: int) -> tuple[str, str, int, str]:
    place = snapshot.place(position)
    return _order_key(snapshot.parts[place[0]], place[1]) if place else ("", "", 0, "")
