"""Scores a conversation for each category of memory, from 0 (nothing to save) to 1.

Rules: docs/reference/triage.md, "Score".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...basics.time_limit import check_time
from .triage_patterns import Category, Revision

WINDOW_LINES = 4
MAX_BOOSTED, MAX_PLAIN = 2, 3
MAX_SNIPPETS, SNIPPET_CHARS = 5, 120
SUMMARY = "session_summary"

_FENCED = re.compile(r"```.*?```", re.DOTALL)
_INLINE = re.compile(r"`[^`]+`")


@dataclass(frozen=True)
class TriageLine:
    """A line of the conversation, without code."""

    text: str
    sentences: tuple[str, ...]
    """The sentences of the line. A sentence that matches a negative pattern is ignored."""
    is_typed: bool = False
    """Whether the user wrote the line."""


@dataclass(frozen=True)
class Activity:
    """The numbers of tool uses and messages in a conversation."""

    tool_uses: int = 0
    distinct_tools: int = 0
    exchanges: int = 0
    """The number of messages of the user and the agent."""
    has_changes: bool = True
    """Whether a tool may have changed something, or the user wrote many prompts; if not, no summary is worthwhile."""

    @property
    def words(self) -> str:
        """The numbers of tool uses and messages as one line of text."""
        return f"{self.tool_uses} tool uses across {self.distinct_tools} tools, {self.exchanges} exchanges"


@dataclass
class CategoryScore:
    """The score of a category, and the lines that gave this score."""

    category: str
    score: float = 0.0
    snippets: list[str] = field(default_factory=list)
    """Up to five different lines that count, each cut to 120 characters."""
    line_numbers: list[int] = field(default_factory=list)
    """The numbers of the lines that match, from 0."""
    snippet_lines: list[int] = field(default_factory=list)
    """The line number of each snippet."""


def without_code(text: str) -> str:
    """A text without fenced code and without text between single back-ticks."""
    return _INLINE.sub("", _FENCED.sub("", text))


def score_lines(lines: Sequence[TriageLine], activity: Activity, revision: Revision) -> list[CategoryScore]:
    """The scores of all six categories, in the order of the table; the session summary is last."""
    kept_sentences = [_without(line.sentences, revision.talk) for line in lines]
    scores = [_score_category(lines, kept_sentences, category) for category in revision.categories]
    return [*scores, _score_activity(activity, revision)]


def _without(sentences: Sequence[str], pattern: "re.Pattern[str] | None") -> list[str]:
    check_time()
    return [sentence for sentence in sentences if not (pattern and pattern.search(sentence))]


def _score_category(
    lines: Sequence[TriageLine], kept_sentences: Sequence[list[str]], category: Category
) -> CategoryScore:
    found = CategoryScore(category.name)
    total, boosted, plain = 0.0, 0, 0
    for number, line in enumerate(lines):
        check_time()
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
    """The weight of a match that has a phrase of `category.booster` nearby.

    The weight is higher if the user typed the line, or if the phrase is in the same line.
    """
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
