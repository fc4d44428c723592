"""Turns the filter options of a search into the form that a snapshot takes (SPEC 22.5)."""

import os

from ..basics.category import FOLDERS
from ..basics.chars import WHITESPACE, fold
from ..basics.timestamp import parse_timestamp
from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Filters
    from ..basics.options import StatusFilter
    from ..store.records.memory import Memory
    from .options import DateBound, Names, SearchOptions

ACTIVE: "tuple[StatusFilter, ...]" = ("active",)
CATEGORIES = tuple([category for _folder, category in FOLDERS])
STATUSES = ("active", "retired", "archived", "other", "all")
STORE_PREFIX = ".claude/memory/"
DAY_CHARS = ("2026-01-31", "20260131")
MICROSECONDS_A_DAY = 86_400_000_000


def read_filters(options: "SearchOptions") -> "Filters | None":
    """The filters in the form that a snapshot takes; None for the default, which is every active memory.

    A memory passes if it has any of the categories, all of the tags and any of the statuses (`all` allows every
    status), if its `updated_at` is from `since` to `until`, both included (a day without a time includes the whole
    day), and if its path, with or without `.claude/memory/`, begins with `path`. Raises UsageError.
    """
    categories = _names("categories", options.get("categories", ()))
    wanted = [_check("category", fold(name), CATEGORIES) for name in categories]
    labels = [fold(tag.strip(WHITESPACE)) for tag in _names("tags", options.get("tags", ()))]
    statuses = [_check("status", name, STATUSES) for name in _names("status", options.get("status", ACTIVE))]
    if "all" in statuses:
        statuses = []
    begin = _read_moment("since", options.get("since"), 0)
    end = _read_moment("until", options.get("until"), MICROSECONDS_A_DAY - 1)
    beginning = os.fspath(options.get("path", "")).replace(os.sep, "/").removeprefix(STORE_PREFIX)
    if not wanted and not labels and begin is None and end is None and not beginning and statuses == [*ACTIVE]:
        return None
    return wanted, labels, statuses, begin, end, beginning


def passes(memory: "Memory", filters: "Filters | None") -> bool:
    """Whether a memory passes filters of `read_filters`, as in a search."""
    if filters is None:
        return memory.status in ACTIVE
    categories, tags, statuses, begin, end, path = filters
    updated = parse_timestamp(str(memory.record.get("updated_at", "")))
    listed = memory.record.get("tags")
    has = [fold(tag.strip(WHITESPACE)) for tag in listed if isinstance(tag, str)] if isinstance(listed, list) else []
    return (
        (not categories or memory.category in categories)
        and all(tag in has for tag in tags)
        and (not statuses or memory.status in statuses)
        and (begin is None or (updated is not None and updated >= begin))
        and (end is None or (updated is not None and updated <= end))
        and memory.path.removeprefix(STORE_PREFIX).startswith(path)
    )


def _names(what: str, names: "Names") -> list[str]:
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        if not isinstance(name, str):
            raise UsageError(f"`{what}` contains `{name!r}`, which is not a string", "use strings only")
    return listed


def _check(what: str, name: str, choices: tuple[str, ...]) -> str:
    if name not in choices:
        expected = ", ".join([f"`{choice}`" for choice in choices])
        raise UsageError(
            f"unknown {what} `{name}`", f"use {expected}", field=what, expected=expected, found=f"`{name}`"
        )
    return name


def _read_moment(what: str, moment: "DateBound", rest_of_day: int) -> int | None:
    """A date in microseconds since 1970. For a day without a time, `rest_of_day` is added. None stays None."""
    if moment is None:
        return None
    # Dates are turned into text, so that there is one parser and `datetime` is never imported.
    text = moment if isinstance(moment, str) else getattr(moment, "isoformat", str)()
    text = text.strip(WHITESPACE)
    time = parse_timestamp(text)
    if time is None:
        shown = text or repr(moment)
        raise UsageError(
            f"`{what}` is `{shown}`, which is not a date",
            "use a day such as `2026-01-31`, or a time such as `2026-01-31T09:30:00Z`",
            field=what,
            expected="a day or a time",
            found=f"`{shown}`",
        )
    return time + rest_of_day if len(text) in map(len, DAY_CHARS) else time
