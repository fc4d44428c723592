"""Turns titles into ids, which are the names of memory files."""

import hashlib
import unicodedata

from ...basics.memory_name import MAX_ID_CHARS as MAX_ID_CHARS
from ...basics.memory_name import plain_slug


def slugify(text: str) -> str:
    """Return `text` as at most 80 ASCII letters, digits and hyphens; "" if nothing of it can be kept."""
    return plain_slug(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode())


def id_of_title(category: str, title: str) -> str:
    """Return the id of a new memory: the slug of its title, or the category and a short hash if the slug is empty."""
    digest = hashlib.sha256(title.encode()).hexdigest()[:10]
    return slugify(title) or f"{category.replace('_', '-')}-{digest}"
