"""What one way of recalling has more than another on the same prompts, with 95 % bootstrap intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from judged import Case
from model import SHOWN, UNIT

from cuecard.evaluate import JudgedPrompt, bootstrap
from cuecard.evaluate.measures import Row, measure, ratio

# Recall without a gate of the prompts that share no content word with a memory's title and tags.
SYNONYM = "synonym"
LOSS = "log loss"
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
    prompts: Sequence[JudgedPrompt], cases: Sequence[Case], logits: Sequence[Sequence[int]], threshold: int
) -> Outcome:
    """The outcome of what a threshold lets through, with false injections by kind and the model's mean loss."""
    outcome = Outcome()
    for prompt, case, of_case in zip(prompts, cases, logits, strict=True):
        pairs = list(zip(case.examples, of_case, strict=True))
        shown = [] if case.is_chat else [example.memory for example, logit in pairs if logit >= threshold]
        row = measure(prompt, shown[:SHOWN])
        if "false" in row:
            row[prompt.kind] = row["false"]
        row[LOSS] = sum(loss(logit, example.grade >= 1) for example, logit in pairs), len(pairs)
        outcome.rows.append(row)
    return outcome


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
