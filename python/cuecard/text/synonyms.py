"""Synonyms and abbreviations on the side of the query (SPEC 19.6)."""

from ..basics.tables import find_row
from .hangul import strip_ending
from .letters import HANGUL
from .terms import kind_of, lower_ascii, split_chunks, word_terms

MAX_GROUPS = 1024
MAX_GROUP_WORDS = 32


def find_others(table: str, key: str) -> str:
    """What the table `same` or `near` has for a term or for the joined terms of a phrase.

    These are terms, and phrases joined by `+`, with blanks between them.
    """
    return find_row("synonyms", table, key)


def read_synonyms(synonyms: list[list[str]]) -> dict[str, list[str]]:
    """For each word of a project's groups the others: of the first 1,024 groups the first 32 words each."""
    return others_by_key([group_members(words) for words in synonyms[:MAX_GROUPS]])


def others_by_key(groups: list[list[str]]) -> dict[str, list[str]]:
    """For each member of the groups, a phrase joined, the other members in their order, each once."""
    others: dict[str, list[str]] = {}
    for members in groups:
        keys = [member.replace("+", "") for member in members]
        for key in keys:
            known = others.setdefault(key, [])
            known += [member for member, own in zip(members, keys, strict=True) if own != key and member not in known]
    return {key: members for key, members in others.items() if members}


def group_members(words: list[str]) -> list[str]:
    """The words of a group as terms, once each: of a phrase its terms joined by `+`, and the term of it in one word."""
    members: dict[str, None] = {}
    for word in words[:MAX_GROUP_WORDS]:
        chunks = split_chunks(word)
        terms = [_key(chunk) for chunk in chunks]
        if terms:
            members["+".join(terms)] = None
        if len(terms) > 1:
            members[_key("".join(chunks))] = None
    return list(members)


def _key(chunk: str) -> str:
    """What stands for a chunk in a group: its term, and a word that says nothing as it is."""
    if kind_of(chunk) == HANGUL:
        return strip_ending(chunk)
    return word_terms(chunk)[0] or lower_ascii(chunk)
