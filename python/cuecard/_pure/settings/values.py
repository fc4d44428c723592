"""Reads the values of the files of settings by the names of the table of settings (SPEC 47).

A wrong value is replaced by its default.
"""

from .table import Row, settings_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.setting_names import Choice, GroupName, Integer, Number, SettingName, Switch

_MISSING = object()


class Values:
    """The values that files of settings give, and a sentence for each value that is replaced by its default.

    A setting or group is named by its full name, such as `retrieval.rrf_k`. A name that the table does not have raises
    KeyError.
    """

    def __init__(self, members: "dict[str, object]", problems: list[str]) -> None:
        """Read the members of a file, or the merged members of both. Sentences about wrong values go to `problems`."""
        self.members = members
        self.problems = problems
        # The groups that were asked for, by name. Most settings share a group with others.
        self._groups = {"": members}

    def switch(self, name: "Switch") -> bool:
        """A value that is true or false."""
        row, value = self._read(name)
        if value is _MISSING or isinstance(value, bool):
            return row.is_on if value is _MISSING else bool(value)
        self.problems.append(f"`{name}` is neither true nor false; using {row.default}")
        return row.is_on

    def integer(self, name: "Integer") -> int:
        """An integer; the default if the value is outside the bounds in the table."""
        row, value = self._read(name)
        if value is _MISSING:
            return int(row.default)
        least, most = row.bounds
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.problems.append(f"`{name}` is not an integer from {least} to {most}; using {row.default}")
        return int(row.default)

    def number(self, name: "Number") -> float:
        """A number; the default if the value is outside the bounds in the table."""
        row, value = self._read(name)
        if value is _MISSING:
            return row.number
        least, most = row.bounds
        if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
            # Turns -0.0 into 0.0, so that both backends have the same bits.
            return float(value) + 0.0
        default = "0" if row.default == "0" else "the default"
        self.problems.append(f"`{name}` is not a number from {least} to {most}; using {default}")
        return row.number

    def name(self, name: "Choice") -> str:
        """One of the names that the table lists; the default for any other value."""
        row, value = self._read(name)
        if value is _MISSING:
            return row.text
        if isinstance(value, str) and value in row.names:
            return value
        listed = ", ".join([f"`{choice}`" for choice in row.names])
        self.problems.append(f"`{name}` must be one of {listed}; using `{row.text}`")
        return row.text

    def given(self, name: "SettingName", default: object = None) -> object:
        """What the files give for a setting, of whatever type; `default` if they give nothing."""
        _row, value = self._read(name)
        return default if value is _MISSING else value

    def group(self, name: "GroupName") -> "dict[str, object]":
        """What the files give for the settings below a name."""
        if name not in settings_table().groups:
            raise KeyError(name)
        return self._group(name)

    def _read(self, name: str) -> tuple[Row, object]:
        group, _dot, last = name.rpartition(".")
        return settings_table().row(name), self._group(group).get(last, _MISSING)

    def _group(self, name: str) -> "dict[str, object]":
        """A group of settings. One that is not an object is reported once and gives nothing."""
        if name not in self._groups:
            above, _dot, last = name.rpartition(".")
            found = self._group(above).get(last, {})
            if not isinstance(found, dict):
                problem = f"`{name}` is not an object; using its defaults"
                if problem not in self.problems:
                    self.problems.append(problem)
                found = {}
            self._groups[name] = found
        return self._groups[name]
