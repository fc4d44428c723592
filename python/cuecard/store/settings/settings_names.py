"""Finds unknown names in a file of settings, and for each the most similar known name (SPEC 47.5)."""

from ..._backend import SettingsTable, engine, settings_table, unknown_names
from ...errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._backend import Settings

MAX_NAME_CHARS = 100


def unknown_settings(data: bytes) -> list[tuple[str, str]]:
    """The first unknown names in a file, each with the most similar known name, or "" if none is similar."""
    # Read as the user's own file, so that no setting is ignored.
    return unknown_names(engine.read_settings(data, None).members)


def known_name(name: str) -> str | None:
    """The table's name of a setting: `categories.*.enabled` for `categories.decision.enabled`; None if unknown."""
    try:
        return settings_table().row(name).name
    except KeyError:
        return None


def no_such_setting(name: str) -> UsageError:
    """The error to raise for an unknown setting; its hint names a similar setting."""
    near = nearest_name(name)
    hint = f"did you mean `{near}`?" if near else "`cuecard config` lists all settings"
    return UsageError(f"unknown setting `{name[:100]}`", hint)


def words_of_values(known: str) -> str:
    """Which values a setting of the table accepts, in words."""
    kind = settings_table().rows[known].kind
    if kind == "switch":
        return "`true` or `false`"
    if kind.startswith("one of "):
        return kind
    return f"{'an' if kind.startswith('integer') else 'a'} {kind}"


def nearest_name(name: str) -> str:
    """The setting or group whose name is most similar to `name`; "" if none is similar."""
    table, group = settings_table(), ""
    above, dot, last = name.rpartition(".")
    for part in above.split(".") if dot else []:
        found = table.find(group, part)
        if found is None:
            return table.nearest(name[:MAX_NAME_CHARS])
        group = found
    return table.nearest(f"{group}.{last}".removeprefix(".")[:MAX_NAME_CHARS])


def settings_in(settings: "Settings") -> dict[str, object]:
    """The values that files give, by the full names of their settings. Unknown names are left out."""
    values: dict[str, object] = {}
    _collect(settings.members, "", "", settings_table(), values)
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
