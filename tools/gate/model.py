"""The logistic model of the gate: fits it to judged prompts as whole numbers, and measures it."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from general_words import Weights, fit_words
from logistic import Matrix, Vector, solve

from cuecard._pure.settings.gate_model import lowest_shown
from cuecard.basics.gate_table import FEATURE_NAMES
from judged import GENERAL_WORDS, Case

UNIT = 1024
SHOWN = 5
HAS_QUESTIONS = FEATURE_NAMES.index("has_questions")
# The penalty on the squares of the weights of standardised features, chosen by cross-validation. All values from 10 to
# 100 give about the same result.
PENALTY = 30.0
# How often the best candidate of a reading counts, because it decides whether the gate opens, and how often all
# candidates of an unanswerable prompt count. Chosen by cross-validation; see `docs/recall-quality.md`.
FIRST_WEIGHT = 10.0
UNANSWERABLE_WEIGHT = 1.25
# Stands for the best logit where there is no memory; it is below every threshold.
NO_LOGIT = -(1 << 30)
# The share of unanswerable prompts that each setting may answer, in projects to which the model was not fitted.
# `balanced` is to stay at 12 % or below in the projects of `dev`, which are like most projects.
FALSE = {"precise": 0.05, "balanced": 0.13, "eager": 0.32}
FOLDS = 5


class Logits(dict[str, int]):
    """The logit of each memory that was found for a prompt, and the best logit of each reading; all in 1/1024.

    Only memories that are valid now, or that the prompt asks for, count for the best logit.
    """

    def __init__(self, logits: dict[str, int], bests: Sequence[tuple[int, bool]]) -> None:
        """`bests` has the best logit of each reading, and whether the memory with this logit has questions."""
        super().__init__(logits)
        self.bests = bests

    def raised(self, share: int) -> "Logits":
        """The same with `share` added to every logit."""
        bests = [(best + share, has_questions) for best, has_questions in self.bests]
        return Logits({memory: logit + share for memory, logit in self.items()}, bests)

    def least(self, threshold: int) -> int:
        """The lowest logit of a memory that is shown for the prompt, with the threshold of a setting."""
        lowest = [lowest_shown(threshold, best, has_questions=has_questions) for best, has_questions in self.bests]
        return min(lowest, default=threshold)


@dataclass(frozen=True)
class Model:
    """A logistic model in which each feature has two knots, at which its slope changes. All numbers are in 1/1024.

    Each feature has three slopes: the first applies to the whole value, the other two to the part of the value beyond
    their knot. The logit is the bias plus the sum over all features.
    """

    knots: list[tuple[int, int]]
    slopes: list[tuple[int, int, int]]
    bias: int
    words: Weights

    def logits(self, case: Case) -> Logits:
        """The logit of each memory that was found for a prompt, exactly as both backends compute it."""
        found: dict[str, int] = {}
        bests = []
        for reading in case.readings:
            logits = {example.memory: self.logit(case, example.features) for example in reading}
            first = [example for example in reading if example.is_asked_for]
            best = max(first, key=lambda example: logits[example.memory], default=None)
            asked = best is not None and best.features[HAS_QUESTIONS] > 0
            bests.append((logits[best.memory] if best else NO_LOGIT, asked))
            for memory, logit in logits.items():
                found[memory] = max(logit, found.get(memory, logit))
        return Logits(found, bests)

    def raised(self, share: int) -> "Model":
        """The model with `share` added to the logits of memories with questions."""
        slope, from_first, from_second = self.slopes[HAS_QUESTIONS]
        slopes = [*self.slopes]
        slopes[HAS_QUESTIONS] = slope + share, from_first, from_second
        return replace(self, slopes=slopes)

    def logit(self, case: Case, features: Sequence[int]) -> int:
        """The logit of one memory, in 1/1024, from its features and the words of the prompt."""
        general = sum([self.words.get(word, 0) for word in case.words])
        features = [*features[:GENERAL_WORDS], general, *features[GENERAL_WORDS + 1 :]]
        shares = [
            sum([slope * part for slope, part in zip(slopes, bend(value, knots), strict=True)]) // UNIT
            for slopes, knots, value in zip(self.slopes, self.knots, features, strict=True)
        ]
        return self.bias + sum(shares)


def bend(value: int, knots: tuple[int, int]) -> tuple[int, int, int]:
    """The value of a feature, and by how much it exceeds each knot (0 if it does not)."""
    first, second = knots
    return value, max(0, value - first), max(0, value - second)


def fit(cases: Sequence[Case]) -> Model:
    """Fit the model of the probability that a memory was judged to help.

    The fit weighs the candidates that decide whether the gate opens (`FIRST_WEIGHT`). Its logits are then scaled, so
    that their probabilities are right for all candidates alike. For each case, the feature of general words uses
    weights that were fitted to the other projects, so that it is not better here than in a new project.
    """
    cases = [case for case in cases if case.weight]
    projects = sorted({case.project for case in cases})
    of_others = {held: fit_words([case for case in cases if case.project != held]) for held in projects}
    rows, grades, counts, weights = [], [], [], []
    for case in cases:
        general = sum([of_others[case.project].get(word, 0) for word in case.words])
        for place, example in [pair for reading in case.readings for pair in enumerate(reading)]:
            features = [*example.features]
            features[GENERAL_WORDS] = general
            rows.append(features)
            grades.append(example.grade >= 1)
            counts.append(case.weight)
            weights.append((1.0 if place else FIRST_WEIGHT) * (1.0 if case.is_answerable else UNANSWERABLE_WEIGHT))
    x, knots = spread(np.array(rows, float))
    y, count = np.array(grades, float), np.array(counts)
    mean, deviation = x.mean(0), x.std(0)
    deviation[deviation == 0] = 1
    standard = (x - mean) / deviation
    found = solve(standard, y, PENALTY, count * np.array(weights))
    shift, scale = solve((found[0] + standard @ found[1:])[:, None], y, 0.0, count)
    coefficients = scale * found[1:] / deviation
    bias = float(shift + scale * found[0] - (coefficients * mean).sum())
    slopes = [round(float(coefficient) * UNIT * UNIT) for coefficient in coefficients]
    pairs = [(int(first), int(second)) for first, second in knots]
    triples = list(zip(slopes[::3], slopes[1::3], slopes[2::3], strict=True))
    return Model(pairs, triples, round(bias * UNIT), fit_words(cases))


def spread(columns: Matrix) -> tuple[Matrix, list[tuple[float, float]]]:
    """Three columns for each feature (its value, and by how much it exceeds each knot), and the knots."""
    knots = [knots_of(column) for column in columns.T]
    parts = []
    for column, (first, second) in zip(columns.T, knots, strict=True):
        parts += [column, np.maximum(0, column - first), np.maximum(0, column - second)]
    return np.array(parts).T, knots


def knots_of(column: Vector) -> tuple[float, float]:
    """The knots of a feature: the terciles of its values, or of those that are not 0 if more than a third are 0.

    A feature that is only 0 or `UNIT` gets `UNIT` twice, so that its slope does not change.
    """
    if set(column) <= {0, UNIT}:
        return UNIT, UNIT
    spread_out = column[column != 0] if (column == 0).mean() > 1 / 3 else column
    first, second = np.quantile(spread_out, [1 / 3, 2 / 3])
    return int(first), int(second)


def by_project(_number: int, case: Case) -> object:
    """The group of a case: its project."""
    return case.project


def cross_fit(cases: Sequence[Case], group_of: Callable[[int, Case], object]) -> list[Logits]:
    """The logits of each case's memories, by a model that was fitted to the cases of the other groups.

    Logits of memories with questions are raised as the cases of the other groups demand (see `raise_of`).
    """
    return raise_in_turn(cases, fit_in_turn(cases, group_of), group_of)


def raise_in_turn(
    cases: Sequence[Case], logits: Sequence[Logits], group_of: Callable[[int, Case], object]
) -> list[Logits]:
    """The logits of `fit_in_turn`, with those of memories with questions raised."""
    groups = [group_of(number, case) for number, case in enumerate(cases)]
    raised = [*logits]
    for held in set(groups):
        others = [number for number, group in enumerate(groups) if group != held]
        share = raise_of([cases[number] for number in others], [logits[number] for number in others])
        for number, group in enumerate(groups):
            if group == held and cases[number].has_questions:
                raised[number] = logits[number].raised(share)
    return raised


def raise_all(cases: Sequence[Case], logits: Sequence[Logits], share: int) -> list[Logits]:
    """The logits with `share` added for memories with questions."""
    return [
        of_case.raised(share) if case.has_questions else of_case for case, of_case in zip(cases, logits, strict=True)
    ]


def raise_of(cases: Sequence[Case], logits: Sequence[Logits]) -> int:
    """What to add to the logit of a memory with questions, so that `balanced` has one threshold.

    Without it, stores with questions would have fewer false injections than stores without, or more.
    """
    found = []
    for has_questions in (False, True):
        half = [pair for pair in zip(cases, logits, strict=True) if pair[0].has_questions == has_questions]
        if not half:
            return 0
        found.append(threshold_for([case for case, _ in half], [of_case for _, of_case in half], FALSE["balanced"]))
    without, having = found
    return without - having


def fit_in_turn(cases: Sequence[Case], group_of: Callable[[int, Case], object]) -> list[Logits]:
    """The logits of each case's memories, by a model that was fitted to the cases of the other groups."""
    groups = [group_of(number, case) for number, case in enumerate(cases)]
    logits = [Logits({}, []) for _ in cases]
    for held in sorted(set(groups), key=str):
        model = fit([case for case, group in zip(cases, groups, strict=True) if group != held])
        for number, group in enumerate(groups):
            if group == held:
                logits[number] = model.logits(cases[number])
    return logits


