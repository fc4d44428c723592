"""How sure the gate should be for one store: a shift of its thresholds, from judged prompts of the store's own.

The gate's probabilities are compared with the judgments of the memories that it judges near its thresholds. The shift
is the one that makes both agree best, held back by a prior. The shifts of the judged projects, each of a gate that had
not seen the project, hardly differ beyond chance (`tools/gate/report.py`, table `shifts`); the prior leaves room for a
project that is unlike all of them, and a few judgments change little.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..configuration.settings_edit import write_setting
from ..errors import UsageError
from ..files.environment import Environment
from ..files.locate import locate
from ..library.loaded_project import LoadedProject
from ..library.trace import JUDGED
from ..recall.config import HYBRID
from ..settings.reader import ONE
from .engine import OFF
from .judged_prompts import ACCEPTABLE, JudgedPrompt
from .running import Progress, run

# The standard deviation of the prior, in logits.
PRIOR = 0.1
# A memory counts from this logit on: a shift cannot bring one that is less sure over any threshold, and there are so
# many of those that they would decide.
LEAST_LOGIT = -2.0
# Newton's method on a concave function of one number comes to rest long before.
STEPS = 50
# Half of the step in which probabilities are given: 0 and 1 stand for a little more and a little less.
HALF_STEP = 0.5 / ONE


@dataclass(frozen=True)
class JudgedShift:
    """What judged prompts say about a store's gate."""

    root: str
    prompts: int
    """How many a person has judged."""
    unreviewed: int
    """How many no person has judged; they do not count."""
    memories: int
    """How many memories near the thresholds were found for the prompts, over all prompts."""
    expected: float
    """How many of them are helpful by the gate's probabilities."""
    helpful: int
    """How many of them are helpful by the judgments."""
    shift: int
    """`retrieval.gate_shift` as it is, in 1/1024."""
    hundredths: int
    """The proposed shift, in 1/100."""
    deviation: float
    """The standard deviation of the proposed shift, in logits."""
    problem: str = ""
    """Why what was written may not survive a crash of the machine."""

    @property
    def proposal(self) -> str:
        """The proposed shift as the settings spell it."""
        return f"{self.hundredths / 100:g}"

    def as_dict(self) -> dict[str, object]:
        """Everything by name, ready for JSON; numbers are rounded."""
        return {
            "root": self.root,
            "prompts": self.prompts,
            "unreviewed": self.unreviewed,
            "memories": self.memories,
            "expected": round(self.expected, 1),
            "helpful": self.helpful,
            "gate_shift": {
                "now": round(self.shift / ONE, 4),
                "proposed": self.hundredths / 100,
                "deviation": round(self.deviation, 3),
            },
        }


def calibrate_by_prompts(
    prompts: Sequence[JudgedPrompt],
    *,
    root: "str | os.PathLike[str] | None" = None,
    is_applied: bool = False,
    progress: Progress | None = None,
) -> JudgedShift:
    """The shift that judged prompts of a project speak for; written into its settings with `is_applied`.

    Only prompts that a person has reviewed count. Raises `UsageError` for another strategy than `hybrid` and where no
    prompt is reviewed, what `run` raises, and what `write_setting` does.
    """
    project = locate(Environment(), root)
    config = LoadedProject(project).config()
    if config.strategy != HYBRID or config.is_classic:
        raise UsageError(f"`{config.strategy}` has no gate to calibrate", f"use the strategy `{HYBRID}`")
    reviewed = [prompt for prompt in prompts if prompt.is_reviewed]
    if not reviewed:
        raise UsageError("no person has reviewed any of these prompts", "read them, and set `reviewed` to true")
    outcomes = []
    answers = run(reviewed, root=project[0], setting=OFF, limit=JUDGED, progress=progress)
    for prompt, answer in zip(reviewed, answers, strict=True):
        for memory, chance in zip(answer.results, answer.probabilities, strict=True):
            logit = _logit(chance or 0)
            if logit >= LEAST_LOGIT:
                outcomes.append((logit, prompt.judgments.get(memory, 0) >= ACCEPTABLE))
    added, deviation = fit(outcomes)
    found = JudgedShift(
        root=project[0],
        prompts=len(reviewed),
        unreviewed=len(prompts) - len(reviewed),
        memories=len(outcomes),
        expected=sum([_chance(logit) for logit, _is_helpful in outcomes]),
        helpful=sum([is_helpful for _logit, is_helpful in outcomes]),
        shift=config.recall.gate_shift,
        # What would be added to every logit is taken from the threshold instead.
        hundredths=-round(added * 100),
        deviation=deviation,
    )
    if is_applied:
        found = replace(found, problem=write_setting(project[1], "retrieval", "gate_shift", found.proposal))
    return found


def fit(outcomes: Sequence[tuple[float, bool]], prior: float = PRIOR) -> tuple[float, float]:
    """What to add to the logits so that they agree best with the outcomes, and its standard deviation, in logits.

    It is the most likely value under a normal prior around 0 with the standard deviation `prior`.
    """
    added = 0.0
    for _ in range(STEPS):
        chances = [_chance(logit + added) for logit, _is_helpful in outcomes]
        curvature = sum([chance * (1 - chance) for chance in chances]) + prior**-2
        helpful = sum([is_helpful for _logit, is_helpful in outcomes])
        added += (helpful - sum(chances) - added * prior**-2) / curvature
    return added, curvature**-0.5


def _chance(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _logit(chance: float) -> float:
    chance = min(max(chance, HALF_STEP), 1 - HALF_STEP)
    return math.log(chance / (1 - chance))
