"""Names in a file of settings that the table does not have, with the nearest that it has (SPEC 54.3)."""

from .table import SettingsTable, settings_table

# So many unknown names of each file are reported.
MAX_UNKNOWN = 20


def unknown_names(members: dict[str, object]) -> list[tuple[str, str]]:
    """The first twenty names that the table does not have, each with the nearest that it has, "" where none is near.

    A name with other characters than those of settings could hold anything, and is given as `?`.
    """
    unknown: list[tuple[str, str]] = []
    if members:
        _search(members, "", "", settings_table(), unknown)
    return unknown[:MAX_UNKNOWN]


def _search(
    members: dict[str, object], group: str, shown: str, table: SettingsTable, unknown: list[tuple[str, str]]
) -> None:
    """Look through the members of a group, whose name is `group` in the table and `shown` in messages."""
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
    """Whether a name has the characters of settings, and at most forty."""
    return (
        name.isascii() and name[:1].isalpha() and len(name) <= 40 and name.replace("-", "_").replace("_", "a").isalnum()
    )
