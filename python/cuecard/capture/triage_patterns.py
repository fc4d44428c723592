"""The words that a memory of each category shows by, and their weights (SPEC 41.4)."""

import re
from dataclasses import dataclass


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
    """Of a match with a booster in its own line, where that is more than within four."""
    reported_weight: float = 0.0
    """Of a match that the user writes, with a booster near: a trouble and its end."""
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
        """Of every category, by name."""
        return {category.name: category.threshold for category in self.categories} | {
            "session_summary": self.summary_threshold
        }


def words(*phrases: str) -> "re.Pattern[str]":
    """Any of these phrases as whole words in any case; a blank is any run of white space."""
    return re.compile(_whole(phrases), re.IGNORECASE)


def mixed(english: tuple[str, ...], korean: tuple[str, ...]) -> "re.Pattern[str]":
    """As `words`, or any of the Korean ones wherever they stand: endings and particles follow a word unparted."""
    stems = "|".join([phrase.replace(" ", r"\s*") for phrase in korean])
    return re.compile(rf"{_whole(english)}|{stems}", re.IGNORECASE)


def _whole(phrases: tuple[str, ...]) -> str:
    joined = "|".join([phrase.replace(" ", r"\s+") for phrase in phrases])
    return rf"\b(?:{joined})(?!\w)"
