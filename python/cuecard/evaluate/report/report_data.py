"""What a report shows: every setting of the gate and every baseline on the same prompts."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import UsageError
from ...settings.options import GateSetting, Strategy
from .. import bootstrap
from ..bootstrap import quantile
from ..engine import LIMIT, OFF, SETTINGS, Engine, check_memories
from ..judged_prompts import JudgedPrompt, join_prompts, read_prompts
from ..run_file import RunLine
from ..running import Progress, run
from ..scoring import Score, score

MAIN: Strategy = "hybrid"
BASELINES: tuple[Strategy, ...] = ("vectors", "bm25", "tfidf", "keyword")
DEFAULT_SETTING = "balanced"

# Root, or None for the one found from here, and file of prompts.
Project = tuple[str | None, str]


@dataclass(frozen=True)
class Variant:
    """A strategy under a setting, and what it gave."""

    strategy: Strategy
    setting: GateSetting
    run: list[RunLine]
    score: Score

    @property
    def name(self) -> str:
        """As `hybrid, balanced`."""
        return f"{self.strategy}, {'no gate' if self.setting == OFF else self.setting}"

    def spread(self, field: str) -> dict[str, float]:
        """Mean, quantiles and largest of the lines' `ms` or `tokens`; of `ms` without those that include reading."""
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
        """Milliseconds of the prompts with which the whole project was read."""
        return [line.ms for line in self.run if line.is_first and line.ms is not None]

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints of it."""
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
    """All that the page shows."""

    prompts: list[JudgedPrompt]
    projects: dict[str, int]
    """Memories of each project, by the name it has in the prompts."""
    variants: list[Variant]
    """The main strategy by its settings, the silent ones last, then the baselines."""
    notes: list[str]
    limit: int
    resamples: int
    made_at: str

    @property
    def main(self) -> list[Variant]:
        """The main strategy, from no gate to the most silent setting."""
        return [variant for variant in self.variants if variant.strategy == self.variants[0].strategy]

    @property
    def ungated(self) -> list[Variant]:
        """Every strategy without a gate, the main one first."""
        return [variant for variant in self.variants if variant.setting == OFF]

    @property
    def shipped(self) -> Variant:
        """The main strategy as users have it."""
        return next((variant for variant in self.main if variant.setting == DEFAULT_SETTING), self.main[0])

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "prompts": len(self.prompts),
            "projects": self.projects,
            "variants": [variant.as_dict() for variant in self.variants],
            "notes": self.notes,
        }


def pair_projects(roots: Sequence[str], files: Sequence[str]) -> list[Project]:
    """Each file of prompts with its project; raises UsageError where there are not as many of both.

    A single file may do without a root: its project is then the one found from the working directory.
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
    """Run every variant on every project. Raises as `read_prompts`, `running.run` and `scoring.score` do."""
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
    made_at = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    return Report(prompts, counts, variants, _notes(prompts), limit, resamples, made_at)


def _plan() -> list[tuple[Strategy, GateSetting]]:
    """Strategies and settings, in the order of `Report.variants`."""
    return [*[(MAIN, setting) for setting in (OFF, *reversed(SETTINGS))], *[(name, OFF) for name in BASELINES]]


def _notes(prompts: Sequence[JudgedPrompt]) -> list[str]:
    notes = []
    unreviewed = sum([not prompt.is_reviewed for prompt in prompts])
    if unreviewed:
        notes.append(f"no person has reviewed the judgments of {unreviewed} of {len(prompts)} prompts")
    return notes
