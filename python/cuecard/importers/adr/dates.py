"""Reads the date of a decision, in the forms in which people write dates."""

import datetime
import re

from .words import fold, month_numbers, pattern_of

# `2024-03-05`, `2024/3/5`, `2024.03.05`, and the same in Chinese, Japanese and Korean.
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)(20\d{2})(\d{2})(\d{2})(?!\d)")
# With points the day stands first. With slashes it may be the month, so only a number over 12 decides.
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)")
_NAMED = r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º)?(?: of| de| d')? (MONTH)\.?,?(?: de| del)? (\d{4})(?!\d)"
_MONTH_FIRST = r"(?<!\w)(MONTH)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)"
MAX_CHARS = 2000


def find_date(text: str) -> str:
    """The first date in a text as `YYYY-MM-DD`; "" without one, or if it can be read in two ways."""
    words = fold(text[:MAX_CHARS])
    found = _YEAR_FIRST.search(words) or _COMPACT.search(words)
    if found:
        return _date(found[1], found[2], found[3])
    found = _DAY_FIRST.search(words)
    if found:
        first, mark, second, year = found.groups()
        if mark == "." or int(first) > 12:
            return _date(year, second, first)
        return _date(year, first, second) if int(second) > 12 else ""
    if not re.search(r"\d{4}", words):
        return ""
    month = pattern_of("months").pattern
    named = re.search(_NAMED.replace("MONTH", month), words)
    if named:
        return _date(named[3], month_numbers()[named[2]], named[1])
    named = re.search(_MONTH_FIRST.replace("MONTH", month), words)
    return _date(named[3], month_numbers()[named[1]], named[2]) if named else ""


def _date(year: str, month: "str | int", day: str) -> str:
    try:
        return datetime.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
