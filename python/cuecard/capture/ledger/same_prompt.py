"""Compares prompts with messages of transcripts (docs/reference/ledger.md)."""

from ..._backend import typed_text
from ...basics.chars import WHITESPACE


def is_same_prompt(prompt: str, message: str) -> bool:
    """Whether the user typed the same text in `prompt` and in `message`, a message of a transcript."""
    return plain_words(prompt) == plain_words(message)


def plain_words(text: str) -> tuple[str, ...]:
    """The words by which a prompt is compared.

    Words with `@` are not compared, because a host may replace the names of files (`@a`) with other text.
    """
    words = "".join([" " if char in WHITESPACE else char for char in typed_text(text)]).split(" ")
    return tuple([word for word in words if word and "@" not in word])
