"""Scores a run against its judged prompts, in total and by group, with intervals. Also compares two runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, UsageError
from . import bootstrap
from .bootstrap import Interval
from .judged_prompts import JudgedPrompt
from .measures import MEASURES, Row, measure, ratio
from .run_file import RunLine

GROUPINGS = ("kind", "project", "lang")
ALL = "ALL"


@dataclass(frozen=True)
class Summary:
    """The measures of a set of prompts."""

    prompts: int
    measures: dict[str, float | None]
    """The values by the names in `measures.MEASURES`; None if a measure does not apply."""
    intervals: dict[str, Interval | None]
    """The 95% bootstrap intervals of the measures; None if a measure does not apply."""

    def as_dict(self) -> dict[str, Any]:
        """The summary as an object for `--json`."""
        return {"prompts": self.prompts, **self.measures, "intervals": self.intervals}


@dataclass(frozen=True)
class Difference:
    """The difference of a measure between two runs of the same prompts (first minus second)."""

    value: float
    interval: Interval
    p: float
    """The two-sided p-value, above 0 and at most 1.

    It is twice the smaller of two shares: of samples with a difference of at most 0, and of at least 0.
    """

    def as_dict(self) -> dict[str, Any]:
        """The difference as an object for `--json`."""
        return {"difference": self.value, "interval": self.interval, "p": self.p}


@dataclass(frozen=True)
class Score:
    """The measures of a run, in total and by group."""

    groups: dict[str, Summary]
    """The summaries by kind, project or language, sorted by name. The last summary is `ALL`."""
    missing: int
    """The number of prompts without a line in the run. They count as prompts for which nothing was injected."""
    outside: int
    """The number of lines of the run for projects without prompts; these lines are ignored."""
    unreviewed: int
    """The number of prompts whose judgments no person has reviewed."""

    @property
    def all(self) -> Summary:
        """The measures of all prompts."""
        return self.groups[ALL]

    def as_dict(self) -> dict[str, Any]:
        """The score as an object for `--json`."""
        groups = {name: summary.as_dict() for name, summary in self.groups.items()}
        return {"groups": groups, "missing": self.missing, "outside": self.outside, "unreviewed": self.unreviewed}


def score(
    run: Sequence[RunLine],
    prompts: Sequence[JudgedPrompt],
    *,
    by: str = "kind",
    cutoff: int | None = None,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> Score:
    """Score a run. With a `cutoff` only the first `cutoff` memories of each answer count.

    Raises `UsageError` for an unknown grouping or a cutoff under 0, and `InputError` if the run has a line for an
    unknown prompt of a project that has prompts.
    """
    if by not in GROUPINGS:
        raise UsageError(f"unknown grouping `{by}`", f"use {', '.join([f'`{name}`' for name in GROUPINGS])}")
    rows = measure_all(run, prompts, cutoff)
    members: dict[str, list[int]] = {}
    for position, prompt in enumerate(prompts):
        members.setdefault({"kind": prompt.kind, "project": prompt.project, "lang": prompt.lang}[by], []).append(
            position
        )
    groups = {
        name: summarize(
            [rows[place] for place in members[name]], [prompts[place] for place in members[name]], resamples, seed
        )
        for name in sorted(members)
    }
    groups[ALL] = summarize(rows, prompts, resamples, seed)
    answered = {line.key for line in run}
    projects = {prompt.project for prompt in prompts}
    return Score(
        groups,
        missing=sum([prompt.key not in answered for prompt in prompts]),
        outside=sum([line.project not in projects for line in run]),
        unreviewed=sum([not prompt.is_reviewed for prompt in prompts]),
    )


def compare(
    run: Sequence[RunLine],
    other: Sequence[RunLine],
    prompts: Sequence[JudgedPrompt],
    *,
    cutoff: int | None = None,
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> dict[str, Difference]:
    """The difference of each measure between `run` and `other`, paired by bootstrap sample.

    Measures that do not apply to one of the runs are left out. Raises the errors of `score`.
    """
    rows, others = measure_all(run, prompts, cutoff), measure_all(other, prompts, cutoff)
    draws = bootstrap.draw([prompt.kind for prompt in prompts], resamples, seed)
    differences = {}
    for name in MEASURES:
        value, against = ratio(rows, name), ratio(others, name)
        if value is None or against is None:
            continue
        pairs = zip(bootstrap.resample(rows, name, draws), bootstrap.resample(others, name, draws), strict=True)
        found = [first - second for first, second in pairs if first is not None and second is not None]
        limits = bootstrap.interval(found)
        if limits:
            not_above, not_below = sum([gap <= 0 for gap in found]), sum([gap >= 0 for gap in found])
            # The 1 keeps p above 0: with n samples, values below 1/n cannot be told apart.
            p = min(1.0, 2 * (min(not_above, not_below) + 1) / (len(found) + 1))
            differences[name] = Difference(value - against, limits, p)
    return differences


def measure_all(run: Sequence[RunLine], prompts: Sequence[JudgedPrompt], cutoff: int | None = None) -> list[Row]:
    """What each prompt adds to the measures, in the order of the prompts. Raises the errors of `score`."""
    if cutoff is not None and cutoff < 0:
        raise UsageError(f"the cutoff {cutoff} is too small", "use 0 or more")
    known = {prompt.key for prompt in prompts}
    projects = {prompt.project for prompt in prompts}
    for line in run:
        if line.project in projects and line.key not in known:
            where = f"{line.place}: " if line.place else ""
            what = f"{where}the prompts of `{line.project}` have no `{line.prompt_id}`"
            hint = "score a run with all the prompts from which it was made"
            raise InputError(what, hint, field="prompt_id", expected="the id of a prompt", found=f"`{line.prompt_id}`")
    answers = {line.key: line.results for line in run}
    return [measure(prompt, answers.get(prompt.key, ())[:cutoff]) for prompt in prompts]


def summarize(
    rows: Sequence[Row],
    prompts: Sequence[JudgedPrompt],
    resamples: int = bootstrap.RESAMPLES,
    seed: int = bootstrap.SEED,
) -> Summary:
    """The measures and intervals of prompts. `rows` says what each prompt adds to the measures."""
    draws = bootstrap.draw([prompt.kind for prompt in prompts], resamples, seed)
    measures = {name: ratio(rows, name) for name in MEASURES}
    intervals = {
        name: None if measures[name] is None else bootstrap.interval(bootstrap.resample(rows, name, draws))
        for name in MEASURES
    }
    return Summary(len(rows), measures, intervals)
