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


def slugify(text: str) -> str:
    """Return `text` as at most 80 ASCII letters, digits and hyphens; "" if nothing of it can be kept."""
    slug = plain_slug(_spell(text))
    return f"{slug}{AFTER_DEVICE}" if slug in _DEVICES else slug


def id_of_title(category: str, title: str) -> str:
    """Return the id of a new memory: the slug of its title.

    It begins with the category if the slug lacks most letters of the title, because they are of another script, and is
    the category and a short hash if nothing of the title can be kept.
    """
    slug, kind = slugify(title), category.replace("_", "-")
    if not slug:
        return f"{kind}-{hashlib.sha256(title.encode()).hexdigest()[:10]}"
    kept, letters = sum(map(str.isalpha, _spell(title))), sum(map(str.isalpha, title))
    return slugify(f"{kind}-{slug}") if kept * 2 < letters else slug


def _spell(text: str) -> str:
    """The text with ASCII letters in place of letters with marks, and without all other characters."""
    return unicodedata.normalize("NFKD", text.translate(_SPELLED)).encode("ascii", "ignore").decode()
