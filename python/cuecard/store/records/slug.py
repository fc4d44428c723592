"""Titles to ids: the names of memory files."""

import hashlib
import unicodedata

from ...basics.memory_name import MAX_ID_CHARS as MAX_ID_CHARS
from ...basics.memory_name import plain_slug


def slugify(text: str) -> str:
    """`text` in ASCII letters, digits and hyphens, at most 80; "" where nothing of it can be kept."""
    return plain_slug(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode())


def id_of_title(category: str, title: str) -> str:
    """The id of a new memory: its title's slug, or a short hash where the title has no ASCII letter or digit."""
    digest = hashlib.sha256(title.encode()).hexdigest()[:10]
    return slugify(title) or f"{category.replace('_', '-')}-{digest}"
