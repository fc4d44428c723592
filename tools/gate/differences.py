"""Compare ways of recalling on the same prompts: differences of the measures, with 95 % bootstrap intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from model import FALSE, SHOWN, UNIT, Logits, by_project, carry_over, cross_fit, shown_at

from cuecard.evaluate import JudgedPrompt, bootstrap
from cuecard.evaluate.measures import Row, measure, ratio
from judged import Case

# The recall, without a gate, of prompts that have no content word in common with a memory's title and tags.
SYNONYM = "synonym"
LOSS = "log loss"
# The recall in stores whose memories have no questions, and in stores whose memories have questions.
WITHOUT, WITH = "R@5 without questions", "R@5 with"
WORDS = {SYNONYM: "synonym R@5", "prec": "precision"}
FALSE_KINDS = ("in-vocabulary", "near-miss", "negative", "noise")


@dataclass
class Outcome:
    """The measures of one way to recall, as a row for each prompt: what the prompt adds to each named measure."""

    rows: list[Row] = field(default_factory=list)

    def value(self, name: str) -> float | None:
        """The value of a measure over all prompts; None if the measure applies to no prompt."""
        return ratio(self.rows, name)


@dataclass(frozen=True)
class Difference:
    """The difference of a measure between two outcomes, with its 95 % bootstrap interval over the prompts."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval does not contain zero."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.value:+.3f} [{self.low:+.3f}, {self.high:+.3f}]{self._star}"

    @property
    def in_short(self) -> str:
        """The difference without its interval."""
        return f"{self.value:+.2f}{self._star}"

    @property
    def _star(self) -> str:
        return " *" if self.is_clear else ""


def without_gate(prompts: Sequence[JudgedPrompt], found: Sequence[Sequence[str]]) -> Outcome:
    """The outcome of showing the memories found for each prompt, best first, without a gate."""
    outcome = Outcome()
    for prompt, memories in zip(prompts, found, strict=True):
        row = measure(prompt, memories[:SHOWN])
        if prompt.kind == SYNONYM and "R@5" in row:
            row[SYNONYM] = row["R@5"]
        outcome.rows.append(row)
    return outcome


def with_gate(
    prompts: Sequence[JudgedPrompt],
    cases: Sequence[Case],
    logits: Sequence[Logits],
    thresholds: Sequence[int],
) -> Outcome:
    """The outcome of showing the memories that the gate shows at the threshold of their prompt.

    It includes false injections by kind of prompt and the mean log loss of the model.
    """
    outcome = Outcome()
    for prompt, case, of_case, threshold in zip(prompts, cases, logits, thresholds, strict=True):
        row = measure(prompt, shown_at(case, of_case, threshold))
        if "false" in row:
            row[prompt.kind] = row["false"]
        losses = [loss(logit, prompt.judgments.get(memory, 0) >= 1) for memory, logit in of_case.items()]
        row[LOSS] = sum(losses), len(losses)
        outcome.rows.append(row)
    return outcome


def judge_unseen(prompts: Sequence[JudgedPrompt], cases: Sequence[Case], setting: str) -> Outcome:
    """The outcome of a setting in whole stores; models and thresholds are fitted to other projects than the prompt's.

    Each prompt runs in a store with questions and in a store without. Its two rows are added up, so that the bootstrap
    draws them together.
    """
    logits = cross_fit(cases, by_project)
    thresholds = carry_over(cases, logits, FALSE[setting])
    judged = [row for row in zip(cases, logits, thresholds, strict=True) if not row[0].is_made]
    merged: dict[tuple[str, str], Row] = {prompt.key: {} for prompt in prompts}
    rows = with_gate(prompts, *zip(*judged, strict=True)).rows
    for prompt, (case, *_rest), row in zip(prompts, judged, rows, strict=True):
        if "R@5" in row:
            row[WITH if case.has_questions else WITHOUT] = row["R@5"]
        sums = merged[prompt.key]
        for name, (above, below) in row.items():
            before = sums.get(name, (0.0, 0.0))
            sums[name] = before[0] + above, before[1] + below
    return Outcome([*merged.values()])


def loss(logit: int, holds: bool) -> float:
    """The log loss of a logit in 1/1024: minus the logarithm of the probability that it gives to the truth."""
    against = -logit / UNIT if holds else logit / UNIT
    return against + math.log1p(math.exp(-against)) if against > 0 else math.log1p(math.exp(against))


def compare(outcome: Outcome, other: Outcome, name: str, draws: Sequence[bootstrap.Draw]) -> Difference | None:
    """The difference of a measure between two outcomes; None if the measure does not apply to both."""
    value, against = outcome.value(name), other.value(name)
    if value is None or against is None:
        return None
    samples = zip(
        bootstrap.resample(outcome.rows, name, draws), bootstrap.resample(other.rows, name, draws), strict=True
    )
    limits = bootstrap.interval([a - b for a, b in samples if a is not None and b is not None])
    return Difference(value - against, *limits) if limits else None


def table(
    title: str,
    outcomes: dict[str, Outcome],
    names: Sequence[str],
    draws: Sequence[bootstrap.Draw],
    in_short: Sequence[str] = (),
) -> str:
    """A table with the measures of the first outcome, and the differences of each other outcome from it.

    The columns `in_short` have no intervals.
    """
    (first, base), *others = outcomes.items()
    columns = [*names, *in_short]
    values = [base.value(name) for name in columns]
    lines = [
        f"**{title}**",
        "",
        "| | " + " | ".join(WORDS.get(name, name) for name in columns) + " |",
        "| --- " + "| --: " * len(columns) + "|",
        f"| {first} | " + " | ".join("-" if value is None else f"{value:.3f}" for value in values) + " |",
    ]
    for name, outcome in others:
        found = [compare(outcome, base, column, draws) for column in columns]
        cells = ["-" if cell is None else str(cell) for cell in found[: len(names)]]
        cells += ["-" if cell is None else cell.in_short for cell in found[len(names) :]]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