@dataclass(frozen=True)
class Measures:
    """The measures at a threshold: recall and precision of at most five memories, and false injections by kind."""

    recall: float
    precision: float
    false: dict[str, float]


def shown_at(case: Case, logits: Logits, threshold: int) -> list[str]:
    """The memories that are shown at a threshold, highest logit first."""
    if case.is_chat:
        return []
    least = logits.least(threshold)
    kept = [memory for memory, logit in logits.items() if logit >= least]
    return sorted(kept, key=lambda memory: -logits[memory])[:SHOWN]


def measure(cases: Sequence[Case], logits: Sequence[Logits], thresholds: Sequence[int]) -> Measures:
    """The measures of the memories that are shown at the threshold of their case."""
    recalls: list[float] = []
    false: dict[str, list[bool]] = defaultdict(list)
    injected = good = 0
    for case, of_case, threshold in zip(cases, logits, thresholds, strict=True):
        shown = shown_at(case, of_case, threshold)
        grades = {example.memory: example.grade for reading in case.readings for example in reading}
        injected += len(shown)
        good += sum([grades[memory] >= 1 for memory in shown])
        if not case.is_answerable:
            false[case.kind].append(bool(shown))
            false["all"].append(bool(shown))
        elif case.wanted:
            recalls.append(len(case.wanted.intersection(shown)) / min(SHOWN, len(case.wanted)))
    shares = {kind: sum(values) / len(values) for kind, values in false.items()}
    recall = sum(recalls) / len(recalls) if recalls else 0.0
    return Measures(recall, good / injected if injected else 1.0, shares)


