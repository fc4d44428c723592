"""Templates that make prompts of a memory's own words: of its title, of its body, inflected or abbreviated."""

import re

from ..basics.tables import read_lines, read_words
from ..text.stem import stem
from ..text.term_words import STOP_WORDS, WEAK_WORDS
from ..text.terms import document_terms

# A word of letters and what may stand inside an identifier; a run of Hangul, Han or kana.
_WORD = re.compile(r"[^\W\d_][\w.\-/]*[^\W_]|[^\W\d_]")
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|\n+")
_HANGUL = re.compile(r"[가-힣]+$")
_PLAIN = re.compile(r"[a-z]{4,}$")
_VOWELS = "aeiou"
_FILE = "query_templates"
_INVARIABLE = frozenset(read_words(_FILE, "invariable"))

TITLE_WORDS = 5
MIN_WORDS, MAX_BODY_WORDS = 3, 8
# What developers write for short.
_SHORT_FORMS = dict([line.split(" ") for line in read_lines(_FILE, "short_forms")])


def language_of(text: str) -> str:
    """`ko` where there is Hangul, else `en`."""
    return "ko" if any("가" <= char <= "힣" for char in text) else "en"


def title_words(title: str, pick: int) -> str:
    """Some of a title's content words in their order; `pick` decides which. "" where the title has too few."""
    words = content_words(title)
    if len(words) < 2:
        return ""
    count = min(TITLE_WORDS, max(2, (2 * len(words) + 2) // 3))
    begin = pick % (len(words) - count + 1)
    return " ".join(words[begin : begin + count])


def body_words(title: str, body: str, pick: int) -> str:
    """The words of one of a body's sentences that are not in the title; "" where no sentence has enough of them."""
    known = set(document_terms(title))
    found = []
    for sentence in _SENTENCE_END.split(body):
        words = [word for word in content_words(sentence) if not known.intersection(document_terms(word))]
        if len(words) >= MIN_WORDS:
            found.append(words)
    if not found:
        return ""
    words = found[pick % len(found)]
    begin = pick // len(found) % max(1, len(words) - MAX_BODY_WORDS + 1)
    return " ".join(words[begin : begin + MAX_BODY_WORDS])


def inflected(title: str, pick: int) -> str:
    """A title's words in other forms; "" where none has one."""
    words = title_words(title, pick).split()
    others = [_inflect(word) for word in words]
    return " ".join(others) if others != words else ""


def abbreviated(title: str, pick: int) -> str:
    """A title's words with what has a usual short form in it; "" where none has one."""
    words = content_words(title)
    others = [_SHORT_FORMS.get(word, word) for word in words]
    if others == words or len(words) < 2:
        return ""
    # The window that has a short form in it.
    place = next(position for position, word in enumerate(words) if word in _SHORT_FORMS)
    begin = max(0, min(place - pick % TITLE_WORDS, len(others) - TITLE_WORDS))
    return " ".join(others[begin : begin + TITLE_WORDS])


def content_words(text: str) -> list[str]:
    """The words of a text that say something, in lower case unless they are identifiers, each once."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match.group()
        lower = word.lower()
        # An identifier is what somebody would paste.
        is_plain = word[1:] == lower[1:] and not any(mark in word for mark in "_./-")
        shown = lower if is_plain else word
        if lower not in STOP_WORDS and document_terms(word) and len(word) > 1:
            found[shown] = None
    return list(found)


def _inflect(word: str) -> str:
    """Another form of a word of the same root; the word itself where there is no telling."""
    if _HANGUL.match(word):
        return word + _particle(word)
    if not _PLAIN.match(word) or word in WEAK_WORDS or word in _INVARIABLE or word.endswith("ly"):
        return word
    if word.endswith("ing") and stem(word[:-3]) == stem(word):
        return f"{word[:-3]}ed"
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    if word.endswith("ed") and stem(word[:-2]) == stem(word):
        return f"{word[:-2]}ing"
    if word.endswith("e") and word[-2] not in _VOWELS:
        return f"{word[:-1]}ing"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def _particle(word: str) -> str:
    """The object particle; which one follows from whether the last syllable ends in a consonant."""
    return "을" if (ord(word[-1]) - ord("가")) % 28 else "를"
