"""Makes prompts from the words of a memory's title or body; the words can be inflected or abbreviated."""

import re

from .._backend import STOP_WORDS, WEAK_WORDS, document_terms, stem
from ..basics.tables import read_lines, read_words

# A word in any script: it begins with a letter, and can contain digits and the signs `_`, `.`, `-` and `/`, as
# identifiers do.
_WORD = re.compile(r"[^\W\d_][\w.\-/]*[^\W_]|[^\W\d_]")
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|\n+")
_HANGUL = re.compile(r"[가-힣]+$")
_PLAIN = re.compile(r"[a-z]{4,}$")
_VOWELS = "aeiou"
_FILE = "query_templates"
_INVARIABLE = frozenset(read_words(_FILE, "invariable"))

TITLE_WORDS = 5
MIN_WORDS, MAX_BODY_WORDS = 3, 8
# Words and the abbreviations that developers use for them.
_SHORT_FORMS = dict([line.split(" ") for line in read_lines(_FILE, "short_forms")])


def language_of(text: str) -> str:
    """`ko` if the text contains Hangul, else `en`."""
    return "ko" if any("가" <= char <= "힣" for char in text) else "en"


def title_words(title: str, pick: int) -> str:
    """Some consecutive content words of a title, chosen by `pick`; "" if the title has fewer than two."""
    words = content_words(title)
    if len(words) < 2:
        return ""
    count = min(TITLE_WORDS, max(2, (2 * len(words) + 2) // 3))
    begin = pick % (len(words) - count + 1)
    return " ".join(words[begin : begin + count])


def body_words(title: str, body: str, pick: int) -> str:
    """Words of one sentence of the body that are not in the title; "" if no sentence has `MIN_WORDS` such words."""
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
    """Words of a title in other grammatical forms; "" if no word has another form."""
    words = title_words(title, pick).split()
    others = [_inflect(word) for word in words]
    return " ".join(others) if others != words else ""


def abbreviated(title: str, pick: int) -> str:
    """Words of a title with the usual abbreviations; "" if no word has one, or if the title has only one word."""
    words = content_words(title)
    others = [_SHORT_FORMS.get(word, word) for word in words]
    if others == words or len(words) < 2:
        return ""
    # Choose a window of words that contains an abbreviation.
    place = next(position for position, word in enumerate(words) if word in _SHORT_FORMS)
    begin = max(0, min(place - pick % TITLE_WORDS, len(others) - TITLE_WORDS))
    return " ".join(others[begin : begin + TITLE_WORDS])


def content_words(text: str) -> list[str]:
    """The words of a text, without stop words and repetitions. Words are in lower case, except identifiers."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match.group()
        lower = word.lower()
        # Users paste identifiers, so they keep their case.
        is_plain = word[1:] == lower[1:] and not any(mark in word for mark in "_./-")
        shown = lower if is_plain else word
        if lower not in STOP_WORDS and document_terms(word) and len(word) > 1:
            found[shown] = None
    return list(found)


def _inflect(word: str) -> str:
    """Another grammatical form of a word; the word itself if no rule gives one."""
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
    """The Korean object particle for a word, which depends on whether the last syllable ends in a consonant."""
    return "을" if (ord(word[-1]) - ord("가")) % 28 else "를"
