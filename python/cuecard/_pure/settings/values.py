"""Reads the values of a settings file by the table of settings (SPEC 47).

A wrong value is replaced by its default.
"""

from .table import SettingsTable


class Values:
    """Reads values from groups of settings, and collects a sentence for each value that is replaced by its default.

    A setting is named by its full name, such as `retrieval.rrf_k`.
    """

    __slots__ = ("problems", "table")

    def __init__(self, table: SettingsTable, problems: list[str]) -> None:
        """Sentences about wrong values are added to `problems`."""
        self.table = table
        self.problems = problems

    def group(self, above: "dict[str, object]", name: str) -> "dict[str, object]":
        """Return the group `name` from `above`, the group or file that contains it; {} if it is not an object there."""
        value = above.get(name.rpartition(".")[2], {})
        if isinstance(value, dict):
            return value
        self.problems.append(f"`{name}` is not an object; using its defaults")
        return {}

    def switch(self, group: "dict[str, object]", name: str) -> bool:
        """Read a value that is true or false."""
        row = self.table.rows[name]
        value = group.get(row.last_name, row.is_on)
        if isinstance(value, bool):
            return value
        self.problems.append(f"`{name}` is neither true nor false; using {row.default}")
        return row.is_on

    def integer(self, group: "dict[str, object]", name: str) -> int:
        """Read an integer setting; the default if the value is outside the bounds in the settings table."""
        row = self.table.rows[name]
        if row.last_name not in group:
            return int(row.default)
        least, most = row.bounds
        value = group[row.last_name]
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.problems.append(f"`{name}` is not an integer from {least} to {most}; using {row.default}")
        return int(row.default)

    def number(self, group: "dict[str, object]", name: str) -> float:
        """Read a number setting; the default if the value is outside the bounds in the settings table."""
        row = self.table.rows[name]
        if row.last_name not in group:
            return row.number
        least, most = row.bounds
        value = group[row.last_name]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
            # Turns -0.0 into 0.0, so that both backends have the same bits.
            return float(value) + 0.0
        default = "0" if row.default == "0" else "the default"
        self.problems.append(f"`{name}` is not a number from {least} to {most}; using {default}")
        return row.number

    def name(self, group: "dict[str, object]", name: str) -> str:
        """Read a setting whose value is a name; the default if the settings table does not list this name."""
        row = self.table.rows[name]
        value = group.get(row.last_name, row.text)
        if isinstance(value, str) and value in row.names:
            return value
        listed = ", ".join([f"`{choice}`" for choice in row.names])
        self.problems.append(f"`{name}` must be one of {listed}; using `{row.text}`")
        return row.text
