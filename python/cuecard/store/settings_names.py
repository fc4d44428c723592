"""Names in a file of settings that the table does not have, with the nearest name that it has (SPEC 54.5)."""

import re

from .._pure.settings_table import SettingsTable, settings_table
from ..errors import UsageError
from .settings import parse_settings

# A name from a repository is printed only in this form: it could hold anything else.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
MAX_NAMES = 20


def unknown_settings(data: bytes) -> list[tuple[str, str]]:
    """The first unknown names of a file, each with the nearest name of the table, "" where none is near.

    A name with other characters than those of settings is given as the group that holds it and `?`.
    """
    found = parse_settings(data)
    unknown: list[tuple[str, str]] = []
    if isinstance(found, dict):
        _search(found, "", "", settings_table(), unknown)
    return unknown[:MAX_NAMES]


def known_name(name: str) -> str | None:
    """The name in the table for a setting that somebody names, as `categories.*.enabled`; None for an unknown one."""
    table, known = settings_table(), ""
    for part in name.split("."):
        found = table.find(known, part)
        if found is None:
            return None
        known = found
    return known if known in table.rows else None


def no_such_setting(name: str) -> UsageError:
    """What to raise for a name that no setting has."""
    near = nearest_name(name)
    hint = f"did you mean `{near}`?" if near else "see docs/settings.md"
    return UsageError(f"unknown setting `{name[:100]}`", hint)


def nearest_name(name: str) -> str:
    """The setting or group whose name is nearest to `name`; "" where none is near."""
    table = settings_table()
    # It takes 1 ms to load, and most settings have their right names.
    from difflib import get_close_matches

    near = get_close_matches(name, [*table.rows, *sorted(table.groups)], 1, 0.7)
    return near[0] if near else ""


def settings_in(data: bytes) -> dict[str, object]:
    """The settings that a file has, by their full names, as far as the table has them."""
    found = parse_settings(data)
    values: dict[str, object] = {}
    if isinstance(found, dict):
        _collect(found, "", "", settings_table(), values)
    return values


def _collect(
    members: dict[str, object], group: str, shown: str, table: SettingsTable, values: dict[str, object]
) -> None:
    for name, value in members.items():
        full = f"{shown}.{name}".removeprefix(".")
        known = table.find(group, name)
        if known in table.rows:
            values[full] = value
        elif known is not None and isinstance(value, dict):
            _collect(value, known, full, table, values)


def _search(
    members: dict[str, object], group: str, shown: str, table: SettingsTable, unknown: list[tuple[str, str]]
) -> None:
    """Look through the members of a group, whose name is `group` in the table and `shown` in messages."""
    for name, value in members.items():
        is_plain = _PLAIN.fullmatch(name) is not None
        full = f"{shown}.{name if is_plain else '?'}".removeprefix(".")
        known = table.find(group, name)
        if known is None:
            if len(unknown) < MAX_NAMES:
                unknown.append((full, nearest_name(full) if is_plain else ""))
        elif known not in table.rows and isinstance(value, dict):
            _search(value, known, full, table, unknown)
