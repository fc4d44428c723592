"""Stored text made safe to stand in a prompt (SPEC 9)."""

from .chars import WHITESPACE, scrub

MAX_TITLE_CHARS = 120

_INVISIBLE = dict.fromkeys(
    [
        *range(0x20),
        0x7F,
        *range(0x200B, 0x2010),
        *range(0x2028, 0x2030),
        *range(0x2060, 0x206A),
        0xFEFF,
        *range(0xE0000, 0xE0080),
    ]
)


def remove_invisible(text: str) -> str:
    """The text without control, zero-width, bidirectional and tag characters (SPEC 9.1)."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_INVISIBLE)


def sanitize_title(text: str) -> str:
    """A title as the block shows it: visible, free of the index's marks, at most 120 characters, escaped."""
    text = remove_invisible(scrub(text)).replace(" -> ", " - ").replace("#tags:", "")
    return _escape_markup(text.strip(WHITESPACE)[:MAX_TITLE_CHARS])


def escape_text(text: str) -> str:
    """Markup characters and both quotes as entities (SPEC 9.2)."""
    return _escape_markup(text).replace("'", "&#x27;")


def _escape_markup(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
