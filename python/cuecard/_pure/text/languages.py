"""Finds the language of a text by its function words, unless it is English (SPEC 19.8)."""

from ...basics.tables import find_row
from .letters import LETTER
from .term_words import STOP_WORDS
from .terms import kind_of, lower_ascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# With fewer function words, they may belong to a name or a quotation.
MIN_WORDS = 2


def function_words(chunks: "Iterable[str]") -> frozenset[str]:
    """Return the function words of a text in the language that it is written in; none for an English text.

    The language is the one with the most function words in the chunks: at least two, and more than there are English
    stop words. With equal counts the first language by name wins. The words are in lower case.
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
