"""Splits text into tokens: the plain tokenizer in both revisions (SPEC 4)."""

from ...basics.chars import scrub
from ...errors import UsageError

MAX_PROMPT_TOKENS = 4096

# Every character that is not an ASCII letter or digit separates tokens. The Kelvin sign and the dotted capital I are
# the only characters beyond ASCII whose lower case contains an ASCII letter.
_SEPARATE = {point: " " for point in range(128) if not chr(point).isalnum()}
_SEPARATE.update({point: chr(point + 32) for point in range(0x41, 0x5B)})


def minimum_length(revision: str) -> int:
    """Return the length of the shortest token that `revision` keeps, in characters."""
    if revision == "current":
        return 2
    if revision == "classic":
        return 3
    raise UsageError(f"unknown revision `{scrub(revision)}`", "use `current` or `classic`")


def tokenize(text: str, revision: str) -> list[str]:
    """Return the distinct tokens of `text`, in the order of their first appearance, without stop words.

    `current` keeps tokens of at least two characters, `classic` of at least three. Raises `UsageError` for any other
    revision.
    """
    shortest = minimum_length(revision)
    if not _stop_words:
        # Loaded late: the guard imports this module and needs no stop words.
        from .stop_words import STOP_WORDS

        _stop_words.update(STOP_WORDS)
    return [word for word in dict.fromkeys(split_words(text)) if len(word) >= shortest and word not in _stop_words]


def split_words(text: str) -> list[str]:
    """Return the maximal runs of `a-z0-9` in the folded text, in order (SPEC 4, 21.6)."""
    if not text.isascii():
        text = "".join([char if char < "\x80" else _ASCII_IN.get(char, " ") for char in text])
    return text.translate(_SEPARATE).split()


def prompt_tokens(prompt: str, revision: str) -> list[str]:
    """Return the tokens of a prompt, at most `MAX_PROMPT_TOKENS` to bound the cost of a long prompt."""
    return tokenize(prompt, revision)[:MAX_PROMPT_TOKENS]


_stop_words: set[str] = set()
_ASCII_IN = {"\u212a": "k", "\u0130": "i "}
