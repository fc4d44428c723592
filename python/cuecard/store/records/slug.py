"""Turns titles into ids, which are the names of memory files."""

import hashlib
import unicodedata

from ...basics.memory_name import MAX_ID_CHARS as MAX_ID_CHARS
from ...basics.memory_name import plain_slug

# Letters that Unicode does not take apart into an ASCII letter and a mark.
_SPELLED = str.maketrans(
    {"ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l"}
    | {"đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "\u0131": "i", "ħ": "h", "Ħ": "h"}
)
# Windows has devices with these names, so it cannot check out a file that is named so, whatever its ending.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *[f"{name}{number}" for name in ("com", "lpt") for number in "0123456789"])
)
AFTER_DEVICE = "-memory"
HASH_CHARS = 10
# Punctuation that tells one name from another, as in `C#`.
_SAYING = frozenset("#%&*@/\\")


def slugify(text: str) -> str:
    """Return `text` as at most 80 ASCII letters, digits and hyphens; "" if nothing of it can be kept."""
    slug = plain_slug(_spell(text))
    return f"{slug}{AFTER_DEVICE}" if slug in _DEVICES else slug


def id_of_title(category: str, title: str) -> str:
    """Return the id of a new memory: the slug of its title.

    Where the slug lacks most letters of the title, because they are of another script, it is `apart_id`.
    """
    return slugify(title) if _keeps_letters(title) else apart_id(category, title)


def apart_id(category: str, title: str) -> str:
    """Return an id that no other title has: the category where the slug lacks letters, the slug, and a short hash."""
    slug = slugify(title)
    named = slug if _keeps_letters(title) else slugify(f"{category.replace('_', '-')}-{slug}")
    end = f"-{hashlib.sha256(title.encode()).hexdigest()[:HASH_CHARS]}"
    return named[: MAX_ID_CHARS - len(end)].rstrip("-") + end


def is_same_title(title: str, other: str) -> bool:
    """Whether two titles differ only in case, marks of Latin letters, blanks and ordinary punctuation."""
    return _fold(title) == _fold(other)


def _keeps_letters(title: str) -> bool:
    """Whether the slug of a title has at least half of its letters."""
    kept, letters = sum(map(str.isalpha, _spell(title))), sum(map(str.isalpha, title))
    return bool(slugify(title)) and kept * 2 >= letters


def _fold(title: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", title).translate(_SPELLED).casefold()
    kept = [char if char in _SAYING or not unicodedata.category(char).startswith("P") else " " for char in folded]
    return "".join([_spell(char) or char for char in kept]).split()


def _spell(text: str) -> str:
    """The text with ASCII letters in place of letters with marks, and without all other characters."""
    return unicodedata.normalize("NFKD", text.translate(_SPELLED)).encode("ascii", "ignore").decode()
