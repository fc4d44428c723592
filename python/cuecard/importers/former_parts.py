"""Memories of an earlier import whose text is now in the memory of their whole section, or is all of it.

Rules: docs/reference/import.md, "Outcomes".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from ..basics.time_limit import check_time
from ..capture.comparing.contradictions import NEGATIONS
from ..store.records.memory import Memory
from .draft import ImportedDraft

# A part may have had words of its heading, or a `not` from a mark before it.
MIN_HELD = 0.85
MIN_WORDS = 3
_WORD = re.compile(r"[^\W_]+")
_TURNING = {*NEGATIONS, "always", "never", "don", "t"}
_FIELDS = ("value", "rule", "description", "steps")

Key = tuple[str, str, str]

# The reasons with which an import retires a memory that gives way to another one.
_GAVE_WAY = re.compile(r"it is a part of `.*` now|it was an? \w+, and its source makes it an? \w+", re.DOTALL)


def because_of_part(title: str) -> str:
    """Why a memory gives way to another one that has all of its text."""
    return f"it is a part of `{title}` now"


def because_of_category(old: str, new: str) -> str:
    """Why a memory gives way to one of another category from the same place."""
    return f"it was a {old}, and its source makes it a {new}"


def gave_way(memory: Memory) -> bool:
    """Whether an import has retired a memory because another one took its place. A person gives other reasons."""
    reason = memory.record.get("retired_reason")
    return memory.status == "retired" and isinstance(reason, str) and bool(_GAVE_WAY.fullmatch(reason))


def find_parts(gone: Mapping[Key, Memory], drafts: Iterable[ImportedDraft]) -> Iterator[tuple[Key, ImportedDraft]]:
    """The memories in `gone` whose words are in a draft of the same file, each with the first such draft."""
    by_file: dict[tuple[str, str], list[tuple[set[str], ImportedDraft]]] = {}
    for draft in drafts:
        by_file.setdefault(draft.key[:2], []).append((_words_of(draft.content), draft))
    for key, memory in gone.items():
        content = memory.record.get("content")
        words = _words_of(content) if isinstance(content, dict) else set[str]()
        for held, draft in by_file.get(key[:2], []) if len(words) >= MIN_WORDS else []:
            check_time()
            if len(words & held) >= MIN_HELD * len(words):
                yield key, draft
                break


def find_same(known: Mapping[Key, Memory], drafts: Iterable[ImportedDraft]) -> dict[Key, tuple[Key, Memory]]:
    """For the key of each draft that says just what a memory in `known` of the same file says, this memory.

    Words of the headings above both do not count, because a memory of a single rule may have had them in its text.
    Words that turn a rule into its opposite always count.
    """
    by_file: dict[tuple[str, str], list[tuple[Key, Memory, set[str]]]] = {}
    for key, memory in known.items():
        content = memory.record.get("content")
        words = _words_of(content) if isinstance(content, dict) else set[str]()
        by_file.setdefault(key[:2], []).append((key, memory, words))
    found = {}
    for draft in drafts:
        said = _words_of(draft.content)
        for key, memory, words in by_file.get(draft.key[:2], []) if len(said) >= MIN_WORDS else []:
            check_time()
            if said & words and said ^ words <= _words_above(draft.heading, key[2]) - _TURNING:
                found[draft.key] = (key, memory)
                break
    return found


def _words_above(one: str, other: str) -> set[str]:
    """The words of the headings with which both places begin."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one.split(" > "), other.split(" > "), strict=False))
    return {word.lower() for heading, _same in pairs for word in _WORD.findall(heading)}


def _words_of(content: Mapping[str, object]) -> set[str]:
    texts = [content.get(name) for name in _FIELDS]
    lines = [line for text in texts for line in (text if isinstance(text, list) else [text])]
    return {word.lower() for line in lines if isinstance(line, str) for word in _WORD.findall(line)}