def threshold_for(cases: Sequence[Case], logits: Sequence[Logits], false: float) -> int:
    """The lowest threshold at which at most the share `false` of the unanswerable prompts get a memory.

    Cases that were made for the training are ignored.
    """
    best = [
        max(of_case.values(), default=-math.inf)
        for case, of_case in zip(cases, logits, strict=True)
        if not case.is_answerable and not case.is_chat and not case.is_made
    ]
    silent = sum([not case.is_answerable and case.is_chat and not case.is_made for case in cases])
    kept = int(false * (len(best) + silent))
    return math.floor(sorted(best, reverse=True)[kept]) + 1


def carry_over(cases: Sequence[Case], logits: Sequence[Logits], false: float) -> list[int]:
    """The threshold of each case, computed by `threshold_for` from the cases of the other projects."""
    found = {}
    for held in {case.project for case in cases}:
        others = [pair for pair in zip(cases, logits, strict=True) if pair[0].project != held]
        found[held] = threshold_for([case for case, _ in others], [of_case for _, of_case in others], false)
    return [found[case.project] for case in cases]


def without(cases: Sequence[Case], feature: int) -> list[Case]:
    """Copies of the cases in which one feature is always 0."""

    def cut(features: list[int]) -> list[int]:
        return [0 if number == feature else value for number, value in enumerate(features)]

    return [
        replace(
            case,
            words=frozenset() if feature == GENERAL_WORDS else case.words,
            readings=[[replace(one, features=cut(one.features)) for one in reading] for reading in case.readings],
        )
        for case in cases
    ]
