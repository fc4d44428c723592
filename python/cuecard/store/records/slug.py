"""Titles to ids: the names of memory files."""

import hashlib
import re
import unicodedata

MAX_ID_CHARS = 80
_OTHERS = re.compile(r"[^a-z0-9]+")


def slugify(text: str) -> str:
    """`text` in ASCII letters, digits and hyphens, at most 80; "" where nothing of it can be kept."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _OTHERS.sub("-", plain).strip("-")[:MAX_ID_CHARS].rstrip("-")


def id_of_title(category: str, title: str) -> str:
    """The id of a new memory: its title's slug, or a short hash where the title has no ASCII letter or digit."""
    digest = hashlib.sha256(title.encode()).hexdigest()[:10]
    return slugify(title) or f"{category.replace('_', '-')}-{digest}"
