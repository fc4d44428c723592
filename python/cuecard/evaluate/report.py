"""The results of all settings of the gate and all baselines on the same prompts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..basics.options import GateSetting, Strategy
from ..errors import UsageError
from . import bootstrap
from .bootstrap import quantile
from .engine import LIMIT, OFF, SETTINGS, Engine, check_memories
from .judged_prompts import JudgedPrompt, join_prompts, read_prompts
from .run_file import RunLine
from .running import Progress, run
from .scoring import Score, score

MAIN: Strategy = "hybrid"
BASELINES: tuple[Strategy, ...] = ("vectors", "bm25", "tfidf", "keyword")
DEFAULT_SETTING = "balanced"

# The root of a project (None: found from the working directory), and its file of prompts.
Project = tuple[str | None, str]


@dataclass(frozen=True)
class Variant:
    """The run of a strategy with a setting of the gate, and its score."""

    strategy: Strategy
    setting: GateSetting
    run: list[RunLine]
    score: Score

    @property
    def name(self) -> str:
        """The name for people, such as `hybrid, balanced`."""
        return f"{self.strategy}, {'no gate' if self.setting == OFF else self.setting}"

    def spread(self, field: str) -> dict[str, float]:
        """Mean, quantiles and maximum of `ms` or `tokens` over the lines of the run; empty if no line has a value.

        For `ms`, the prompts at which the engine also read the project's memories do not count.
        """
        values = sorted(
            [
                float(value)
                for line in self.run
                if (value := getattr(line, field)) is not None and not (field == "ms" and line.is_first)
            ]
        )
        if not values:
            return {}
        shares = {"p10": 0.1, "p50": 0.5, "p90": 0.9, "p99": 0.99}
        named = {name: quantile(values, share) for name, share in shares.items()}
        return {"mean": sum(values) / len(values), **named, "max": values[-1]}

    @property
    def first_ms(self) -> list[float]:
        """The milliseconds of each prompt for which the engine first had to read the project's memories."""
        return [line.ms for line in self.run if line.is_first and line.ms is not None]

    def as_dict(self) -> dict[str, Any]:
        """The variant as an object for `--json`."""
        return {
            "strategy": self.strategy,
            "setting": self.setting,
            "score": self.score.as_dict(),
            "tokens": self.spread("tokens"),
            "ms": self.spread("ms"),
            "first_ms": self.first_ms,
        }


@dataclass(frozen=True)
class Report:
    """What every setting and every baseline answered to the same prompts."""

    prompts: list[JudgedPrompt]
    projects: dict[str, int]
    """The number of memories of each project, by the project's name in the prompts."""
    variants: list[Variant]
    """The main strategy with each setting, from no gate to the setting that injects least, then the baselines."""
    notes: list[str]

    @property
    def main(self) -> list[Variant]:
        """The variants of the main strategy, from no gate to the setting that injects least."""
        return [variant for variant in self.variants if variant.strategy == self.variants[0].strategy]

    @property
    def shipped(self) -> Variant:
        """The variant with the main strategy and the default setting."""
        return next((variant for variant in self.main if variant.setting == DEFAULT_SETTING), self.main[0])

    def injected_by_mistake(self, limit: int) -> list[tuple[JudgedPrompt, tuple[str, ...], float]]:
        """Up to `limit` unanswerable prompts for which the default setting injects memories.

        Each item is the prompt, the memories and their highest probability; the highest probability comes first.
        """
        found = []
        for prompt, line in self._answered():
            if prompt.is_unanswerable and line.results:
                chance = max([chance or 0.0 for chance in line.probabilities], default=0.0)
                found.append((prompt, line.results, chance))
        return sorted(found, key=lambda item: -item[2])[:limit]

    def missed(self, limit: int) -> list[tuple[JudgedPrompt, tuple[str, ...]]]:
        """Up to `limit` answerable prompts for which the default setting injects no wanted memory.

        Each prompt comes with the memories that are injected instead.
        """
        return [
            (prompt, line.results)
            for prompt, line in self._answered()
            if prompt.wanted and not prompt.is_unanswerable and not prompt.wanted.intersection(line.results)
        ][:limit]

    def _answered(self) -> list[tuple[JudgedPrompt, RunLine]]:
        """Each prompt with the answer of the default setting."""
        answers = {line.key: line for line in self.shipped.run}
        return [(prompt, answers[prompt.key]) for prompt in self.prompts]

    def as_dict(self) -> dict[str, Any]:
        """The report as an object for `--json`."""
        return {
            "prompts": len(self.prompts),
            "projects": self.projects,
            "variants": [variant.as_dict() for variant in self.variants],
            "notes": self.notes,
        }


def pair_projects(roots: Sequence[str], files: Sequence[str]) -> list[Project]:
    """Pair each root with its file of prompts. Raises UsageError if the numbers of roots and files differ.

    A single file needs no root: its project is then found from the working directory.
    """
    if not roots and len(files) == 1:
        return [(None, files[0])]
    if len(roots) != len(files):
        what = f"there are {len(roots)} projects and {len(files)} files of prompts"
        raise UsageError(what, "give `--root` and `--prompts` once for each project, in the same order")
    return list(zip(roots, files, strict=True))


def collect(
    projects: Sequence[Project],
    *,
    limit: int = LIMIT,
    resamples: int = bootstrap.RESAMPLES,
    progress: Progress | None = None,
) -> Report:
    """Run all variants on all projects. Raises the errors of `read_prompts`, `running.run` and `scoring.score`."""
    files = [read_prompts(file) for _root, file in projects]
    prompts = join_prompts(files)
    counts = {}
    for (root, _file), asked in zip(projects, files, strict=True):
        with Engine(root, setting=OFF) as engine:
            check_memories(asked, engine)
            counts[" + ".join(sorted({prompt.project for prompt in asked}))] = len(engine.paths)
    planned = _plan()
    total, done = len(prompts) * len(planned), 0
    variants = []
    for strategy, setting in planned:
        lines: list[RunLine] = []
        for (root, _file), asked in zip(projects, files, strict=True):
            before = done

            def tell(count: int, _all: int, before: int = before) -> None:
                if progress:
                    progress(before + count, total)

            lines += run(asked, root=root, setting=setting, strategy=strategy, limit=limit, progress=tell)
            done += len(asked)
        variants.append(Variant(strategy, setting, lines, score(lines, prompts, resamples=resamples)))
    return Report(prompts, counts, variants, _notes(prompts))


def _plan() -> list[tuple[Strategy, GateSetting]]:
    """The strategies and settings to run, in the order of `Report.variants`."""
    return [*[(MAIN, setting) for setting in (OFF, *reversed(SETTINGS))], *[(name, OFF) for name in BASELINES]]


def _notes(prompts: Sequence[JudgedPrompt]) -> list[str]:
    notes = []
    unreviewed = sum([not prompt.is_reviewed for prompt in prompts])
    if unreviewed:
        notes.append(f"no person has reviewed the judgments of {unreviewed} of {len(prompts)} prompts")
    return notes
