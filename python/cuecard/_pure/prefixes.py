"""Terms of a prompt that no document has, matched with those that begin alike (SPEC 22.9)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .snapshot import Snapshot

    QueryTerm = tuple[str, int, str]

MIN_LENGTH = 4
FORWARD_MAX = 16
DISCOUNTED = 128
FULL = 256


def expand_prefixes(snapshot: "Snapshot", terms: "list[QueryTerm]") -> "list[QueryTerm]":
    """The terms, and behind them those of the documents that one without documents begins, or that begin it."""
    from .layout import TERMS
    from .nearest import frequency
    from .snapshot import living_texts

    known = {term for term, _weight, _word in terms}
    found: dict[str, str] = {}
    for term, weight, word in terms:
        if weight != FULL or len(term) < MIN_LENGTH or not (term.isascii() and term.isalpha()):
            continue
        if frequency(snapshot, term):
            continue
        likes = [
            text.decode("utf-8", "replace") for text in living_texts(snapshot.parts, TERMS, term.encode(), FORWARD_MAX)
        ]
        likes += [term[:length] for length in range(MIN_LENGTH, len(term)) if frequency(snapshot, term[:length])]
        for other in likes:
            if other not in known:
                found.setdefault(other, word)
    return terms + [(term, DISCOUNTED, word) for term, word in found.items()]
