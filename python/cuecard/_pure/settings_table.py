"""The table of settings: which there are, and who may set each (SPEC 54.2).

`assets/settings.tsv` is the table. The Rust core embeds the same file.
"""

from ..system import os

# Who may set a setting. `PLUGIN` marks those of the claude-memory plugin, which nobody reads.
USER, PROJECT, STRICTER, CONSENT, PLUGIN = "user", "project", "stricter", "consent", "plugin"

# The words of the third column for a switch that a repository can only switch off, and for numbers.
OFF, AT_LEAST, AT_MOST = "off", "at least ", "at most "

# What is shorter stands at the end of too many names.
MIN_LAST_CHARS = 4

# Who may set it, what a repository may choose, the default as JSON text, and what it means.
Row = tuple[str, str, str, str]


class SettingsTable:
    """The rows by name, and the names of the groups above them; `*` stands for any name."""

    __slots__ = ("groups", "rows")

    def __init__(self, text: str) -> None:
        """Read the text of the file."""
        self.rows: dict[str, Row] = {}
        self.groups: set[str] = set()
        for line in text.split("\n"):
            if line and not line.startswith("#"):
                name, who, limit, default, meaning = line.split("\t")
                self.rows[name] = (who, limit, default, meaning)
                group = name.rpartition(".")[0]
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
        return row is not None and row[0] in (USER, CONSENT)


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
