"""The table of settings: the name, the values and the default of each setting, and who may set it (SPEC 47.2).

`assets/settings.tsv` is the table. The Rust core embeds the same file.
"""

from ...basics.tables import asset_path

# Who may set a setting. `PLUGIN` marks settings of the claude-memory plugin, which cuecard ignores.
USER, PROJECT, STRICTER, CONSENT, PLUGIN = "user", "project", "stricter", "consent", "plugin"

# The words in the third column: for a switch that a repository can only switch off, and before the bound of a number.
OFF, AT_LEAST, AT_MOST = "off", "at least ", "at most "

# The beginning of the fourth column for a setting whose values are names.
ONE_OF = "one of "

# If the last part of an unknown name is shorter than this, too many settings end with it to suggest one of them.
MIN_LAST_CHARS = 4


class Row:
    """A setting: its name, who may set it, what a repository may choose, its values, its default, and its meaning.

    The name includes the groups above the setting, separated by dots; `*` stands for any name. The default is JSON.
    """

    def __init__(self, line: str) -> None:
        """Read a line of the settings table: the six fields, separated by tabs."""
        self.name, self.who, self.limit, self.kind, self.default, self.meaning = line.split("\t")

    @property
    def is_on(self) -> bool:
        """Whether the default of the setting is `true`."""
        return self.default == "true"

    @property
    def text(self) -> str:
        """The default of a text setting."""
        return self.default.strip('"')

    @property
    def number(self) -> float:
        """The default of a number setting."""
        return float(self.default)

    @property
    def names(self) -> list[str]:
        """The names that the setting accepts."""
        return self.kind.removeprefix(ONE_OF).split(", ")

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value of a number; without an upper bound the greatest is 2**31 - 1."""
        words = self.kind.split(" ")
        return (int(words[2]), 2**31 - 1) if words[1] == "from" else (int(words[1]), int(words[3]))


class SettingsTable:
    """The rows by setting name, and the names of the groups above them; `*` stands for any name."""

    def __init__(self, text: str) -> None:
        """Read the table from the text of `assets/settings.tsv`."""
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

    def row(self, name: str) -> Row:
        """Return the row of a setting, such as `categories.decision.enabled`. Raises KeyError if there is none."""
        if name in self.rows:
            return self.rows[name]
        known: str | None = ""
        for part in name.split("."):
            known = None if known is None else self.find(known, part)
        return self.rows[known or name]

    def find(self, group: str, name: str) -> "str | None":
        """Return the full name of a group's member in the table; None if the table does not have it."""
        above = f"{group}." if group else ""
        if "." not in name:
            for found in (f"{above}{name}", f"{above}*"):
                if found in self.rows or found in self.groups:
                    return found
        return None

    def nearest(self, name: str) -> str:
        """Return the setting or group whose name is nearest to an unknown name; "" if none is near.

        One edit changes, adds or removes a character. A name is near if the number of edits is 1, or at most a third of
        the length of the unknown name's last part. If no name is near, the only setting with the same last part is
        returned, provided that this part has at least four characters.
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
        """Whether a member of a group sets the endpoint of a model or the key for it."""
        row = self.rows.get(f"{group}.{name}")
        return row is not None and row.who in (USER, CONSENT)


def _count_edits(one: str, other: str) -> int:
    """Return how many characters must be changed, added or removed to turn one name into the other."""
    before = list(range(len(other) + 1))
    for row, char in enumerate(one, 1):
        now = [row]
        for column, wanted in enumerate(other, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (char != wanted)))
        before = now
    return before[-1]


def settings_table() -> SettingsTable:
    """Return the table that is shipped with this package. It is read once."""
    if not _kept:
        with open(asset_path("settings.tsv"), encoding="utf-8") as file:
            _kept.append(SettingsTable(file.read()))
    return _kept[0]


_kept: list[SettingsTable] = []
