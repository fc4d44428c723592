"""Reduces English words to their stem, which inflected and derived forms share (SPEC 19.3)."""

_VOWELS = "aeiouy"


def stem(word: str) -> str:
    """Return the stem of a word of at least four lower-case ASCII letters; any other text is returned unchanged."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _cut_inflection(_cut_plural(word))
    if len(word) > 6 and word.endswith("ly"):
        word = word[:-2]
    word = _cut_derivation(word)
    if len(word) > 6 and word.endswith("at"):
        word = word[:-2]
    if len(word) > 7 and word.endswith("ment"):
        word = word[:-4]
        if word.endswith("e"):
            word = word[:-1]
    if len(word) > 3:
        if word[-1] == "y" and word[-2] not in _VOWELS:
            return word[:-1] + "i"
        if word[-1] == word[-2] and word[-1] not in _VOWELS:
            return word[:-1]
    return word


def _cut_plural(word: str) -> str:
    if word[-1] != "s" or word[-2] in "sui":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


def _cut_inflection(word: str) -> str:
    if word.endswith("ed"):
        if len(word) > 4 and word[-3] != "e" and _has_vowel(word[:-2]):
            return word[:-2]
    elif word.endswith("ing") and len(word) > 5 and _has_vowel(word[:-3]):
        return word[:-3]
    return word


def _cut_derivation(word: str) -> str:
    if word.endswith("ion"):
        return word[:-3] if len(word) > 5 and word[-4] in "st" else word
    if word.endswith("er"):
        return word[:-2] if len(word) > 5 else word
    if word.endswith("ator"):
        return word[:-2] if len(word) > 6 else word
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return word


def _has_vowel(text: str) -> bool:
    return any(char in _VOWELS for char in text)
