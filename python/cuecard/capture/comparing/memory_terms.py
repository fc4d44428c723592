"""Describes a memory by weighted terms, so that it can be compared with other memories, also in other languages.

Rules: docs/reference/succession.md, "Similarity".
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from ..._backend import CONTENT_LABELS as LABELS
from ..._backend import document_terms, engine, find_others, split_chunks
from ...basics.tables import read_lines, read_words
from ...store.records.memory import Memory
from ...store.records.record_file import Fields, extension_of
from ...store.records.unsaid import PLACEHOLDERS

# The weight of a term in the title, in the tags and questions, and in the content.
TITLE, TAGS, CONTENT = 2.0, 1.5, 1.0
# The share of the weight of a term that memories share whatever they are about: `after`, `flag`, `team`.
WEAK = 0.1
# The share of a term's weight that another term with the same meaning gets, and with nearly the same meaning.
SAME_MEANING, NEAR_MEANING = 0.9, 0.6
# Two adjacent words also count as one word, such as `power bank` and `powerbank`, if each has `MIN_PIECE` letters and
# the word has `MIN_JOINED` to `MAX_JOINED` letters.
MIN_PIECE, MIN_JOINED, MAX_JOINED = 3, 7, 20
# A German compound of at least `MIN_COMPOUND` letters may contain a word of at least `MIN_HALF` letters, such as
# `Luft` in `Luftfracht`.
MIN_COMPOUND, MIN_HALF = 8, 4
MAX_TEXT_CHARS = 4000
MAX_COUNT_DIGITS = 2
COMPOUNDING = "de"
_TABLE = "translations"
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KANA = re.compile("[\u3040-\u30ff]")
_KANA_AND_HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass
class MemoryTerms:
    """The weighted terms of a memory."""

    weights: dict[str, float]
    """The weight of each term: the weight of the field that contains it."""
    language: str
    fields: tuple[str, str, str]
    """Title, tags with questions, and content."""
    category: str
    memory: Memory | None = None
    _row: list[int] | None = field(default=None)

    def vector(self) -> list[int]:
        """The memory's embedding as integers."""
        if self._row is None:
            self._row = engine.document_row(*self.fields)[0]
        return self._row

    def halves(self) -> dict[str, list[str]]:
        """The known words with which compounds of this memory begin or end, each with its compounds. Only German."""
        found: dict[str, list[str]] = defaultdict(list)
        if self.language == COMPOUNDING:
            for term in self.weights:
                if len(term) >= MIN_COMPOUND and term.isalpha():
                    for half in _halves(term):
                        found[half].append(term)
        return found

    def joined(self) -> dict[str, float]:
        """The terms of every two adjacent words when written as one word, with their weights."""
        found: dict[str, float] = {}
        for text, weight in zip(self.fields, (TITLE, TAGS, CONTENT), strict=True):
            chunks = [chunk.lower() for chunk in split_chunks(text)]
            for one, other in itertools.pairwise(chunks):
                whole = one + other
                if min(len(one), len(other)) < MIN_PIECE or not MIN_JOINED <= len(whole) <= MAX_JOINED:
                    continue
                if whole.isascii() and whole.isalpha():
                    for term in document_terms(whole):
                        found[term] = max(found.get(term, 0.0), weight)
        return found

    def spelling(self) -> dict[str, str]:
        """For each term, the word from which it was made."""
        chunks = [chunk for text in self.fields for chunk in split_chunks(text)]
        return {term: chunk for chunk in chunks for term in reversed(document_terms(chunk))}


