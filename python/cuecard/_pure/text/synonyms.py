"""Synonyms and abbreviations that are added to the terms of a prompt (SPEC 19.6)."""

from ...basics.tables import find_row
from .hangul import strip_ending
from .letters import HANGUL
from .terms import kind_of, lower_ascii, split_chunks, word_terms

MAX_GROUPS = 1024
MAX_GROUP_WORDS = 32


def find_others(table: str, key: str) -> str:
    """Return the synonyms of a term, or of the joined terms of a phrase, in the table `same` or `near`.

    The result has blanks between synonyms, and `+` between the terms of a phrase; "" if there are none.
    """
    return find_row("synonyms", table, key)


def read_synonyms(synonyms: list[list[str]]) -> dict[str, list[str]]:
    """Return the synonyms of each word in a project's groups: in the first 1,024 groups and the first 32 words each."""
    return others_by_key([group_members(words) for words in synonyms[:MAX_GROUPS]])


def others_by_key(groups: list[list[str]]) -> dict[str, list[str]]:
    """Map each member of the groups to the other members of its groups, in their order and without duplicates.

    The key of a phrase is its terms joined without `+`.
    """
    others: dict[str, list[str]] = {}
    for members in groups:
        keys = [member.replace("+", "") for member in members]
        for key in keys:
            known = others.setdefault(key, [])
            known += [member for member, own in zip(members, keys, strict=True) if own != key and member not in known]
    return {key: members for key, members in others.items() if members}


def group_members(words: list[str]) -> list[str]:
    """Return the words of a group as terms, without duplicates.

    A phrase gives two members: its terms joined by `+`, and the term of the phrase written as one word.
    """
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
    """Return the term of a chunk; a stop word is returned as it is."""
    if kind_of(chunk) == HANGUL:
        return strip_ending(chunk)
    return word_terms(chunk)[0] or lower_ascii(chunk)
