"""How much of a conversation is worth keeping, a score from 0 to 1 for each category.

Rules: docs/reference/triage.md, "Score".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .triage_patterns import Category, Revision

WINDOW_LINES = 4
MAX_BOOSTED, MAX_PLAIN = 2, 3
MAX_SNIPPETS, SNIPPET_CHARS = 5, 120
SUMMARY = "session_summary"

_FENCED = re.compile(r"```.*?```", re.DOTALL)
_INLINE = re.compile(r"`[^`]+`")


@dataclass(frozen=True)
class TriageLine:
    """A line of what was said, code taken out."""

    text: str
    sentences: tuple[str, ...]
    """Its parts that count, or do not, by themselves."""
    is_typed: bool = False
    """Whether the user wrote it."""


@dataclass(frozen=True)
class Activity:
    """How much was done."""

    tool_uses: int = 0
    distinct_tools: int = 0
    exchanges: int = 0
    """Messages of either side."""
    has_changes: bool = True
    """Whether a tool may have changed something, or much was asked: without it there is nothing to sum up."""

    @property
    def words(self) -> str:
        """It in one line."""
        return f"{self.tool_uses} tool uses across {self.distinct_tools} tools, {self.exchanges} exchanges"


@dataclass
class CategoryScore:
    """What speaks for a memory of a category."""

    category: str
    score: float = 0.0
    snippets: list[str] = field(default_factory=list)
    """The lines that count, none twice, at most five of 120 characters."""
    line_numbers: list[int] = field(default_factory=list)
    """The lines that match, counted from 0."""
    snippet_lines: list[int] = field(default_factory=list)
    """The line of each snippet."""


def without_code(text: str) -> str:
    """A text without fenced code, then without what stands in single back-ticks."""
    return _INLINE.sub("", _FENCED.sub("", text))


def score_lines(lines: Sequence[TriageLine], activity: Activity, revision: Revision) -> list[CategoryScore]:
    """The scores of all six categories, in the order of the table."""
    kept_sentences = [_without(line.sentences, revision.talk) for line in lines]
    scores = [_score_category(lines, kept_sentences, category) for category in revision.categories]
    return [*scores, _score_activity(activity, revision)]


def _without(sentences: Sequence[str], pattern: "re.Pattern[str] | None") -> list[str]:
    return [sentence for sentence in sentences if not (pattern and pattern.search(sentence))]


def _score_category(
    lines: Sequence[TriageLine], kept_sentences: Sequence[list[str]], category: Category
) -> CategoryScore:
    found = CategoryScore(category.name)
    total, boosted, plain = 0.0, 0, 0
    for number, line in enumerate(lines):
        is_meant = line.is_typed and category.said is not None and category.said.search(line.text)
        if not is_meant and not category.primary.search(line.text):
            continue
        text = " ".join(_without(kept_sentences[number], category.negative))
        is_strong = (line.is_typed and category.said is not None and category.said.search(text)) or (
            category.strong is not None and category.strong.search(text)
        )
        if not is_strong and not category.primary.search(text):
            continue
        found.line_numbers.append(number)
        if is_strong:
            total += category.strong_weight
        elif boosted < MAX_BOOSTED and _is_boosted(kept_sentences, number, category):
            boosted += 1
            total += _boosted_weight(category, line, text)
        elif plain < MAX_PLAIN:
            plain += 1
            total += category.weight
        else:
            continue
        snippet = line.text.strip()[:SNIPPET_CHARS]
        if snippet not in found.snippets and len(found.snippets) < MAX_SNIPPETS:
            found.snippets.append(snippet)
            found.snippet_lines.append(number)
    found.score = min(1.0, total / category.denominator)
    return found


def _boosted_weight(category: Category, line: TriageLine, text: str) -> float:
    """What a match with a booster near it is worth: most with the booster beside it, or in answer to the user."""
    weight = category.boosted_weight
    if line.is_typed:
        weight = max(weight, category.reported_weight)
    return max(weight, category.same_line_weight) if category.booster.search(text) else weight


def _is_boosted(kept_sentences: Sequence[list[str]], number: int, category: Category) -> bool:
    near = kept_sentences[max(0, number - WINDOW_LINES) : number + WINDOW_LINES + 1]
    return any(category.booster.search(" ".join(sentences)) for sentences in near)


def _score_activity(activity: Activity, revision: Revision) -> CategoryScore:
    if revision.needs_changes and not activity.has_changes:
        return CategoryScore(SUMMARY)
    total = 0.05 * activity.tool_uses + 0.1 * activity.distinct_tools + 0.02 * activity.exchanges
    return CategoryScore(SUMMARY, min(1.0, total), [activity.words] if total > 0 else [])
