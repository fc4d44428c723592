"""Evaluation: judged prompts, the engine's answers to judged prompts, measures of the answers, and a report.

    from cuecard import evaluate

    prompts = evaluate.read_prompts("prompts.jsonl")
    run = evaluate.run(prompts, root="path/to/project", setting="balanced")
    evaluate.score(run, prompts).all.measures["R@5"]

`make` builds a first set of judged prompts from a project's own memories and transcripts. `collect` runs every setting
and baseline. `calibrate` fits the gate to a store from the store's memories alone; `calibrate_by_prompts`
fits it from judged prompts. `measure_wholeness` counts the blocks that say all parts of a decision.
"""

from .calibrating import Calibration, calibrate
from .decision_set import Decision, DecisionSet, read_decision_sets
from .judged_prompts import JudgedPrompt, join_prompts, read_prompts, write_prompts
from .judged_shift import JudgedShift, calibrate_by_prompts
from .making import Made, make
from .report import Report, collect, pair_projects
from .run_file import RunLine, read_run, write_run
from .running import run
from .scoring import Difference, Score, Summary, compare, score
from .wholeness import Wholeness, measure_wholeness

__all__ = [
    "Calibration",
    "Decision",
    "DecisionSet",
    "Difference",
    "JudgedPrompt",
    "JudgedShift",
    "Made",
    "Report",
    "RunLine",
    "Score",
    "Summary",
    "Wholeness",
    "calibrate",
    "calibrate_by_prompts",
    "collect",
    "compare",
    "join_prompts",
    "make",
    "measure_wholeness",
    "pair_projects",
    "read_decision_sets",
    "read_prompts",
    "read_run",
    "run",
    "score",
    "write_prompts",
    "write_run",
]
