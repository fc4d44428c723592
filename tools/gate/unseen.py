"""Measure the shipped gate on judged projects that it was not fitted to.

    python tools/gate/unseen.py tests/data/unseen/*/ [--markdown PAGE]

Nothing is fitted: model and threshold of `balanced` are those of the gate's table. No rule and no number may be
chosen by these projects; once one is, they belong to `tests/data/projects`.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from marked_page import show
from model import Model, measure
from report import table

from cuecard.basics.gate_table import FEATURES, FILE, LOGITS
from cuecard.basics.tables import read_lines
from judged import Case, read_project


def shipped() -> Model:
    """The model of the gate's table."""
    words = dict([line.split(" ") for line in read_lines(FILE, "general_words")])
    weights = {word: int(weight) for word, weight in words.items()}
    return Model([one.knots for one in FEATURES], [one.slopes for one in FEATURES], LOGITS["bias"], weights)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args(arguments)
    model = shipped()
    halves: list[list[Case]] = [[], []]
    lines = []
    for folder in options.projects:
        cells = []
        for has_questions, half in enumerate(halves):
            cases = read_project(folder, has_questions=bool(has_questions))
            half += cases
            cells.append(_cells(model, cases))
        lines.append([folder.name, *_joined(cells)])
    lines.append(["all", *_joined([_cells(model, half) for half in halves])])
    names = [f"{name} {half}" for name in ("R@5", "precision", "false") for half in ("without", "with")]
    show(table(("project", *names), lines), "unseen", options.markdown)


def _cells(model: Model, cases: Sequence[Case]) -> list[str]:
    found = measure(cases, [model.logits(case) for case in cases], [LOGITS["balanced"]] * len(cases))
    return [f"{value:.2f}" for value in (found.recall, found.precision, found.false["all"])]


def _joined(cells: Sequence[Sequence[str]]) -> list[str]:
    """The cells without and with questions, measure by measure."""
    return [cell for pair in zip(*cells, strict=True) for cell in pair]


if __name__ == "__main__":
    main()
