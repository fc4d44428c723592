"""Finds the data of private keys in a text (docs/reference/secrets.md)."""

import re

from .secret_candidate import Span
from .secret_values import is_stand_in
from .secret_views import BLANKS

_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_MATERIAL = re.compile(
    r"(?:[ \t\r\n\"',]|[A-Z][A-Za-z-]{2,20}: [^ \t\r\n\\]{1,80}|[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{0,15}={1,2}"
    r"|[A-Za-z0-9+/]{1,15}(?=[ \t\r\n\"',]{0,8}-----END ))*"
)
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}")
_KEY_CLOSING = re.compile(r"[ \t\r\n\"',]+\Z")


def find_private_keys(text: str, in_key: bool) -> tuple[bool, list[Span]]:
    """Return whether the text ends inside a private key, and the spans of key data after lines that begin such a key.

    `in_key` says that the field before ended inside a key, as in a list with one line of the key per item.
    """
    spans: list[Span] = []
    position = 0
    while True:
        if not in_key:
            begin = _KEY_BEGIN.search(text, position)
            if begin is None:
                return False, spans
            position = begin.end()
        in_key = False
        matched = _KEY_MATERIAL.match(text, position)
        end = matched.end() if matched else position
        first = _KEY_LINE.search(text, position, end)
        is_whole = text.startswith("-----END ", end)
        if first and (is_whole or (not is_stand_in(first[0]) and re.search(r"[0-9]", text[first.start() : end]))):
            spans.append(Span(first.start(), end - _closing_chars(text, first.start(), end), "private-key"))
        elif end == len(text) and text[position:end].strip(BLANKS) and "=" in text[position:end]:
            spans.append(Span(position, end, "private-key"))
        if end == len(text):
            return True, spans
        position = end


def _closing_chars(text: str, start: int, end: int) -> int:
    """Return how many blanks, quotes, commas and line ends are at the end of a range of text."""
    closing = _KEY_CLOSING.search(text, max(start, end - 64), end)
    return end - closing.start() if closing else 0
