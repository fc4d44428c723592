"""How values look on the page."""

import time

from ..basics.category import FOLDERS
from ..basics.timestamp import parse_timestamp
from ..basics.visible_text import visible_lines

CATEGORY_WORDS = {category: category.replace("_", " ") for _folder, category in FOLDERS}
DAY = 86_400


def category_words(category: str) -> str:
    """A category in words, from either of its two spellings."""
    return CATEGORY_WORDS.get(category.lower(), category.lower().replace("_", " "))


def age(micros: int) -> str:
    """How long ago something was, from microseconds since 1970."""
    if not micros:
        return "no date"
    days = int((time.time() - micros / 1_000_000) // DAY)
    if days < 1:
        return "today"
    if days < 60:
        return "yesterday" if days == 1 else f"{days} days ago"
    return f"{days // 30} months ago" if days < 730 else f"{days // 365} years ago"


def when(stamp: str) -> str:
    """A time of a file or a log, without seconds."""
    return stamp[:16].replace("T", " ") if parse_timestamp(stamp) is not None else stamp[:40]


def percent(thousandths: float) -> str:
    """A share of 1024 as a percentage."""
    return f"{thousandths / 1024:.0%}"


def seen(text: object) -> str:
    """A text without characters that hide or reorder others: people vouch for what they see."""
    return "\n".join(visible_lines(str(text)))


def finalize(value: object) -> object:
    """What a template prints: a text as it is seen. What is HTML already stays as it is, and so does a number."""
    return seen(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


FILTERS = {"category": category_words, "age": age, "when": when, "percent": percent}
