"""The words that indicate a memory of each category, and their weights, from the table `triage.txt`.

Rules: docs/reference/triage.md, "Score".
"""

import re
from dataclasses import dataclass

from ...basics.tables import has_table, read_lines, read_words

_FILE = "triage"


@dataclass(frozen=True)
class Category:
    """The patterns and weights of a category."""

    name: str
    primary: "re.Pattern[str]"
    booster: "re.Pattern[str]"
    """A match within four lines of a primary match gives the primary match more weight."""
    weight: float
    boosted_weight: float
    denominator: float
    threshold: float
    negative: "re.Pattern[str] | None" = None
    """A sentence that matches this pattern is ignored for this category."""
    same_line_weight: float = 0.0
    """The weight of a primary match with a booster match in its own line, if more than `boosted_weight`."""
    reported_weight: float = 0.0
    """The weight of a primary match in a line of the user with a booster match nearby, if more than `boosted_weight`.

    An example is a reported problem and its fix.
    """
    strong: "re.Pattern[str] | None" = None
    """A match has the weight `strong_weight`, without a booster match."""
    said: "re.Pattern[str] | None" = None
    """A match in a line of the user has the weight `strong_weight`."""
    strong_weight: float = 0.0


@dataclass(frozen=True)
class Revision:
    """A version of the patterns and rules of triage."""

    name: str
    categories: tuple[Category, ...]
    summary_threshold: float
    talk: "re.Pattern[str] | None" = None
    """A sentence that matches this pattern is ignored for every category."""
    needs_changes: bool = False
    """Whether a session without changes gets no summary."""

    @property
    def thresholds(self) -> dict[str, float]:
        """The threshold of each category, by name."""
        return {category.name: category.threshold for category in self.categories} | {
            "session_summary": self.summary_threshold
        }


def read_revision(name: str) -> Revision:
    """Read a revision from the table."""
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
    """A pattern for the phrases of a table as whole words.

    If there is a table with the same name and `anywhere`, its phrases match in any place, also within a word. Case is
    ignored. A blank in a phrase matches any white space. In `anywhere` it also matches nothing, since Korean endings
    and particles follow a word directly.
    """
    joined = "|".join([phrase.replace(" ", r"\s+") for phrase in read_lines(_FILE, table)])
    pattern = rf"\b(?:{joined})(?!\w)"
    if has_table(_FILE, f"{table} anywhere"):
        stems = [phrase.replace(" ", r"\s*") for phrase in read_lines(_FILE, f"{table} anywhere")]
        pattern = "|".join([pattern, *stems])
    return re.compile(pattern, re.IGNORECASE)


# The patterns of the plugin and of its next version, with Korean patterns, and with rules that tell a decision from
# talk about a decision.
CURRENT = read_revision("current")
# The patterns of the claude-memory plugin.
V5_0220 = read_revision("v5-0220")
