"""Finds titles that do not say what their memory says: too short, only names of things, or cut in a sentence."""

import re

from ..._backend import KEYWORD_STOP_WORDS as STOP_WORDS
from ..._backend import texts_in
from ...basics.tables import read_words
from ...store.records.memory import Memory
from ..comparing.similarity import split_words

# A title with fewer words than this is weak; stop words do not count.
MIN_TITLE_WORDS = 2
# With so many words, a title that has no verb names a thing, such as `Project structure`.
MAX_NAMING_WORDS = 3
# The end of a title that is looked up in the text, to see what follows.
END_CHARS = 24
_VERBS = frozenset(read_words("import_words", "verbs"))
_ORDERS = _VERBS.union(read_words("import_words", "verbs or nouns"))
_STATING = frozenset("is are was were has have must should may can cannot will needs need live lives run runs".split())
# An identifier, a path or a number says more than a name of a thing.
_PRECISE = re.compile(r"\w[._/:()@`]\w|[a-z][A-Z]|\d|`|\b[A-Z]{2,}\b")
_ELSEWHERE = re.compile(r"^(?:on|about|regarding) the\b|\b(?:above|below|the following)\W*$|[,:;(]$", re.IGNORECASE)
_ASIDE = re.compile(r"^ \([^()]{0,200}\)")
_MARKUP = re.compile(r"[*_`\[\]]")
# What may follow a title that ends at a clause: an addition, a reason or a condition.
_GOES_ON = re.compile(
    r"^ (?!(?:and|or|so|by|using|via|as|since|while|rather|instead|because|which|unless|when|if|where|for|in|on|to|with"
    r"|but|before|after|until|from|at|e\.g)\b)[a-z]"
)


def is_weak(title: str) -> bool:
    """Whether a title has fewer than two words that say something."""
    return len(_saying(title)) < MIN_TITLE_WORDS


def says_little(memory: Memory) -> bool:
    """Whether the title of an imported memory only names a thing, points elsewhere, or is cut within a sentence."""
    title = memory.title.strip()
    # `Testing rules: Naming` names a thing of a thing.
    parts = [_saying(part) for part in title.split(": ")]
    is_short = all(len(words) <= MAX_NAMING_WORDS for words in parts)
    is_name = is_short and not any(map(_has_verb, (title, *title.split(": ")))) and not _PRECISE.search(title)
    return is_name or bool(_ELSEWHERE.search(title)) or title.endswith("\u2026") or _is_cut(title, memory)


def _saying(title: str) -> list[str]:
    return [word for word in split_words(title) if word not in STOP_WORDS]


def _has_verb(text: str) -> bool:
    """Whether a text begins with an order, or has a verb behind its first word; one at the end may be a noun."""
    words = split_words(text)
    behind = words[1:-1]
    return (
        bool(words[1:] and words[0] in _ORDERS)
        or not _STATING.isdisjoint(words)
        or any(word.endswith("s") and (word[:-1] in _VERBS or word[:-2] in _VERBS) for word in behind)
    )


def _is_cut(title: str, memory: Memory) -> bool:
    """Whether the sentence that a title begins goes on behind its end."""
    end = _MARKUP.sub("", title)[-END_CHARS:]
    for text in texts_in(memory.record.get("content")) if len(title) > END_CHARS else ():
        line = " ".join(_MARKUP.sub("", text).split())
        at = line.find(end)
        if at >= 0:
            return bool(_GOES_ON.match(_ASIDE.sub("", line[at + len(end) :])))
    return False
