"""Writes timestamps, and converts ISO 8601 timestamps to microseconds since 1970 (SPEC 8.2)."""

import time

_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_DAYS_IN = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

MICROSECONDS_A_DAY = 86_400_000_000
# What cuecard writes, such as `2026-01-31T12:00:00Z`.
_STAMP_CHARS = 20
_STAMP_MARKS = "--T::Z"


def parse_timestamp(text: str) -> int | None:
    """Microseconds since 1970-01-01T00:00Z, or None if `text` is not a timestamp.

    A timestamp is `YYYY-MM-DD` or `YYYYMMDD`. One character of any kind, a time and an offset may follow. A time
    is `HH`, `HH:MM` or `HH:MM:SS`, also without colons; a fraction may follow the seconds. An offset is `Z`, or
    `+` or `-` and a time. Without an offset the time is UTC. Digits are ASCII digits.
    """
    if len(text) == _STAMP_CHARS and text[4] + text[7] + text[10] + text[13] + text[16] + text[19] == _STAMP_MARKS:
        # Lists of many memories have such times; this takes a third of the time.
        digits = text[:4] + text[5:7] + text[8:10] + text[11:13] + text[14:16] + text[17:19]
        if digits.isascii() and digits.isdigit():
            days = _days_to(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
            of_day = _micros_of(int(digits[8:10]), int(digits[10:12]), int(digits[12:]))
            return None if days is None or of_day is None else days * MICROSECONDS_A_DAY + of_day
    return _parse_any(text)


def _parse_any(text: str) -> int | None:
    """The same, for a time in any of the forms."""
    text = text.replace("Z", "+00:00")
    dashed = text[4:5] == "-"
    width = 10 if dashed else 8
    fields = [text[:4], text[5:7], text[8:10]] if dashed else [text[:4], text[4:6], text[6:8]]
    if (dashed and text[7:8] != "-") or not all(_is_number(*field) for field in zip(fields, (4, 2, 2), strict=True)):
        return None
    days = _days_to(*map(int, fields))
    clock = text[width + 1 :]
    if days is None or len(text) == width + 1:
        return None
    signs = [position for position in (clock.find("+"), clock.find("-")) if position >= 0]
    moment, offset = 0, 0
    if clock:
        end = min(signs, default=len(clock))
        of_day = _parse_clock(clock[:end])
        of_offset = _parse_clock(clock[end + 1 :]) if signs else 0
        if of_day is None or of_offset is None:
            return None
        moment, offset = of_day, -of_offset if clock[end : end + 1] == "-" else of_offset
    return days * MICROSECONDS_A_DAY + moment - offset


def utc_stamp(seconds: float | None = None) -> str:
    """A time in seconds since 1970, by default the current one, as cuecard writes it: `2026-01-31T12:00:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _days_to(year: int, month: int, day: int) -> int | None:
    """The days from 1970 to a day; None if there is no such day."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if year < 1 or not 1 <= month <= 12 or not 1 <= day <= _DAYS_IN[month - 1] + (leap and month == 2):
        return None
    past = year - 1
    days = past * 365 + past // 4 - past // 100 + past // 400 - 719_162
    return days + _DAYS_BEFORE[month - 1] + (leap and month > 2) + day - 1


def _micros_of(hour: int, minute: int, second: int) -> int | None:
    """Microseconds since midnight; None if there is no such time."""
    if hour > 23 or minute > 59 or second > 59:
        return None
    return ((hour * 60 + minute) * 60 + second) * 1_000_000


def _is_number(text: str, width: int) -> bool:
    return len(text) == width and text.isascii() and text.isdigit()


def _parse_clock(text: str) -> int | None:
    """Microseconds since midnight of `HH[:MM[:SS[.fraction]]]`, with all colons or none; None if it is malformed."""
    fraction = ""
    for mark in (".", ","):
        if mark in text:
            text, _, fraction = text.partition(mark)
            if not fraction or not _is_number(fraction, len(fraction)):
                return None
            break
    fields = text.split(":") if ":" in text else [text[at : at + 2] for at in range(0, len(text), 2)]
    if not 1 <= len(fields) <= 3 or (fraction and len(fields) != 3):
        return None
    if not all(_is_number(field, 2) for field in fields):
        return None
    hour, minute, second = (*map(int, fields), 0, 0)[:3]
    of_day = _micros_of(hour, minute, second)
    return None if of_day is None else of_day + int(f"{fraction:0<6}"[:6])
