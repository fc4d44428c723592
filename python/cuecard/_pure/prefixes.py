"""Terms of a prompt that no document has, matched with those that begin alike (SPEC 22.9)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .segment import Segment

    QueryTerm = tuple[str, int, str]

MIN_LENGTH = 4
FORWARD_MAX = 16
DISCOUNTED = 128
FULL = 256


def expand_prefixes(segments: "list[Segment]", terms: "list[QueryTerm]") -> "list[QueryTerm]":
    """The terms, and behind them those of the dictionaries that one without documents begins, or that begin it."""
    known = {term for term, _weight, _word in terms}
    found: dict[str, str] = {}
    for term, weight, word in terms:
        if weight != FULL or len(term) < MIN_LENGTH or not (term.isascii() and term.isalpha()):
            continue
        text = term.encode()
        if any(segment.terms().find(text) is not None for segment in segments):
            continue
        for segment in segments:
            dictionary = segment.terms()
            entries = list(dictionary.range(text)[:FORWARD_MAX])
            for length in range(MIN_LENGTH, len(text)):
                entry = dictionary.find(text[:length])
                if entry is not None:
                    entries.append(entry)
            for entry in entries:
                other = dictionary.text(entry).decode("utf-8", "replace")
                if other not in known:
                    found.setdefault(other, word)
    return terms + [(term, DISCOUNTED, word) for term, word in found.items()]
