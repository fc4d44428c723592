"""Finds unknown names in a settings file and the nearest known name of each (SPEC 47.3)."""

from .table import SettingsTable, settings_table

# How many unknown names of each file are reported.
MAX_UNKNOWN = 20


def unknown_names(members: dict[str, object]) -> list[tuple[str, str]]:
    """Return the first twenty unknown names, each with the nearest name in the table, "" if none is near.

    A name with characters that no setting has is given as `?`, because it could contain any text.
    """
    unknown: list[tuple[str, str]] = []
    if members:
        _search(members, "", "", settings_table(), unknown)
    return unknown[:MAX_UNKNOWN]


def _search(
    members: dict[str, object], group: str, shown: str, table: SettingsTable, unknown: list[tuple[str, str]]
) -> None:
    """Search the members of a group for unknown names. The table calls the group `group`, messages call it `shown`."""
    for name, value in members.items():
        is_plain = _is_plain(name)
        full = f"{shown}.{name if is_plain else '?'}".removeprefix(".")
        known = table.find(group, name)
        if known is None:
            if len(unknown) < MAX_UNKNOWN:
                unknown.append((full, table.nearest(f"{group}.{name}".removeprefix(".")) if is_plain else ""))
        elif known not in table.rows and isinstance(value, dict):
            _search(value, known, full, table, unknown)


def _is_plain(name: str) -> bool:
    """Whether a name has at most 40 characters, all of them allowed in the names of settings."""
    return (
        name.isascii() and name[:1].isalpha() and len(name) <= 40 and name.replace("-", "_").replace("_", "a").isalnum()
    )