def describe_memory(record: Fields, category: str) -> MemoryTerms:
    """The terms of a record, without words that say nothing about a subject."""
    questions = extension_of(record).get("questions")
    title = "\n".join(_texts(record.get("title")))[:MAX_TEXT_CHARS]
    tags = "\n".join(_texts(record.get("tags")) + _texts(questions))[:MAX_TEXT_CHARS]
    content = record.get("content")
    said = {name: value for name, value in content.items() if name not in LABELS} if isinstance(content, dict) else {}
    body = "\n".join(_texts(said))[:MAX_TEXT_CHARS]
    language = _language(f"{title}\n{tags}\n{body}")
    empty = _empty_terms(language)
    weights: dict[str, float] = {}
    for text, weight in ((body, CONTENT), (tags, TAGS), (title, TITLE)):
        for term in document_terms(text):
            if term not in empty and not _is_count(term):
                weights[term] = weight * (WEAK if term in weak_terms() else 1)
    return MemoryTerms(weights, language, (title, tags, body), category)


def related_terms(term: str) -> dict[str, float]:
    """The terms with the same or nearly the same meaning as `term`, each with its share of the weight of `term`."""
    found = {other: NEAR_MEANING for other in find_others("near", term).split() if "+" not in other}
    found |= {other: SAME_MEANING for other in find_others("same", term).split() if "+" not in other}
    found |= dict.fromkeys(translated(term), SAME_MEANING)
    found.pop(term, None)
    return found


def translated(term: str) -> set[str]:
    """The term and the terms with its meaning in other languages; empty if the table does not have the term."""
    return {other for group in _translations().get(term, ()) for other in group}


def empty_terms_of(text: str) -> frozenset[str]:
    """The terms that carry no meaning in the language of a text."""
    return _empty_terms(_language(text))


@cache
def weak_terms() -> frozenset[str]:
    """The English terms that memories share whatever they are about."""
    words = {*read_words("words", "weak_words")}
    words |= {word for line in read_lines(_TABLE, "house") for word in line.split()[1:]}
    return frozenset([term for word in words for term in document_terms(word)])


def _is_count(term: str) -> bool:
    """Whether a term is a number of one or two digits: memories often share such a number by chance."""
    return len(term) <= MAX_COUNT_DIGITS and term.isdecimal()


def _texts(value: object) -> list[str]:
    """All texts within a value."""
    if isinstance(value, str):
        return [] if value in PLACEHOLDERS else [value]
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return [text for item in items for text in _texts(item)]


@cache
def _translations() -> dict[str, list[frozenset[str]]]:
    """For each term, the groups of terms that mean the same in different languages."""
    groups: dict[str, list[frozenset[str]]] = defaultdict(list)
    for line in read_lines(_TABLE, "groups"):
        group = frozenset([terms[0] for word in line.split() if (terms := document_terms(word))])
        for term in group:
            groups[term].append(group)
    return groups


@cache
def _halves(compound: str) -> tuple[str, ...]:
    """The words in the table of translations that a compound begins or ends with."""
    known = _translations()
    beginnings = [compound[:size] for size in range(MIN_HALF, len(compound) - MIN_PIECE + 1)]
    ends = [compound[-size:] for size in range(MIN_HALF, len(compound) - MIN_PIECE + 1)]
    return tuple([half for half in dict.fromkeys([*beginnings, *ends]) if half in known])


@cache
def _words_of(table: str) -> dict[str, frozenset[str]]:
    """The words of each language in one part of the file of translations, such as `frequent`."""
    rows = [line.split() for line in read_lines(_TABLE, table)]
    return {row[0]: frozenset(row[1:]) for row in rows}


@cache
def _empty_terms(language: str) -> frozenset[str]:
    """The terms that carry no meaning in a language; empty for English, where `document_terms` drops them."""
    words: Iterable[str] = ()
    if language in _words_of("function"):
        words = _words_of("function")[language] | _words_of("frequent")[language]
    return frozenset([term for word in words for term in document_terms(word)])


def _language(text: str) -> str:
    """The language of a text, guessed from its script and its frequent words."""
    if not text.isascii():
        size = len(text)
        if len(_HANGUL.findall(text)) * 5 > size:
            return "ko"
        if len(_KANA_AND_HAN.findall(text)) * 5 > size:
            return "ja" if _KANA.search(text) else "zh"
    words = set(text.lower().split())
    counts = {name: len(words & known) for name, known in _words_of("frequent").items()}
    return max(counts, key=lambda name: (counts[name], name == "en"))
