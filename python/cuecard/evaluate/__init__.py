"""Evaluation: judged prompts, what the engine answers to them, what that is worth, and a page that shows it.

    from cuecard import evaluate

    prompts = evaluate.read_prompts("prompts.jsonl")
    run = evaluate.run(prompts, root="path/to/project", setting="balanced")
    evaluate.score(run, prompts).all.measures["R@5"]

`make` gets a first set of judged prompts out of a project's own memories and transcripts, `report` writes the page,
`calibrate` fits the gate to a store by its memories alone, and `calibrate_by_prompts` by judged prompts.
"""

from .calibrating import Calibration, calibrate
from .judged_prompts import JudgedPrompt, join_prompts, read_prompts, write_prompts
from .judged_shift import JudgedShift, calibrate_by_prompts
from .making import Made, make
from .report.page import render_page
from .report.report_data import Report, collect, pair_projects
from .run_file import RunLine, read_run, write_run
from .running import run
from .scoring import Difference, Score, Summary, compare, score

__all__ = [
    "Calibration",
    "Difference",
    "JudgedPrompt",
    "JudgedShift",
    "Made",
    "Report",
    "RunLine",
    "Score",
    "Summary",
    "calibrate",
    "calibrate_by_prompts",
    "collect",
    "compare",
    "join_prompts",
    "make",
    "pair_projects",
    "read_prompts",
    "read_run",
    "render_page",
    "run",
    "score",
    "write_prompts",
    "write_run",
]
