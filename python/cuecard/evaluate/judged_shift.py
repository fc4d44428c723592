"""Proposes a shift of the gate's thresholds for one store, from prompts that the user has judged.

The gate's probabilities of memories near its thresholds are compared with the judgments. With the proposed shift,
probabilities and judgments agree best. A prior keeps the shift near 0, so that a few judgments change little. On the
judged projects of this repository, each with a gate that was trained without the project, the best shifts differ
little more than by chance (`tools/gate/report.py`, table `shifts`). The prior still allows a shift for a project that
is unlike all these projects.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._backend import FIXED_ONE as ONE
from ..errors import UsageError
from ..retrieval.trace import JUDGED
from ..store.settings.settings_edit import write_setting
from .calibrating import MOST_HUNDREDTHS, locate_gated
from .engine import OFF
from .judged_prompts import ACCEPTABLE, JudgedPrompt
from .running import Progress, run

# The standard deviation of the prior, in logits.
PRIOR = 0.1
# Memories with a lower logit do not count. They stay below the thresholds with every allowed shift, and there are so
# many of them that they would determine the result.
LEAST_LOGIT = -2.0
# The number of steps of Newton's method, which converges long before for a concave function of one number, and the
# longest step in logits.
STEPS = 50
LONGEST = 2.0
# Half of the step in which probabilities are rounded. A probability of 0 or 1 is moved by this much, so that it has a
# finite logit.
HALF_STEP = 0.5 / ONE


@dataclass(frozen=True)
class JudgedShift:
    """The result of comparing a store's gate with judged prompts."""

    root: str
    prompts: int
    """The number of prompts that a person has judged."""
    unreviewed: int
    """The number of prompts that no person has judged; they do not count."""
    memories: int
    """The number of memories near the thresholds that were found, summed over all prompts."""
    expected: float
    """The number of these memories that help, by the sum of the gate's probabilities."""
    helpful: int
    """The number of these memories that help, by the judgments."""
    shift: int
    """The present value of `retrieval.gate_shift`, in units of 1/1024."""
    hundredths: int
    """The proposed shift in units of 1/100, from -100 to 100."""
    deviation: float
    """The standard deviation of the proposed shift, in logits."""
    problem: str = ""
    """Why the written settings may be lost if the machine crashes; "" otherwise."""

    @property
    def proposal(self) -> str:
        """The proposed shift as it is written in the settings."""
        return f"{self.hundredths / 100:g}"

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints, with rounded numbers."""
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
    """Propose a shift from judged prompts of a project; with `is_applied` also write it into the project's settings.

    Only prompts that a person has reviewed count. Raises `UsageError` for a strategy other than `hybrid` or if no
    prompt is reviewed, and the errors of `run` and of `write_setting`.
    """
    project, config = locate_gated(root)
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
        # Lowering the threshold has the effect of raising every logit.
        hundredths=max(-MOST_HUNDREDTHS, min(MOST_HUNDREDTHS, -round(added * 100))),
        deviation=deviation,
    )
    if is_applied:
        found = replace(found, problem=write_setting(project[1], "retrieval", "gate_shift", found.proposal))
    return found


def fit(outcomes: Sequence[tuple[float, bool]], prior: float = PRIOR) -> tuple[float, float]:
    """The number to add to all logits so that they agree best with the outcomes, and the number's standard deviation.

    Both are in logits. An outcome is a logit and whether the memory helps. The number is the most probable number under
    a normal prior with the mean 0 and the standard deviation `prior`.
    """
    added = 0.0
    for _ in range(STEPS):
        chances = [_chance(logit + added) for logit, _is_helpful in outcomes]
        curvature = sum([chance * (1 - chance) for chance in chances]) + prior**-2
        helpful = sum([is_helpful for _logit, is_helpful in outcomes])
        # Newton's method goes astray where the curvature is small, so it takes no step longer than `LONGEST`.
        step = (helpful - sum(chances) - added * prior**-2) / curvature
        added += max(-LONGEST, min(step, LONGEST))
    return added, curvature**-0.5


def _chance(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _logit(chance: float) -> float:
    chance = min(max(chance, HALF_STEP), 1 - HALF_STEP)
    return math.log(chance / (1 - chance))
