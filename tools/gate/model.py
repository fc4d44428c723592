"""The logistic model behind the gate: fitted, measured, and written as whole numbers, which both backends read."""

import math
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from judged import ROOT, Case
from sklearn.linear_model import LogisticRegression

UNIT = 1024
SHOWN = 5
# Inverse strength of the penalty on standardised features: chosen by cross-validation, flat from 0.1 to 0.5.
PENALTY = 0.3
SIGMOID_STEP = 128
SIGMOID_END = 8 * UNIT
COUNT_MAX = 50
# What is promised of each setting: the least recall and precision, the greatest shares of false injections, of all
# and of what is off topic.
BARS = {"precise": (0.6, 0.82, 0.05, 0.05), "balanced": (0.7, 0.68, 0.14, 0.04), "eager": (0.8, 0.4, 1.0, 1.0)}
# So much less holds on what the model has not seen.
TOLERANCE = 0.03
FOLDS = 5


@dataclass(frozen=True)
class Model:
    """For each feature two knots and three slopes: what it adds bends at the knots. All in 1/1024.

    A slope counts from its knot on, the first one everywhere.
    """

    knots: list[tuple[int, int]]
    slopes: list[tuple[int, int, int]]
    bias: int

    def logit(self, features: Sequence[int]) -> int:
        """In 1/1024, exactly as both backends add it up."""
        shares = [
            sum(slope * part for slope, part in zip(slopes, bend(value, knots), strict=True)) // UNIT
            for slopes, knots, value in zip(self.slopes, self.knots, features, strict=True)
        ]
        return self.bias + sum(shares)


def bend(value: int, knots: tuple[int, int]) -> tuple[int, int, int]:
    """A feature, and what of it is beyond each knot."""
    first, second = knots
    return value, max(0, value - first), max(0, value - second)


def fit(cases: Sequence[Case]) -> Model:
    """Fit the probability that a memory has been judged to help."""
    examples = [example for case in cases for example in case.examples]
    columns = list(zip(*[example.features for example in examples], strict=True))
    knots = [knots_of(column) for column in columns]
    x = np.array(
        [[part for pair in zip(e.features, knots, strict=True) for part in bend(*pair)] for e in examples], float
    )
    y = np.array([example.grade >= 1 for example in examples])
    mean, deviation = x.mean(0), x.std(0)
    deviation[deviation == 0] = 1
    found = LogisticRegression(C=PENALTY, max_iter=5000).fit((x - mean) / deviation, y)
    weights = found.coef_[0] / deviation
    bias = float(found.intercept_[0] - (weights * mean).sum())
    slopes = [round(float(weight) * UNIT * UNIT) for weight in weights]
    return Model(knots, list(zip(slopes[::3], slopes[1::3], slopes[2::3], strict=True)), round(bias * UNIT))


def knots_of(column: Sequence[int]) -> tuple[int, int]:
    """A third and two thirds of what a feature is; of one that only holds or not, its end, where nothing bends."""
    if set(column) <= {0, UNIT}:
        return UNIT, UNIT
    first, second = (int(value) for value in np.quantile(column, [1 / 3, 2 / 3]))
    return first, second


def by_project(_number: int, case: Case) -> object:
    """Groups by project."""
    return case.project


def by_fold(number: int, case: Case) -> object:
    """Groups by chance."""
    return zlib.crc32(f"{case.project}{number}".encode()) % FOLDS


def cross_fit(cases: Sequence[Case], group_of: Callable[[int, Case], object]) -> list[list[int]]:
    """The logits of each case's examples by a model that has not seen its group."""
    groups = [group_of(number, case) for number, case in enumerate(cases)]
    logits: list[list[int]] = [[] for _ in cases]
    for held in sorted(set(groups), key=str):
        model = fit([case for case, group in zip(cases, groups, strict=True) if group != held])
        for number, group in enumerate(groups):
            if group == held:
                logits[number] = [model.logit(example.features) for example in cases[number].examples]
    return logits


@dataclass(frozen=True)
class Measures:
    """What a threshold gives: recall and precision of at most five memories, and false injections by kind."""

    recall: float
    precision: float
    false: dict[str, float]


