"""Measure how many questions a memory needs: the first so many of its questions stay, for every memory of a project.

    python tools/gate/questions.py ../shared/eval/dev/* ../shared/eval/dev2/* tests/data/projects/*/ [--markdown PAGE]

Each project is judged by the model and the threshold of `balanced` that were fitted to the other projects, with all
questions of their memories and without any. Nothing is fitted to stores with fewer questions.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from added_sets import read_training
from marked_page import show
from model import FALSE, by_project, carry_over, fit, fit_in_turn, measure, raise_in_turn, raise_of, shown_at
from report import table

from judged import Case, read_cases, read_memories, read_rows

COUNTS = (0, 1, 2, 3, 4)
HEAD = ("projects", "questions of a memory", "R@5", "precision", "false")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(arguments)
    cases = read_training(options.projects)
    unraised = fit_in_turn(cases, by_project)
    carried = carry_over(cases, raise_in_turn(cases, unraised, by_project), FALSE["balanced"])
    thresholds = {case.project: threshold for case, threshold in zip(cases, carried, strict=True)}
    models = {}
    for project in thresholds:
        others = [pair for pair in zip(cases, unraised, strict=True) if pair[0].project != project]
        of_others, logits = [case for case, _ in others], [found for _, found in others]
        models[project] = fit(of_others).raised(raise_of(of_others, logits))
    lines = []
    for group in dict.fromkeys(folder.resolve().parent.name for folder in options.projects):
        folders = [folder for folder in options.projects if folder.resolve().parent.name == group]
        for count in COUNTS:
            cut = [case for folder in folders for case in _with(folder, count)]
            found = [models[case.project].logits(case) for case in cut]
            limits = [thresholds[case.project] for case in cut]
            measured = measure(cut, found, limits)
            rows = [row for row in zip(cut, found, limits, strict=True) if not row[0].is_answerable]
            false = sum([len(shown_at(*row)) > 0 for row in rows]) / len(rows)
            numbers = [f"{value:.3f}" for value in (measured.recall, measured.precision, false)]
            lines.append([group, "all" if count == COUNTS[-1] else str(count), *numbers])
    show(table(HEAD, lines), "questions", options.markdown)


def _with(folder: Path, count: int) -> list[Case]:
    """The cases of a project whose memories have at most `count` questions; the last count is all of them."""
    memories = read_memories(folder, has_questions=count > 0)
    for memory in memories:
        if count and count < COUNTS[-1]:
            memory["cuecard"]["questions"] = memory["cuecard"]["questions"][:count]
    prompts = read_rows(folder / "prompts.jsonl")
    cases: list[Case] = read_cases(folder.name, memories, prompts, None, has_questions=count > 0)
    return cases


if __name__ == "__main__":
    main()
