"""What one way of recalling has more than another on the same prompts, with 95 % bootstrap intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from judged import Case
from model import FALSE, SHOWN, UNIT, by_project, carry_over, cross_fit, shown_at

from cuecard.evaluate import JudgedPrompt, bootstrap
from cuecard.evaluate.measures import Row, measure, ratio

# Recall without a gate of the prompts that share no content word with a memory's title and tags.
SYNONYM = "synonym"
LOSS = "log loss"
# Recall by whether the memories have questions.
WITHOUT, WITH = "R@5 without questions", "R@5 with"
WORDS = {SYNONYM: "synonym R@5", "prec": "precision"}
FALSE_KINDS = ("in-vocabulary", "near-miss", "negative", "noise")


@dataclass
class Outcome:
    """What each prompt adds to each measure, by the name of the measure."""

    rows: list[Row] = field(default_factory=list)

    def value(self, name: str) -> float | None:
        """A measure of all prompts; None where it does not apply."""
        return ratio(self.rows, name)


@dataclass(frozen=True)
class Difference:
    """What a measure has more, and the middle 95 % of it in samples of the prompts."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.value:+.3f} [{self.low:+.3f}, {self.high:+.3f}]{self._star}"

    @property
    def in_short(self) -> str:
        """Without the interval."""
        return f"{self.value:+.2f}{self._star}"

    @property
    def _star(self) -> str:
        return " *" if self.is_clear else ""


def without_gate(prompts: Sequence[JudgedPrompt], found: Sequence[Sequence[str]]) -> Outcome:
    """The outcome of the memories that were found for each prompt, best first."""
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
    logits: Sequence[dict[str, int]],
    thresholds: Sequence[int],
) -> Outcome:
    """The outcome of what reaches the threshold, with false injections by kind and the model's mean loss."""
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
    """What a setting lets through in whole stores by models and thresholds that have not seen the project.

    A prompt that is asked with questions in the store and without has one row, so that it is drawn as one.
    """
    logits = cross_fit(cases, by_project)
    thresholds = carry_over(cases, logits, FALSE[setting])
    judged = [row for row in zip(cases, logits, thresholds, strict=True) if not row[0].is_small]
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
    """Minus the logarithm of the probability that a logit in 1/1024 gives to what is so."""
    against = -logit / UNIT if holds else logit / UNIT
    return against + math.log1p(math.exp(-against)) if against > 0 else math.log1p(math.exp(against))


def compare(outcome: Outcome, other: Outcome, name: str, draws: Sequence[bootstrap.Draw]) -> Difference | None:
    """What a measure of one outcome has more than of another; None where it does not apply to both."""
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
    """The measures of the first outcome, and what each other one has more; of those `in_short` without intervals."""
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
