"""Values of a settings file, each by its row in the table (SPEC 54); a wrong one is reported and has its default."""

from .table import SettingsTable


class Values:
    """Reads the values of a table, and keeps a sentence for each that is replaced by its default.

    A setting is named in full, such as `retrieval.rrf_k`, and read from its group.
    """

    __slots__ = ("problems", "table")

    def __init__(self, table: SettingsTable, problems: list[str]) -> None:
        """Begin with some problems."""
        self.table = table
        self.problems = problems

    def group(self, above: "dict[str, object]", name: str) -> "dict[str, object]":
        """The group of that full name, from the group or the file above it; empty where it is missing or wrong."""
        value = above.get(name.rpartition(".")[2], {})
        if isinstance(value, dict):
            return value
        self.problems.append(f"`{name}` is not an object; using its defaults")
        return {}

    def switch(self, group: "dict[str, object]", name: str) -> bool:
        """A value that is true or false."""
        row = self.table.rows[name]
        value = group.get(row.last_name, row.is_on)
        if isinstance(value, bool):
            return value
        self.problems.append(f"`{name}` is neither true nor false; using {row.default}")
        return row.is_on

    def integer(self, group: "dict[str, object]", name: str) -> int:
        """An integer within the bounds of the table."""
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
        """A number within the bounds of the table."""
        row = self.table.rows[name]
        if row.last_name not in group:
            return row.number
        least, most = row.bounds
        value = group[row.last_name]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
            # Not -0.0, whose bits differ.
            return float(value) + 0.0
        default = "0" if row.default == "0" else "the default"
        self.problems.append(f"`{name}` is not a number from {least} to {most}; using {default}")
        return row.number

    def name(self, group: "dict[str, object]", name: str) -> str:
        """One of the names of the table."""
        row = self.table.rows[name]
        value = group.get(row.last_name, row.text)
        if isinstance(value, str) and value in row.names:
            return value
        listed = ", ".join([f"`{choice}`" for choice in row.names])
        self.problems.append(f"`{name}` is none of {listed}; using `{row.text}`")
        return row.text
