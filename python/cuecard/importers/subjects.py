"""Gives a title the subject that it does not name, and finds the topics in headings.

Rules: docs/reference/import.md, "Titles and tags".
"""

import re

from ..basics.tables import read_words
from ..store.records.record_limits import MAX_TITLE_CHARS
from . import rule_words
from .titles import clean_heading, make_title

MAX_TOPICS = 5
# A title with fewer words that name something does not say what it is about.
MIN_NAMING_WORDS = 3
# With at most so many words, a short heading helps.
MAX_NAMING_WORDS, MAX_HEAD_WORDS = 4, 3
# Words that begin alike count as one, such as `tests` and `testing`.
ROOT_CHARS = 4
# A word such as `it` needs this many words before it that it can stand for.
MIN_WORDS_BEFORE = 2
_WORD = re.compile(r"[^\W_]+(?:['\u2019.+#-]+[^\W_]+)*[+#]*")
# Words for a thing that was named before.
_POINTING = re.compile(
    r"\b(?:it|its|them|they|those|these|both|ones|instead(?! of)|the (?:two|three|same|other|former|latter)"
    r"|(?:this|that|such|one)(?= (?:is|are|was|has|will|can|must|should|for|in|to|and|or)\b)"
    r"|such an?|to \w+ this|(?:in|to|use|for|from|with|on|follow|run|see|state|stating) (?:this|that|those|these)"
    r"(?! (?:repo|repository|project|package|app|codebase|monorepo|workspace|library|service|sdk))"
    r"|(?:this|that) (?:way|approach|pattern|structure|style|rule|order|one))\b",
    re.IGNORECASE,
)
# These point elsewhere wherever they stand.
_ELSEWHERE = re.compile(
    r"\b(?:here|there|above|below)\b(?! (?:is|are)\b)|\b(?:this|these|those|(?:add|needs?|has|have) one)(?: \w+)?$",
    re.IGNORECASE,
)
# A sentence without a subject.
_NO_SUBJECT = re.compile(
    r"^(?:(?:never|always|only|also) )?(?:is|are|was|were|has|must|cannot|should|can|will)\b|^not \w+(?:ed|en)\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[A-Za-z]\w*[._:()@-]\w|\w/|\w+\(\)|[a-z]+[A-Z]\w|\b[A-Z]{2,}[a-z]?\b|\b\w*\d\w*\b|`|--?\w")
_BY_THE_WAY = frozenset(read_words("import_words", "words that name nothing"))
# Words in headings that name no topic.
_NO_TOPIC = _BY_THE_WAY | frozenset(read_words("import_words", "words of headings"))


def names_subject(title: str) -> bool:
    """Whether a title says what it is about, so that somebody who knows only the title understands it."""
    title = title[: 2 * MAX_TITLE_CHARS]
    return not leans_on_another(title) and (_has_identifier(title) or len(_naming_words(title)) >= MIN_NAMING_WORDS)


def with_subject(title: str, *heads: str, is_needed: bool = False) -> str:
    """A title with one of `heads` in front, if it does not name its subject or `is_needed`.

    The first head counts that adds a topic to the title and is short enough. A title that names little gets a short
    heading too.
    """
    is_clear = names_subject(title) and not is_needed
    if is_clear and (_has_identifier(title) or len(_naming_words(title)) > MAX_NAMING_WORDS):
        return title
    known = set(map(_root_of, _WORD.findall(title)))
    for head in heads:
        before = head.rpartition(": ")[2] if is_clear else head
        words = _WORD.findall(before)
        is_new = any(_root_of(word) not in known and word.lower() not in _NO_TOPIC for word in words)
        is_too_much = is_clear and (len(words) > MAX_HEAD_WORDS or any(_root_of(word) in known for word in words))
        is_short = len(before) + 2 + len(title) <= MAX_TITLE_CHARS
        if is_new and not is_too_much and (is_short or not is_clear):
            return f"{before}: {title}" if is_short else make_title(title, before)
    return title


def leans_on_another(title: str) -> bool:
    """Whether a title needs the text before it, because it has a word for a thing that was named there."""
    pointing = _POINTING.search(title)
    is_bare = pointing is not None and len(_naming_words(title[: pointing.start()])) < MIN_WORDS_BEFORE
    return bool(_NO_SUBJECT.match(title) or rule_words.begins_with_effect(title) or _ELSEWHERE.search(title)) or is_bare


def _has_identifier(title: str) -> bool:
    return bool(_IDENTIFIER.search(title.partition(" ")[2]))


def names_topic(heading: str) -> bool:
    """Whether a heading names a topic, and not only what every file of instructions has."""
    return any(word.lower() not in _NO_TOPIC for word in _WORD.findall(heading))


def topics_of(*headings: str) -> tuple[str, ...]:
    """The topics that headings name, as tags: their words in small letters, without words that every file has."""
    words = [word.lower() for heading in headings for word in re.split(r"[\s/_.:-]+", clean_heading(heading))]
    plain = [re.sub(r"[^\w+#]", "", word) for word in words]
    topics = [word for word in plain if len(word) > 1 and not word.isdigit() and word not in _NO_TOPIC]
    return tuple(dict.fromkeys(topics))[:MAX_TOPICS]


def _naming_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.lower() not in _BY_THE_WAY]


def _root_of(word: str) -> str:
    return word.lower()[:ROOT_CHARS]
