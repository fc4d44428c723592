"""Train the gate on judged prompts and write what is fitted into the gate's table, which both backends read.

    python tools/gate/train.py ../shared/eval/dev/* ../shared/eval/dev2/* tests/data/projects/*/ [--check]

Each project is read with the questions of its memories and without them, as a whole store and cut
down to small stores, and some prompts again after an earlier prompt that has nothing to do with them.
A threshold is chosen so that a fixed share of the prompts that need no memory get one (`FALSE` in `model.py`), with
models that were not fitted to the prompt's project. The printed figures of a project come from models and thresholds
of the other projects. Judged prompts of these projects that are kept in `tests/data` are added (see
`added_sets.py`). The words of the table and its other numbers stay. With `--check` nothing is written.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from added_sets import read_training
from model import (
    FALSE,
    Measures,
    by_project,
    carry_over,
    fit,
    fit_in_turn,
    measure,
    raise_all,
    raise_in_turn,
    raise_of,
    threshold_for,
)
from table_file import write

from cuecard.basics.gate_table import FEATURE_NAMES


def show(label: str, found: Measures) -> None:
    """Print one line with measures."""
    false = ", ".join(f"{kind} {share:.2f}" for kind, share in sorted(found.false.items()))
    print(f"{label:44} R@5 {found.recall:.3f}  precision {found.precision:.3f}  false: {false}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the gate, print its measures, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    cases = read_training(options.projects)
    sets = {folder.name: folder.resolve().parent.name for folder in options.projects}
    unraised = fit_in_turn(cases, by_project)
    logits = raise_in_turn(cases, unraised, by_project)
    for name, false in FALSE.items():
        thresholds = carry_over(cases, logits, false)
        for group in dict.fromkeys(sets.values()):
            for has_questions in (False, True):
                rows = [
                    row
                    for row in zip(cases, logits, thresholds, strict=True)
                    if sets[row[0].project] == group and row[0].has_questions == has_questions and not row[0].is_made
                ]
                label = f"{name}, {group} {'with' if has_questions else 'without'} questions"
                show(label, measure(*zip(*rows, strict=True)))
    share = raise_of(cases, unraised)
    model, logits = fit(cases).raised(share), raise_all(cases, unraised, share)
    for feature, knots, slopes in zip(FEATURE_NAMES, model.knots, model.slopes, strict=True):
        bends = "".join(
            f"  from {knot / 1024:+.2f} {slope / 1024:+.2f}" for knot, slope in zip(knots, slopes[1:], strict=True)
        )
        print(f"{feature:26} {slopes[0] / 1024:+.2f}{bends}")
    if not options.check:
        write(model, {name: threshold_for(cases, logits, false) for name, false in FALSE.items()})


if __name__ == "__main__":
    main()
