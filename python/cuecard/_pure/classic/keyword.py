"""The keyword retriever: exact and prefix matches of title, tags and category description (SPEC 7).

Two revisions: `current` (seed 003) and `classic` (seeds 000 and 002).
"""

from ..text.tokenize import prompt_tokens, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TITLE_POINTS = 2
TAG_POINTS = 3
PREFIX_POINTS = 1
DESCRIPTION_POINTS_MAX = 2
PREFIX_LENGTH = 4

PRIORITIES = {
    "DECISION": 1,
    "CONSTRAINT": 2,
    "PREFERENCE": 3,
    "RUNBOOK": 4,
    "TECH_DEBT": 5,
    "SESSION_SUMMARY": 6,
}
LAST_PRIORITY = 10


class Query:
    """A prompt, prepared for scoring many memories."""

    def __init__(self, prompt: str, revision: str, descriptions: list[tuple[str, str]]) -> None:
        """Tokenize the prompt, and score the description of each category once."""
        self.tokens = prompt_tokens(prompt, revision)
        self.revision = revision
        self.matches_reverse = revision == "current"
        self.describes_unmatched = revision == "classic"
        self.descriptions = {key.upper(): text for key, text in descriptions if key.isascii()}
        self.description_points = {
            category: description_points(*match_description(self, text), revision)
            for category, text in self.descriptions.items()
        }


def shortlist(query: Query, entries: "Iterable[tuple[int, str, str, Sequence[str]]]") -> list[tuple[int, int]]:
    """Position and score of every entry with a score above 0, best first (SPEC 7.4).

    An entry consists of position, category, title and tags.
    """
    if not query.tokens:
        return []
    scored, categories = [], {}
    for position, category, title, tags in entries:
        parts = explain_entry(query, category, frozenset(tokenize(title, "current")), frozenset(tags))
        if score := sum([points for _kind, _token, _matched, points in parts]):
            scored.append((position, score))
            categories[position] = category
    return order(scored, categories.__getitem__)


def is_prefix_match(token: str, target: str, matches_reverse: bool) -> bool:
    """Whether `target` begins with `token` or, with `matches_reverse`, `token` with `target` (both from 4 letters)."""
    if len(token) < PREFIX_LENGTH:
        return False
    return target.startswith(token) or (matches_reverse and len(target) >= PREFIX_LENGTH and token.startswith(target))


def match_description(query: Query, description: str) -> tuple[list[str], list[str]]:
    """The prompt tokens that equal a token of the description, and the others that are a prefix of such a token."""
    words = tokenize(description, query.revision)
    equal = [token for token in query.tokens if token in words]
    others = [token for token in query.tokens if token not in words]
    return equal, [token for token in others if any(is_prefix_match(token, word, False) for word in words)]


def description_points(equal: list[str], begun: list[str], revision: str) -> int:
    """The points, 0 to 2, that a category's description gets for its equal and its prefix matches (SPEC 7.2)."""
    # Points are counted in halves, so that both revisions round by integer arithmetic.
    halves = 2 * len(equal) + len(begun)
    rounded = (halves + 1) // 2 if revision == "current" else halves // 2
    return min(DESCRIPTION_POINTS_MAX, rounded)


def order(scored: list[tuple[int, int]], category: "Callable[[int], str]") -> list[tuple[int, int]]:
    """Sort by score, best first, then by priority of the category; the sort is stable (SPEC 7.4)."""
    return sorted(scored, key=lambda hit: (-hit[1], PRIORITIES.get(category(hit[0]), LAST_PRIORITY)))


def explain_entry(
    query: Query, category: str, title_tokens: frozenset[str], tags: frozenset[str]
) -> list[tuple[str, str, str, int]]:
    """The parts `(kind, token, matched, points)` of a memory's score; the points sum to the score (SPEC 7.5)."""
    parts = []
    targets = sorted(title_tokens | tags)
    for token in query.tokens:
        if token in title_tokens:
            parts.append(("title", token, token, TITLE_POINTS))
        if token in tags:
            parts.append(("tag", token, token, TAG_POINTS))
        if token in title_tokens or token in tags:
            continue
        begun = [target for target in targets if is_prefix_match(token, target, False)]
        found = begun or [target for target in targets if is_prefix_match(token, target, query.matches_reverse)]
        if found:
            parts.append(("prefix", token, found[0], PREFIX_POINTS))
    points = query.description_points.get(category, 0)
    if points and (parts or query.describes_unmatched):
        equal, begun = match_description(query, query.descriptions[category])
        parts.append(("description", " ".join(equal + begun), category, points))
    return parts
