"""The words that a memory of each category shows by, and their weights: the table `triage.txt`.

Rules: docs/reference/triage.md, "Score".
"""

import re
from dataclasses import dataclass

from ...basics.tables import has_table, read_lines, read_words

_FILE = "triage"


@dataclass(frozen=True)
class Category:
    """What counts for a category."""

    name: str
    primary: "re.Pattern[str]"
    booster: "re.Pattern[str]"
    """What makes a primary match worth more, within four lines of it."""
    weight: float
    boosted_weight: float
    denominator: float
    threshold: float
    negative: "re.Pattern[str] | None" = None
    """A line with it does not count."""
    same_line_weight: float = 0.0
    """The weight of a match with a booster in its own line, where that is more than within four lines."""
    reported_weight: float = 0.0
    """The weight of a match that the user writes with a booster near: a trouble and its end."""
    strong: "re.Pattern[str] | None" = None
    """What is enough by itself."""
    said: "re.Pattern[str] | None" = None
    """What is enough by itself where the user says it."""
    strong_weight: float = 0.0


@dataclass(frozen=True)
class Revision:
    """A set of patterns and the rules that go with it."""

    name: str
    categories: tuple[Category, ...]
    summary_threshold: float
    talk: "re.Pattern[str] | None" = None
    """A line with it counts for no category."""
    needs_changes: bool = False
    """Whether a session without changes has nothing to sum up."""

    @property
    def thresholds(self) -> dict[str, float]:
        """The threshold of every category, by name."""
        return {category.name: category.threshold for category in self.categories} | {
            "session_summary": self.summary_threshold
        }


def read_revision(name: str) -> Revision:
    """A revision of the file."""
    settings = _read_weights(name)
    return Revision(
        name,
        tuple([_read_category(name, category) for category in read_words(_FILE, f"{name} categories")]),
        settings["summary_threshold"],
        talk=_read_pattern(f"{name} talk"),
        needs_changes=bool(settings.get("needs_changes")),
    )


def _read_category(revision: str, name: str) -> Category:
    table = f"{revision} {name}"
    weights = _read_weights(table)
    return Category(
        name,
        primary=_compile(f"{table} primary"),
        booster=_compile(f"{table} booster"),
        weight=weights["weight"],
        boosted_weight=weights["boosted_weight"],
        denominator=weights["denominator"],
        threshold=weights["threshold"],
        negative=_read_pattern(f"{table} negative"),
        same_line_weight=weights.get("same_line_weight", 0.0),
        reported_weight=weights.get("reported_weight", 0.0),
        strong=_read_pattern(f"{table} strong"),
        said=_read_pattern(f"{table} said"),
        strong_weight=weights.get("strong_weight", 0.0),
    )


def _read_weights(table: str) -> dict[str, float]:
    lines = [line.split(" ") for line in read_lines(_FILE, table)]
    return {name: float(value) for name, value in lines}


def _read_pattern(table: str) -> "re.Pattern[str] | None":
    return _compile(table) if has_table(_FILE, table) else None


def _compile(table: str) -> "re.Pattern[str]":
    """Any phrase of a table as whole words in any case, or one of the table `anywhere` beside it wherever it stands.

    A blank is any run of white space. In Korean there may be none: endings and particles follow a word unparted.
    """
    joined = "|".join([phrase.replace(" ", r"\s+") for phrase in read_lines(_FILE, table)])
    pattern = rf"\b(?:{joined})(?!\w)"
    if has_table(_FILE, f"{table} anywhere"):
        stems = [phrase.replace(" ", r"\s*") for phrase in read_lines(_FILE, f"{table} anywhere")]
        pattern = "|".join([pattern, *stems])
    return re.compile(pattern, re.IGNORECASE)


# The plugin's, with those of its next version and Korean ones, and with what tells a decision from talk of one.
CURRENT = read_revision("current")
# Those of the claude-memory plugin.
V5_0220 = read_revision("v5-0220")
