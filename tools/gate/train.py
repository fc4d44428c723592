"""Train the gate on judged prompts and write its coefficients into both backends.

    python tools/gate/train.py ../shared/eval/dev/*  [--check]

Thresholds are chosen on logits of models that have not seen the project that they judge, so that the figures printed
first are what other projects may expect. `--check` measures and writes nothing.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from judged import read_project
from model import BARS, TOLERANCE, Measures, by_fold, by_project, choose, cross_fit, fit, measure, write

from cuecard._pure.rank.gate import FEATURES


def show(label: str, found: Measures) -> None:
    """Print one line."""
    false = ", ".join(f"{kind} {share:.2f}" for kind, share in sorted(found.false.items()))
    print(f"{label:26} R@5 {found.recall:.3f}  precision {found.precision:.3f}  false: {false}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    cases = [case for folder in options.projects for case in read_project(folder)]
    model = fit(cases)
    seen = [[model.logit(example.features) for example in case.examples] for case in cases]
    views = {
        "unseen projects": (cross_fit(cases, by_project), TOLERANCE),
        "unseen prompts": (cross_fit(cases, by_fold), TOLERANCE),
        "seen": (seen, 0.0),
    }
    chosen = {name: choose(cases, list(views.values()), name) for name in BARS}
    for label, (logits, _tolerance) in views.items():
        for name, threshold in chosen.items():
            show(f"{label}, {name} {threshold}", measure(cases, logits, threshold))
    for feature, knots, slopes in zip(FEATURES, model.knots, model.slopes, strict=True):
        bends = "".join(
            f"  from {knot / 1024:+.2f} {slope / 1024:+.2f}" for knot, slope in zip(knots, slopes[1:], strict=True)
        )
        print(f"{feature:20} {slopes[0] / 1024:+.2f}{bends}")
    if not options.check:
        write(model, chosen)


if __name__ == "__main__":
    main()
