"""The table of settings: which there are, what values each has, and who may set it (SPEC 54.2).

`assets/settings.tsv` is the table. The Rust core embeds the same file.
"""

import os

# Who may set a setting. `PLUGIN` marks those of the claude-memory plugin, which nobody reads.
USER, PROJECT, STRICTER, CONSENT, PLUGIN = "user", "project", "stricter", "consent", "plugin"

# The words of the third column for a switch that a repository can only switch off, and for numbers.
OFF, AT_LEAST, AT_MOST = "off", "at least ", "at most "

# The begin of the fourth column for names.
ONE_OF = "one of "

# What is shorter stands at the end of too many names.
MIN_LAST_CHARS = 4


class Row:
    """A setting: its name, who may set it, what a repository may choose, its values, its default, and its meaning.

    In the name dots stand between it and the groups above it, and `*` stands for any name; the default is JSON text.
    """

    __slots__ = ("default", "kind", "limit", "meaning", "name", "who")

    def __init__(self, line: str) -> None:
        """Read a line of the table."""
        self.name, self.who, self.limit, self.kind, self.default, self.meaning = line.split("\t")

    @property
    def last_name(self) -> str:
        """The name without those of the groups."""
        return self.name.rpartition(".")[2]

    @property
    def is_on(self) -> bool:
        """Whether the default is `true`."""
        return self.default == "true"

    @property
    def text(self) -> str:
        """The default text."""
        return self.default.strip('"')

    @property
    def number(self) -> float:
        """The default number."""
        return float(self.default)

    @property
    def names(self) -> list[str]:
        """The names that it can have."""
        return self.kind.removeprefix(ONE_OF).split(", ")

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the most of a number; `integer from 1` has no most that is reached."""
        words = self.kind.split(" ")
        return (int(words[2]), 2**31 - 1) if words[1] == "from" else (int(words[1]), int(words[3]))


class SettingsTable:
    """The rows by name, and the names of the groups above them; `*` stands for any name."""

    __slots__ = ("groups", "rows")

    def __init__(self, text: str) -> None:
        """Read the text of the file."""
        self.rows: dict[str, Row] = {}
        self.groups: set[str] = set()
        for line in text.split("\n"):
            if line and not line.startswith("#"):
                row = Row(line)
                self.rows[row.name] = row
                group = row.name.rpartition(".")[0]
                while group and group not in self.groups:
                    self.groups.add(group)
                    group = group.rpartition(".")[0]

    def find(self, group: str, name: str) -> "str | None":
        """The name in the table for a member of a group; None for one that the table does not have."""
        above = f"{group}." if group else ""
        if "." not in name:
            for found in (f"{above}{name}", f"{above}*"):
                if found in self.rows or found in self.groups:
                    return found
        return None

    def nearest(self, name: str) -> str:
        """The setting or group whose name is nearest to one that the table does not have; "" where none is near.

        Near is what takes as many changed, added and left out characters as a third of the last part has, and at
        least one. Else the only setting that ends with the same part, if that has four characters or more.
        """
        last = name.rpartition(".")[2]
        best, least = "", max(1, len(last) // 3) + 1
        for row in self.rows:
            ends = [place for place, char in enumerate(row) if char == "."] + [len(row)]
            for end in ends:
                if abs(end - len(name)) < least:
                    distance = _count_edits(name, row[:end])
                    if distance < least:
                        best, least = row[:end], distance
        if best or len(last) < MIN_LAST_CHARS:
            return best
        same = [row for row in self.rows if row.rpartition(".")[2] == last]
        return same[0] if len(same) == 1 else ""

    def is_endpoint_of(self, group: str, name: str) -> bool:
        """Whether a member of a group says where a model is asked, or with which key."""
        row = self.rows.get(f"{group}.{name}")
        return row is not None and row.who in (USER, CONSENT)


def _count_edits(one: str, other: str) -> int:
    """How many characters are to be changed, added or left out to make one name of another."""
    before = list(range(len(other) + 1))
    for row, char in enumerate(one, 1):
        now = [row]
        for column, wanted in enumerate(other, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (char != wanted)))
        before = now
    return before[-1]


def settings_table() -> SettingsTable:
    """The table of this package."""
    if not _kept:
        path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "assets", "settings.tsv")
        with open(path, encoding="utf-8") as file:
            _kept.append(SettingsTable(file.read()))
    return _kept[0]


_kept: list[SettingsTable] = []