def measure(cases: Sequence[Case], logits: Sequence[Sequence[int]], threshold: int) -> Measures:
    """The measures of the memories whose logit reaches a threshold."""
    recalls: list[float] = []
    false: dict[str, list[bool]] = defaultdict(list)
    injected = good = 0
    for case, of_case in zip(cases, logits, strict=True):
        pairs = zip(case.examples, of_case, strict=True)
        shown = [] if case.is_chat else [example for example, logit in pairs if logit >= threshold][:SHOWN]
        injected += len(shown)
        good += sum(example.grade >= 1 for example in shown)
        if not case.is_answerable:
            false[case.kind].append(bool(shown))
            false["all"].append(bool(shown))
        elif case.wanted:
            found = case.wanted.intersection(example.memory for example in shown)
            recalls.append(len(found) / min(SHOWN, len(case.wanted)))
    shares = {kind: sum(values) / len(values) for kind, values in false.items()}
    return Measures(sum(recalls) / len(recalls), good / injected if injected else 1.0, shares)


def most_recall(cases: Sequence[Case], logits: Sequence[Sequence[int]], setting: str) -> int:
    """The threshold of the greatest recall that keeps to the precision and the false injections of a setting.

    Models are compared by it: what one gains is all in the recall.
    """
    _recall, precision, false, _off_topic = BARS[setting]
    measured = [(threshold, measure(cases, logits, threshold)) for threshold in thresholds_of(logits)]
    kept = [pair for pair in measured if pair[1].precision >= precision and pair[1].false["all"] <= false]
    if not kept:
        return max(measured, key=lambda pair: pair[1].precision)[0]
    return max(kept, key=lambda pair: pair[1].recall)[0]


def thresholds_of(logits: Sequence[Sequence[int]]) -> list[int]:
    """Some four hundred of the logits, evenly spread."""
    found = sorted({logit for of_case in logits for logit in of_case})
    return found[:: max(1, len(found) // 400)]


def choose(cases: Sequence[Case], views: Sequence[tuple[Sequence[Sequence[int]], float]], setting: str) -> int:
    """The threshold that keeps farthest from the bars of a setting, in each of some views of the cases.

    A view has the logits of each case's examples, and how much less than promised is enough in it.
    """
    recall, precision, false, off_topic = BARS[setting]

    def slack(threshold: int) -> float:
        return min(
            tolerance + distance
            for logits, tolerance in views
            for found in [measure(cases, logits, threshold)]
            for distance in (
                found.recall - recall,
                found.precision - precision,
                false - found.false["all"],
                off_topic - found.false["negative"],
            )
        )

    return max(thresholds_of([of_case for logits, _tolerance in views for of_case in logits]), key=slack)


def write(model: Model, thresholds: dict[str, int]) -> None:
    """Write the table of the gate's numbers."""
    sigmoid = [round(UNIT / (1 + math.exp(-x / UNIT))) for x in range(0, SIGMOID_END + 1, SIGMOID_STEP)]
    logarithms = [round(UNIT * math.log1p(count)) for count in range(COUNT_MAX + 1)]
    tables: list[tuple[str, Sequence[Sequence[int]], str]] = [
        ("bias", [(model.bias,)], "The logit of a memory whose features are all 0, in 1/1024."),
        ("knots", model.knots, "Where what each of the features adds bends, in 1/1024."),
        ("slopes", model.slopes, "How steep that is, everywhere and more from each knot on, in 1/1024."),
        *[
            (name, [(threshold,)], f"The logit from which `{name}` shows a memory, in 1/1024.")
            for name, threshold in thresholds.items()
        ],
        ("sigmoid_step", [(SIGMOID_STEP,)], "How far apart the entries of the next table are, in 1/1024."),
        (
            "sigmoid",
            [sigmoid[begin : begin + 20] for begin in range(0, len(sigmoid), 20)],
            "1 / (1 + e^-x) in 1/1024, from x = 0 on.",
        ),
        (
            "logarithms",
            [logarithms[begin : begin + 20] for begin in range(0, len(logarithms), 20)],
            "ln(1 + n) in 1/1024, from n = 0 on.",
        ),
    ]
    text = "# The gate's coefficients and tables. Written by `tools/gate/train.py`; do not edit.\n"
    for name, rows, doc in tables:
        text += f"\n# {doc}\n[{name}]\n" + "".join([" ".join(map(str, row)) + "\n" for row in rows])
    (ROOT / "python/cuecard/assets/tables/gate.txt").write_text(text, encoding="utf-8")
