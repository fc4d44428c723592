"""The language of a text other than English, by its function words (SPEC 19.8)."""

from ..basics.tables import find_row
from .letters import LETTER
from .term_words import STOP_WORDS
from .terms import kind_of, lower_ascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Fewer function words may be names or a quotation.
MIN_WORDS = 2


def function_words(chunks: "Iterable[str]") -> frozenset[str]:
    """The function words in the chunks of a text, in lower case, of the language that it is in; none of English.

    That language has the most of these words, two at least, and more of them than there are stop words. Of languages
    that have equally many the first one is taken, by name.
    """
    words = {lower_ascii(chunk) for chunk in chunks if kind_of(chunk) == LETTER}
    of_language: dict[str, set[str]] = {}
    for word in words:
        for language in find_row("languages", "function_words", word).split():
            of_language.setdefault(language, set()).add(word)
    most = max(map(len, of_language.values()), default=0)
    if most < MIN_WORDS or most <= len(words & STOP_WORDS):
        return frozenset()
    return frozenset(of_language[min(language for language, found in of_language.items() if len(found) == most)])
